#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// The details of a kernel or a copy, one text in XProf's files: "regs:32 static_shared:0 dynamic_shared:64 grid:4,1,1
/// block:128,1,1 occ_pct:50", "kind_src:host kind_dst:device size:400 dest:0 async:1".
struct XplaneDetails {
  std::optional<std::int64_t> registers, shared_memory, bytes;
  std::optional<std::array<std::int64_t, 3>> grid, block;
};
XplaneDetails read_xplane_details(std::string_view text);

/// Returns "Memcpy HtoD" for "MemcpyH2D"; other names unchanged.
std::string xplane_activity_name(std::string_view name);

}  // namespace lacuna

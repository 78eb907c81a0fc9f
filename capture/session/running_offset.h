#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lacuna {

/// Offset of ranges that still run, in place of one in the recording; a LiveSource's bytes() say so there.
inline constexpr std::uint64_t kRunningOffset = std::uint64_t{1} << 62;
/// What a reader finds at kRunningOffset.
inline constexpr std::string_view kRunningEvent =
    "{\"ph\":\"B\",\"ts\":0,\"name\":\"\",\"args\":{\"state\":\"still running\"}}";
/// read_at() of that place.
inline std::size_t read_running_event(std::uint64_t offset, std::span<char> out) {
  const std::uint64_t at = offset - kRunningOffset;
  return at >= kRunningEvent.size() ? 0 : kRunningEvent.copy(out.data(), out.size(), at);
}

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// What Lacuna calls a category of rocpd: "HIP_RUNTIME_API_EXT" and "rocm_hip_api" are "hip_runtime", those of markers
/// "user_annotation"; others stay, in lower case.
std::string rocpd_category(std::string_view category);

/// "Memcpy HtoD" for "MEMORY_COPY_HOST_TO_DEVICE" and "CopyHostToDevice"; else the name as it is.
std::string rocm_copy_name(std::string_view name);

/// The text of a marker in the extdata of its event, {"message": "step 1"}; empty without one.
std::string marker_message(std::string_view extdata);

/// Blocks of a grid that is given in work items.
std::int64_t blocks_of(std::int64_t grid_items, std::int64_t block_items);

}  // namespace lacuna

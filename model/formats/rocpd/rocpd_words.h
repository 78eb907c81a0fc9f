#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// Returns Lacuna's name of a rocpd category: "hip_runtime" for "HIP_RUNTIME_API_EXT" and "rocm_hip_api",
/// "user_annotation" for markers; others in lower case.
std::string rocpd_category(std::string_view category);

/// Returns "Memcpy HtoD" for "MEMORY_COPY_HOST_TO_DEVICE" and "CopyHostToDevice"; other names unchanged.
std::string rocm_copy_name(std::string_view name);

/// Returns a marker's text from the extdata of its event, {"message": "step 1"}; empty without one.
std::string marker_message(std::string_view extdata);

/// Returns the number of blocks of a grid that is given in work items.
std::int64_t blocks_of(std::int64_t grid_items, std::int64_t block_items);

}  // namespace lacuna

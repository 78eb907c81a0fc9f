#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// The args of GPU activities that the model does not hold. For all activities of a trace:
/// columns/argument_columns.h.
struct GpuArguments {
  std::uint64_t bytes = 0;             ///< of copies and sets
  float occupancy = -1;                ///< "est. achieved occupancy %", 0 … 100; < 0: not in the file, or 0 there
                                       ///< although a single block would be more: Kineto's estimate failed
  float blocks_per_sm = -1;            ///< likewise
  std::array<std::int32_t, 3> grid{};  ///< {0, 0, 0}: not in the file
  std::array<std::int32_t, 3> block{};
  std::uint64_t graph_node = 0;  ///< "graph node id"; 0: not a part of a CUDA graph, or not said
  std::string annotation;        ///< for graph nodes: the module or scope in which it was captured; empty: unknown
};

/// Returns the keys of the args to read, …
std::span<const std::string_view> gpu_argument_keys();
/// … and parses their values, in that order, as written in the file.
GpuArguments parse_gpu_arguments(std::span<const std::string_view> values);

}  // namespace lacuna

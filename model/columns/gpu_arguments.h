#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// What the args of GPU activities say and the model does not hold. For all activities of a trace:
/// columns/argument_columns.h.
struct GpuArguments {
  std::uint64_t bytes = 0;             ///< copies and sets
  float occupancy = -1;                ///< "est. achieved occupancy %", 0 … 100; < 0: not in the file, or 0 there
                                       ///< although a single block would be more: Kineto's estimate failed
  float blocks_per_sm = -1;            ///< likewise
  std::array<std::int32_t, 3> grid{};  ///< {0, 0, 0}: not in the file
  std::array<std::int32_t, 3> block{};
  std::uint64_t graph_node = 0;  ///< "graph node id"; 0: not a part of a CUDA graph, or not said
  std::string annotation;        ///< of such a node: the module or scope that it was captured in; empty: not said
};

/// The keys of args that they are in, …
std::span<const std::string_view> gpu_argument_keys();
/// … and what is made of their values, in that order, as written in the file.
GpuArguments parse_gpu_arguments(std::span<const std::string_view> values);

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lacuna {

/// Traces that grow in one dimension.
struct GrowingInput {
  const char* dimension;
  std::size_t count;                             ///< of the smallest worth measuring
  std::function<std::string(std::size_t)> json;  ///< of so many
};

const std::vector<GrowingInput>& growing_inputs();
/// What costs little where there are 100, and may yet grow with the square: thousands deep.
const std::vector<GrowingInput>& deep_inputs();
/// The same of hundreds of GPUs and thousands of streams.
const std::vector<GrowingInput>& wide_inputs();

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lacuna {

/// A trace that grows in one dimension.
struct GrowingInput {
  const char* dimension;
  std::size_t count;                             ///< the smallest size worth measuring
  std::function<std::string(std::size_t)> json;  ///< makes the JSON of a given size
};

const std::vector<GrowingInput>& growing_inputs();
/// Inputs that are cheap with 100 of a kind, but may cost the square of their number: thousands deep.
const std::vector<GrowingInput>& deep_inputs();
/// Likewise, with hundreds of GPUs and thousands of streams.
const std::vector<GrowingInput>& wide_inputs();

}  // namespace lacuna

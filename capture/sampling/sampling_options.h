#pragma once

#include <cstdint>

namespace lacuna {

/// What is recorded of a program from outside, without its cooperation.
struct SamplingOptions {
  bool stacks = true;                     ///< Python and native stacks, by sampling
  bool switches = true;                   ///< context switches: when threads ran, waited, were preempted
  std::uint32_t stacks_per_second = 100;  ///< 1 to 1000
  bool is_set() const { return stacks || switches; }
};

}  // namespace lacuna

#pragma once

#include <cstdint>

namespace lacuna {

/// What is to be seen of a program from outside, without its help.
struct SamplingOptions {
  bool stacks = true;                     ///< of Python and of native code, by sampling
  bool switches = true;                   ///< when threads ran, waited, were preempted
  std::uint32_t stacks_per_second = 100;  ///< 1 to 1000
  bool is_set() const { return stacks || switches; }
};

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/holders/memory_history.h"

namespace lacuna {

/// The memory that activation checkpointing around one module would free at a moment: activations that were allocated
/// inside it. The backward pass then recomputes them, which costs one more forward pass. An upper bound: the module's
/// inputs and outputs stay, and the contents of an inner module that is checkpointed itself are counted there.
struct CheckpointSaving {
  std::string module;
  std::uint64_t bytes = 0;
  std::uint64_t allocations = 0;
  std::uint32_t largest = 0;  ///< index of the largest piece in the table
};

struct Checkpointing {
  std::uint64_t held = 0;                 ///< bytes held at the moment, including those without a known allocation
  std::uint64_t activations = 0;          ///< those of MemoryCategory::kActivation
  std::vector<CheckpointSaving> modules;  ///< most bytes first
  std::uint64_t most_activations = 0;     ///< their maximum over all moments
  std::uint32_t most_at = 0;              ///< the first moment with that maximum
};

/// By the innermost nn.Module around each allocation (HolderGroup::kModule). No modules if the history has none.
/// O(pieces). Any thread.
Checkpointing find_checkpoint_savings(const MemoryHistory& history, std::uint32_t moment);

}  // namespace lacuna

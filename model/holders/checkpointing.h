#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/holders/memory_history.h"

namespace lacuna {

/// What activation checkpointing around one module would free at a moment: the activations that were allocated inside
/// it. Its backward pass then computes them again, which costs its forward pass once more. It is the most: what the
/// module takes in and hands on stays, and what is inside a module that is checkpointed by itself is counted there.
struct CheckpointSaving {
  std::string module;
  std::uint64_t bytes = 0;
  std::uint64_t allocations = 0;
  std::uint32_t largest = 0;  ///< piece of the table
};

struct Checkpointing {
  std::uint64_t held = 0;                 ///< bytes held at the moment, those that no allocation tells of included
  std::uint64_t activations = 0;          ///< of these MemoryCategory::kActivation
  std::vector<CheckpointSaving> modules;  ///< most bytes first
  std::uint64_t most_activations = 0;     ///< at any moment …
  std::uint32_t most_at = 0;              ///< … and the first such moment
};

/// By the innermost nn.Module around each allocation (HolderGroup::kModule). No modules where the history tells none.
/// O(pieces). Any thread.
Checkpointing find_checkpoint_savings(const MemoryHistory& history, std::uint32_t moment);

}  // namespace lacuna

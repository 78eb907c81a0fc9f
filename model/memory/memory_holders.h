#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory/allocation_history.h"

namespace lacuna {

/// The key by which allocations are grouped.
enum class HolderKey : std::uint8_t {
  kFrame,     ///< the representative frame of a stack: see StackNames
  kCategory,  ///< MemoryCategory
  kStack,     ///< equal stacks
  kSegment,   ///< the segment that holds it
  kPhase,     ///< MemoryPhase
};
std::optional<HolderKey> holder_key(std::string_view text);

/// The categories of PyTorch's memory profiler (torch/profiler/_memory_profiler.py), as far as stacks and times
/// give them; the profiler follows each tensor, which a snapshot does not name.
enum class MemoryCategory : std::uint8_t {
  kParameter,       ///< allocated when a module is constructed or moved (_apply, load_state_dict, __init__)
  kOptimizerState,  ///< allocated in torch/optim, and not freed there
  kInput,           ///< allocated by a data loader, or copied to the device outside any module
  kTemporary,       ///< freed in the phase (forward or optimizer) that allocated it
  kActivation,      ///< of the forward pass, freed by the backward pass or still held
  kGradient,        ///< allocated by the backward pass, and outlives it
  kAutogradDetail,  ///< allocated and freed by the backward pass
  kUnknown,
};
inline constexpr std::size_t kMemoryCategories = 8;
std::string_view memory_category_name(MemoryCategory category);  ///< "optimizer state"
std::string_view memory_category_key(MemoryCategory category);   ///< "optimizerState"

/// The phase of the program that allocated.
enum class MemoryPhase : std::uint8_t { kUnknown, kConstruction, kForward, kBackward, kOptimizer, kLoading, kCopy };
std::string_view memory_phase_name(MemoryPhase phase);  ///< "data loading"

/// Names derived from stacks, each computed once.
class StackNames {
 public:
  using Phase = MemoryPhase;

  /// `snapshot` must outlive it.
  explicit StackNames(const MemorySnapshot& snapshot);
  ~StackNames();
  StackNames(const StackNames&) = delete;
  StackNames& operator=(const StackNames&) = delete;

  /// Returns the innermost Python frame outside PyTorch's own files; else the innermost Python frame; else the operator
  /// and autograd node of a native stack ("aten::mm in MmBackward0"), else its innermost frame outside the allocator.
  /// "(stack not recorded)" if there is no stack.
  const std::string& frame(std::uint32_t stack);
  /// Equal for stacks with equal frame(): counts from 0.
  std::uint32_t frame_number(std::uint32_t stack);
  Phase phase(std::uint32_t stack);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the stack of an allocation's free_requested event, 0 for none; needed for categories.
std::uint32_t free_stack(const MemorySnapshot& snapshot, const DeviceHistory& history, const Allocation& allocation);
MemoryCategory categorize(const MemorySnapshot& snapshot, const DeviceMemory& memory, const Allocation& allocation,
                          StackNames& names);

struct Holder {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;              ///< number of allocations
  std::uint64_t largest = 0;            ///< bytes of the largest
  std::uint32_t stack = 0;              ///< of the largest allocation; with kStack of all of them
  std::uint32_t segment = 0xffff'ffff;  ///< with kSegment: index of DeviceMemory::segments
};

/// Returns who holds the memory of a device at a moment, most bytes first.
std::vector<Holder> holders_at(const MemorySnapshot& snapshot, const DeviceMemory& memory, Moment moment, HolderKey key,
                               StackNames& names);

/// Returns all allocations held at a moment, by index, largest first.
std::vector<std::uint32_t> live_at(const DeviceMemory& memory, Moment moment);

/// A place in the program that holds more at each of some moments than at the previous one.
struct Leak {
  std::string name;                  ///< frame, as by HolderKey::kFrame
  std::uint32_t stack = 0;           ///< of an allocation still held at the last moment
  std::vector<std::uint64_t> bytes;  ///< at each of the moments
  std::uint64_t growth() const { return bytes.empty() ? 0 : bytes.back() - bytes.front(); }
};
/// Whether annotations name steps, so that growth from one to the next is no part of a step.
bool has_steps(const MemorySnapshot& snapshot);
/// Returns the moments between which leaks are searched: the ends of steps that annotations name (ProfilerStep,
/// Optimizer.step), else eight equal parts of the history.
std::vector<Moment> step_moments(const MemorySnapshot& snapshot, const DeviceHistory& history);
/// Returns frames whose live bytes never fall and grow over at least three moments, most growth first.
std::vector<Leak> find_leaks(const MemorySnapshot& snapshot, const DeviceMemory& memory,
                             const std::vector<Moment>& moments, StackNames& names);

}  // namespace lacuna

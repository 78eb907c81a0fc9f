#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory/allocation_history.h"

namespace lacuna {

/// What allocations are grouped by.
enum class HolderKey : std::uint8_t {
  kFrame,     ///< the frame that speaks for a stack: see StackNames
  kCategory,  ///< MemoryCategory
  kStack,     ///< equal stacks
  kSegment,   ///< the segment that it lies in
  kPhase,     ///< MemoryPhase
};
std::optional<HolderKey> holder_key(std::string_view text);

/// The categories of PyTorch's memory profiler (torch/profiler/_memory_profiler.py), as far as stacks and times
/// tell them; that one follows each tensor, which a snapshot does not name.
enum class MemoryCategory : std::uint8_t {
  kParameter,       ///< allocated by a module's construction or move (_apply, load_state_dict, __init__)
  kOptimizerState,  ///< allocated in torch/optim, and not freed there
  kInput,           ///< by a data loader, or copied to the device outside any module
  kTemporary,       ///< freed in the phase, forward or optimizer, that allocated it
  kActivation,      ///< of the forward pass, freed by the backward pass or still held
  kGradient,        ///< allocated by the backward pass, and outlives it
  kAutogradDetail,  ///< allocated and freed by the backward pass
  kUnknown,
};
inline constexpr std::size_t kMemoryCategories = 8;
std::string_view memory_category_name(MemoryCategory category);  ///< "optimizer state"
std::string_view memory_category_key(MemoryCategory category);   ///< "optimizerState"

/// What the program did when it allocated.
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

  /// The innermost Python frame outside PyTorch's own files; else the innermost Python frame; else the operator
  /// and autograd node of a native stack ("aten::mm in MmBackward0"), else its innermost frame outside the allocator.
  /// "(stack not recorded)" for none.
  const std::string& frame(std::uint32_t stack);
  /// Equal for stacks of equal frame(): counts from 0.
  std::uint32_t frame_number(std::uint32_t stack);
  Phase phase(std::uint32_t stack);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where each free happened is needed for that: the stack of an allocation's free_requested, 0 for none.
std::uint32_t free_stack(const MemorySnapshot& snapshot, const DeviceHistory& history, const Allocation& allocation);
MemoryCategory categorize(const MemorySnapshot& snapshot, const DeviceMemory& memory, const Allocation& allocation,
                          StackNames& names);

struct Holder {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;              ///< allocations
  std::uint64_t largest = 0;            ///< bytes of the largest
  std::uint32_t stack = 0;              ///< of the largest allocation; with kStack that of all
  std::uint32_t segment = 0xffff'ffff;  ///< with kSegment: index of DeviceMemory::segments
};

/// Who holds the memory of a device at a moment, most bytes first.
std::vector<Holder> holders_at(const MemorySnapshot& snapshot, const DeviceMemory& memory, Moment moment, HolderKey key,
                               StackNames& names);

/// Allocations held at a moment, by index, largest first; all of them.
std::vector<std::uint32_t> live_at(const DeviceMemory& memory, Moment moment);

/// Where the program holds more at each of some moments than at the one before.
struct Leak {
  std::string name;                  ///< frame, as by HolderKey::kFrame
  std::uint32_t stack = 0;           ///< of an allocation that is still held at the last
  std::vector<std::uint64_t> bytes;  ///< at each of the moments
  std::uint64_t growth() const { return bytes.empty() ? 0 : bytes.back() - bytes.front(); }
};
/// Whether annotations name steps, so that growth from one to the next is no part of a step.
bool has_steps(const MemorySnapshot& snapshot);
/// The moments between which leaks are looked for: the ends of steps that annotations name (ProfilerStep,
/// Optimizer.step), else eight equal parts of the history.
std::vector<Moment> step_moments(const MemorySnapshot& snapshot, const DeviceHistory& history);
/// Frames whose live bytes never fall and grow over at least three moments, most growth first.
std::vector<Leak> find_leaks(const MemorySnapshot& snapshot, const DeviceMemory& memory,
                             const std::vector<Moment>& moments, StackNames& names);

}  // namespace lacuna

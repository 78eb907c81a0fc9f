#pragma once

#include <cstdint>
#include <vector>

#include "model/torch/torch_events.h"

namespace lacuna {

/// Memory that a CPU event allocated minus what it freed, in bytes.
struct TorchMemory {
  std::int64_t cpu = 0;
  std::int64_t device = 0;
};

/// The nesting of events in torch, and the self values of each: `_populate_cpu_children`,
/// `_remove_dup_nodes` and the properties of FunctionEvent in torch/autograd/profiler_util.py.
///
///   nesting     CPU events of one thread, by containment without tolerance: an event is the
///               child of the
///               innermost open event that ends with or after it; one that ends later closes
///               that event for good. Partial overlap makes no relation, nothing is cut.
///   duplicates  an event that is the only child of an event of its name disappears: its
///               children and
///               its kernels go to the parent, whose own kernels are lost
///   self        total minus the totals of the direct children; may be negative, never clamped
///   CUDA total  of a CPU event: durations of its own kernels added up, and its children's; streams
///               that overlap count twice. Of a GPU event: its duration.
///
/// Asynchronous events have no parent, no children and no self time. Sums are Python's (PythonSum).
/// One pass, O(n), the threads of the trace spread over `threads` threads; 30 bytes an event, 13
/// where nothing ran on a GPU. `events` must outlive this.
class TorchTree {
 public:
  static constexpr std::uint32_t kNone = TorchEvents::kNone;

  /// `memory`: one per event, or empty.
  explicit TorchTree(const TorchEvents& events, std::vector<TorchMemory> memory = {}, unsigned threads = 1);

  /// Returns the enclosing event, which may be a duplicate; kNone at the top.
  std::uint32_t parent(std::uint32_t i) const { return parents_[i]; }
  /// Whether it was merged into the enclosing event of the same name; such events have no row.
  bool is_duplicate(std::uint32_t i) const { return duplicates_[i] != 0; }
  /// Returns the event itself, or the one that it was merged into.
  std::uint32_t merged_into(std::uint32_t i) const {
    while (is_duplicate(i)) i = parents_[i];
    return i;
  }
  /// Whether the kernels launched by `i` do not count, because a merged duplicate's kernels replaced them.
  bool has_lost_kernels(std::uint32_t i) const { return !lost_kernels_.empty() && lost_kernels_[i] != 0; }

  // In us, as summed by torch.
  double cpu_total(std::uint32_t i) const { return is_on_gpu(events_.kind(i)) ? 0 : events_.elapsed_us(i); }
  double self_cpu(std::uint32_t i) const { return self_cpu_[i]; }
  double device_total(std::uint32_t i) const { return device_total_.empty() ? 0 : device_total_[i]; }
  double self_device(std::uint32_t i) const { return self_device_.empty() ? 0 : self_device_[i]; }
  bool has_memory() const { return !memory_.empty(); }
  TorchMemory memory(std::uint32_t i) const { return memory_.empty() ? TorchMemory{} : memory_[i]; }
  TorchMemory self_memory(std::uint32_t i) const { return self_memory_.empty() ? TorchMemory{} : self_memory_[i]; }

  const TorchEvents& events() const { return events_; }

 private:
  class Builder;

  const TorchEvents& events_;
  RawVector<std::uint32_t> parents_;
  // Bytes rather than bits, because threads write to neighbours.
  std::vector<std::uint8_t> duplicates_;
  std::vector<std::uint8_t> lost_kernels_;
  RawVector<double> self_cpu_;
  RawVector<double> device_total_;
  RawVector<double> self_device_;
  std::vector<TorchMemory> memory_;
  std::vector<TorchMemory> self_memory_;
};

}  // namespace lacuna

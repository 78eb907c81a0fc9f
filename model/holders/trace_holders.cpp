#include "model/holders/trace_holders.h"

#include <algorithm>
#include <limits>

#include "model/calls/launched_work.h"

namespace lacuna {
namespace {

/// A range of the program's own that is called as a phase is: "forward", "## backward ##".
MemoryPhase phase_of_range(std::string_view name) {
  while (!name.empty() && (name.front() == '#' || name.front() == ' ')) name.remove_prefix(1);
  while (!name.empty() && (name.back() == '#' || name.back() == ' ')) name.remove_suffix(1);
  if (name == "forward" || name == "Forward") return MemoryPhase::kForward;
  if (name == "backward" || name == "Backward") return MemoryPhase::kBackward;
  if (name == "optimizer" || name == "Optimizer") return MemoryPhase::kOptimizer;
  return MemoryPhase::kUnknown;
}

SliceId outermost_operator(const Trace& trace, SliceId slice) {
  SliceId found;
  for (; slice.valid(); slice = trace.parent(slice))
    if (trace.category_class(slice) == CategoryClass::kCpuOperator) found = slice;
  return found;
}

}  // namespace

MemoryPhase phase_around(const Trace& trace, SliceId slice) {
  MemoryPhase phase = MemoryPhase::kUnknown;
  for (; slice.valid(); slice = trace.parent(slice)) {
    const std::string_view name = trace.name(slice);
    if (name.starts_with("Optimizer.step")) return MemoryPhase::kOptimizer;
    if (name.starts_with("autograd::engine") || name.find("Backward") != std::string_view::npos)
      return MemoryPhase::kBackward;
    if (name.starts_with("enumerate(DataLoader)")) return MemoryPhase::kLoading;
    if (trace.category_class(slice) == CategoryClass::kCpuAnnotation)
      if (const MemoryPhase own = phase_of_range(name); own != MemoryPhase::kUnknown) return own;
    if (name.starts_with("nn.Module: ") || name.ends_with(": forward")) phase = MemoryPhase::kForward;
    if (phase == MemoryPhase::kUnknown && (name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_"))
      phase = MemoryPhase::kCopy;
  }
  return phase;
}

MemoryCategory category_of(const Trace& trace, const TraceAllocation& allocation) {
  const MemoryPhase made = phase_around(trace, allocation.by);
  const MemoryPhase freed = phase_around(trace, allocation.freed_by);
  const bool is_freed = allocation.end != std::numeric_limits<Nanos>::max();
  switch (made) {
    case MemoryPhase::kOptimizer:
      return is_freed && freed == made ? MemoryCategory::kTemporary : MemoryCategory::kOptimizerState;
    case MemoryPhase::kBackward:
      return is_freed && freed == made ? MemoryCategory::kAutogradDetail : MemoryCategory::kGradient;
    case MemoryPhase::kForward:
      return is_freed && freed != MemoryPhase::kBackward ? MemoryCategory::kTemporary : MemoryCategory::kActivation;
    case MemoryPhase::kLoading:
    case MemoryPhase::kCopy:
      return MemoryCategory::kInput;
    case MemoryPhase::kConstruction:
    case MemoryPhase::kUnknown:
      break;
  }
  // Freed by the backward pass: it was kept for it.
  return is_freed && freed == MemoryPhase::kBackward ? MemoryCategory::kActivation : MemoryCategory::kUnknown;
}

SliceId module_around(const Trace& trace, SliceId slice) {
  while (slice.valid() && !is_module_frame(trace.name(slice))) slice = trace.parent(slice);
  return slice;
}

SliceId own_frame_around(const Trace& trace, SliceId slice) {
  for (; slice.valid(); slice = trace.parent(slice)) {
    if (trace.category_class(slice) != CategoryClass::kPythonFunction) continue;
    const std::string_view name = trace.name(slice);  // "train.py(12): step"
    const bool is_file = name.find(".py(") != std::string_view::npos;
    const bool is_of_torch = name.starts_with("torch/") || name.find("/torch/") != std::string_view::npos;
    if (is_file && !is_of_torch) return slice;
  }
  return {};
}

Nanos unused_time(const Trace& trace, const TraceAllocation& allocation) {
  if (allocation.end == std::numeric_limits<Nanos>::max()) return -1;
  const SliceId made = outermost_operator(trace, allocation.by);
  const SliceId freed = outermost_operator(trace, allocation.freed_by);
  const Nanos from = made.valid() ? trace.span(made).end : allocation.begin;
  const Nanos to = freed.valid() ? trace.span(freed).begin : allocation.end;
  return std::max<Nanos>(0, saturating_sub(to, from));
}

}  // namespace lacuna

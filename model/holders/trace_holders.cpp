#include "model/holders/trace_holders.h"

#include <algorithm>
#include <limits>

#include "model/calls/launched_work.h"

namespace lacuna {
namespace {

/// What slices around an allocation tell of the phase.
enum class OperatorPhase { kUnknown, kForward, kBackward, kOptimizer, kCopy };

OperatorPhase phase_around(const Trace& trace, SliceId slice) {
  OperatorPhase phase = OperatorPhase::kUnknown;
  for (; slice.valid(); slice = trace.parent(slice)) {
    const std::string_view name = trace.name(slice);
    if (name.starts_with("Optimizer.step")) return OperatorPhase::kOptimizer;
    if (name.starts_with("autograd::engine") || name.find("Backward") != std::string_view::npos)
      return OperatorPhase::kBackward;
    if (name.starts_with("nn.Module: ") || name.ends_with(": forward")) phase = OperatorPhase::kForward;
    if (phase == OperatorPhase::kUnknown && (name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_"))
      phase = OperatorPhase::kCopy;
  }
  return phase;
}

SliceId outermost_operator(const Trace& trace, SliceId slice) {
  SliceId found;
  for (; slice.valid(); slice = trace.parent(slice))
    if (trace.category_class(slice) == CategoryClass::kCpuOperator) found = slice;
  return found;
}

}  // namespace

MemoryCategory category_of(const Trace& trace, const TraceAllocation& allocation) {
  const OperatorPhase made = phase_around(trace, allocation.by);
  const OperatorPhase freed = phase_around(trace, allocation.freed_by);
  const bool is_freed = allocation.end != std::numeric_limits<Nanos>::max();
  switch (made) {
    case OperatorPhase::kOptimizer:
      return is_freed && freed == made ? MemoryCategory::kTemporary : MemoryCategory::kOptimizerState;
    case OperatorPhase::kBackward:
      return is_freed && freed == made ? MemoryCategory::kAutogradDetail : MemoryCategory::kGradient;
    case OperatorPhase::kForward:
      return is_freed && freed != OperatorPhase::kBackward ? MemoryCategory::kTemporary : MemoryCategory::kActivation;
    case OperatorPhase::kCopy:
      return MemoryCategory::kInput;
    case OperatorPhase::kUnknown:
      break;
  }
  // Freed by the backward pass: it was kept for it.
  return is_freed && freed == OperatorPhase::kBackward ? MemoryCategory::kActivation : MemoryCategory::kUnknown;
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

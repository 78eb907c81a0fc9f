#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The kind of a moment of a process without a GPU: the first of these that holds.
enum class CpuKind : std::uint8_t {
  kDataLoading,   ///< the program waits for its next batch
  kOperators,     ///< at least one thread of the process is in an operator
  kCollectives,   ///< … and that is a collective, which waits for other processes
  kWaiting,       ///< the leading thread waits for a lock, for I/O or for a time
  kOutsideSteps,  ///< outside all steps, if the file has steps
  kPython,        ///< a short gap between operators
  kLongGaps,      ///< a gap between operators of kLongGapNs or more
  kRanges,        ///< instead of the two above if the process has no operators: inside a named range or frame
  kUnrecorded,    ///< likewise: outside all ranges and frames
};
inline constexpr std::size_t kCpuKindCount = 9;

/// A gap between operators of at least this length is not just the interpreter proceeding to the next one, but has a
/// cause of its own.
inline constexpr Nanos kLongGapNs = 1'000'000;

/// Returns the kind's name: "Python", "waiting for data" for users; "dataLoading" for JSON.
std::string_view cpu_kind_name(CpuKind kind);
std::string_view cpu_kind_key(CpuKind kind);
/// One sentence of definition per kind.
inline constexpr std::array<std::string_view, kCpuKindCount> kCpuKindDefinitions{
    "The program waited for its next batch (enumerate(DataLoader), or its Python frames).",
    "None of these; some thread of the process was in an operator.",
    "None of these; some thread of the process was in a collective that waits for other processes (gloo, barriers).",
    "None of these; the thread with the steps waits for a lock, for I/O, for a process or for a time: by its state, "
    "or by its innermost Python frame.",
    "None of these, outside of every step: between two of them, or where a schedule left some out.",
    "None of these, in a gap between operators of less than 1 ms: Python on its way to the next operator, and C code "
    "that nothing recorded.",
    "None of these, in a gap between operators of 1 ms or more: work of the program's own, a first call, or a thread "
    "that did not run.",
    "The process has no operators; its busiest thread was in a named range or a Python frame.",
    "The process has no operators; its busiest thread was in no range and no frame."};
std::string_view cpu_kind_definition(CpuKind kind);

/// How one stretch of a process's wall time was used; the kinds add up to `wall` exactly.
struct CpuUse {
  std::array<Nanos, kCpuKindCount> by_kind{};
  Nanos wall = 0;

  Nanos at(CpuKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  /// The time that the verdict is about: all but the time outside the steps.
  Nanos judged() const { return wall - at(CpuKind::kOutsideSteps); }
  /// The fraction of that time that `kind` takes, 0 to 1.
  double share(CpuKind kind) const {
    return judged() == 0 ? 0 : static_cast<double>(at(kind)) / static_cast<double>(judged());
  }
};

/// Computes how any stretch inside `whole` was used. Building sorts and sweeps the spans given; a query takes
/// O(log n). 24 bytes per interval. Immutable; any thread.
class CpuUseIndex {
 public:
  /// Time spans by activity; each list in any order.
  struct Spans {
    std::vector<TimeSpan> data_loading;
    std::vector<TimeSpan> operators;
    std::vector<TimeSpan> collectives;
    std::vector<TimeSpan> waiting;
    std::vector<TimeSpan> ranges;
    std::vector<TimeSpan> steps;  ///< empty: the file has none
  };
  CpuUseIndex() = default;
  /// Time not covered counts as a gap, or, if `spans.operators` is empty, as ranges and unrecorded time.
  CpuUseIndex(Spans spans, TimeSpan whole);

  CpuUse over(TimeSpan span) const;
  /// Returns the intervals of `kind`: ascending, disjoint.
  const IntervalSet& when(CpuKind kind) const { return sets_[static_cast<std::size_t>(kind)]; }
  /// Time inside the steps outside operators, data loading and collectives, waiting or not.
  std::span<const TimeSpan> gaps() const { return gaps_.intervals(); }

 private:
  std::array<IntervalSet, kCpuKindCount> sets_;
  IntervalSet gaps_;
};

}  // namespace lacuna

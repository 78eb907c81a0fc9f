#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What a moment of a process without a GPU is counted as: the first of these that holds then.
enum class CpuKind : std::uint8_t {
  kDataLoading,   ///< the program waits for its next batch
  kOperators,     ///< some thread of the process is in an operator
  kCollectives,   ///< … in a collective, which waits for other processes
  kWaiting,       ///< the leading thread waits for a lock, for I/O or for a time
  kOutsideSteps,  ///< outside of every step, where the file has steps
  kPython,        ///< a short gap between operators
  kLongGaps,      ///< a gap between operators of kLongGapNs or more
  kRanges,        ///< in place of the two above where the process has no operator: inside a named range or frame
  kUnrecorded,    ///< likewise: outside of any
};
inline constexpr std::size_t kCpuKindCount = 9;

/// From this length on a gap between operators is no interpreter on its way to the next one, but something of
/// its own.
inline constexpr Nanos kLongGapNs = 1'000'000;

/// "Python", "waiting for data": on every surface. "dataLoading": in JSON.
std::string_view cpu_kind_name(CpuKind kind);
std::string_view cpu_kind_key(CpuKind kind);
/// One sentence of definition, by kind.
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

/// How one stretch of a process's wall time was used; adds up to `wall` exactly.
struct CpuUse {
  std::array<Nanos, kCpuKindCount> by_kind{};
  Nanos wall = 0;

  Nanos at(CpuKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  /// The time that the verdict is about: all but what lies outside of the steps.
  Nanos judged() const { return wall - at(CpuKind::kOutsideSteps); }
  /// The part of that time which `kind` takes, 0 to 1.
  double share(CpuKind kind) const {
    return judged() == 0 ? 0 : static_cast<double>(at(kind)) / static_cast<double>(judged());
  }
};

/// Answers how any stretch inside `whole` was used. Building sorts and sweeps the spans given; an answer takes
/// O(log n). 24 bytes an interval. Immutable; any thread.
class CpuUseIndex {
 public:
  /// Stretches of time by what was going on; each list in any order.
  struct Spans {
    std::vector<TimeSpan> data_loading;
    std::vector<TimeSpan> operators;
    std::vector<TimeSpan> collectives;
    std::vector<TimeSpan> waiting;
    std::vector<TimeSpan> ranges;
    std::vector<TimeSpan> steps;  ///< empty: the file has none
  };
  CpuUseIndex() = default;
  /// What nothing covers counts as a gap, or, where `spans.operators` is empty, as ranges and unrecorded time.
  CpuUseIndex(Spans spans, TimeSpan whole);

  CpuUse over(TimeSpan span) const;
  /// When `kind` holds: ascending, disjoint.
  const IntervalSet& when(CpuKind kind) const { return sets_[static_cast<std::size_t>(kind)]; }
  /// What is between operators, data loading and collectives in the steps, whether anything waited there or not.
  std::span<const TimeSpan> gaps() const { return gaps_.intervals(); }

 private:
  std::array<IntervalSet, kCpuKindCount> sets_;
  IntervalSet gaps_;
};

}  // namespace lacuna

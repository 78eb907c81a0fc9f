#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Levels at which to describe what a CPU thread was doing.
enum class CpuLevel : std::uint8_t {
  kAnnotation,      ///< the innermost record_function / ProfilerStep
  kCalledOperator,  ///< the outermost operator: what the program called (aten::item)
  kOperator,        ///< the innermost operator (aten::_local_scalar_dense)
  kPython,          ///< the innermost Python frame that is not C code
  kRuntime,         ///< the innermost CUDA runtime or driver call
};
inline constexpr std::size_t kCpuLevelCount = 5;

/// `slice` was current from `begin` until the next stretch's begin (or the window's end); invalid:
/// no slice was.
struct Stretch {
  Nanos begin = 0;
  SliceId slice;
};

/// One thread, flattened: for each time and level, one slice.
///
///     lanes      op a ################            levels   operator  a a a b b a a - -
///                 op b    #####                            called    a a a a a a a - -
///                runtime   ##                              runtime   - - - - r - - - -
///
/// If slices cross instead of nesting, the one that started last counts (for called operators, the
/// one that started first).
/// Cost: O(rows log n + slices in the window), 16 bytes a stretch. Immutable; any thread may read.
class CpuTimeline {
 public:
  CpuTimeline() = default;
  CpuTimeline(const Trace& trace, TrackId thread, TimeSpan window);

  TimeSpan window() const { return window_; }
  /// Covers the window without gaps: the first stretch begins at the window's begin.
  std::span<const Stretch> level(CpuLevel level) const { return levels_[static_cast<std::size_t>(level)]; }

  /// Calls visit(TimeSpan, SliceId) for each stretch of `level` that overlaps `span`, clipped to
  /// it; the slice is invalid if nothing was recorded. O(log n + stretches).
  template <class Visit>
  void for_each(CpuLevel level, TimeSpan span, Visit&& visit) const;

 private:
  using Levels = std::array<std::vector<Stretch>, kCpuLevelCount>;
  class NestFlattener;
  /// Overlays the stretches of one nest on `below`.
  static void overlay(const Trace& trace, std::vector<Stretch>& below, const std::vector<Stretch>& above,
                      bool earliest_wins);

  TimeSpan window_{0, 0};
  Levels levels_;
};

template <class Visit>
void CpuTimeline::for_each(CpuLevel level, TimeSpan span, Visit&& visit) const {
  span = span.intersect(window_);
  if (span.empty()) return;
  const std::span<const Stretch> stretches = this->level(level);
  const auto next = std::ranges::upper_bound(stretches, span.begin, {}, &Stretch::begin);
  for (auto i = static_cast<std::size_t>(next - stretches.begin()) - 1;
       i < stretches.size() && stretches[i].begin < span.end; ++i) {
    const Nanos end = i + 1 == stretches.size() ? window_.end : stretches[i + 1].begin;
    visit(TimeSpan{stretches[i].begin, end}.intersect(span), stretches[i].slice);
  }
}

}  // namespace lacuna

#include "render/time_folds.h"

#include <algorithm>

namespace lacuna {
namespace {

/// a * b / c for 0 <= a <= c, rounded down, without overflow: 128 bits as two halves.
Nanos scaled(Nanos a, Nanos b, Nanos c) {
  // c is the longer of two spans and b the shorter, or the other way round; both are below 2^63.
  __extension__ using Wide = unsigned __int128;
  const auto product = static_cast<Wide>(a) * static_cast<Wide>(b);
  return static_cast<Nanos>(product / static_cast<Wide>(c));
}

}  // namespace

TimeFolds::TimeFolds(std::span<const TimeSpan> stretches, Nanos kept) {
  kept = std::max<Nanos>(1, kept);
  for (const TimeSpan& span : stretches) {
    if (span.duration() <= kept) continue;
    stretches_.push_back({span, saturating_sub(span.begin, removed_), kept});
    removed_ += span.duration() - kept;
  }
}

Nanos TimeFolds::fold(Nanos t) const {
  // The last stretch that begins at or before t.
  const auto next = std::ranges::upper_bound(stretches_, t, {}, [](const Stretch& s) { return s.span.begin; });
  if (next == stretches_.begin()) return t;
  const Stretch& s = *(next - 1);
  if (t >= s.span.end) return s.folded_end() + saturating_sub(t, s.span.end);
  return s.folded_begin + scaled(t - s.span.begin, s.kept, s.span.duration());
}

Nanos TimeFolds::unfold(Nanos folded) const {
  const auto next = std::ranges::upper_bound(stretches_, folded, {}, &Stretch::folded_begin);
  if (next == stretches_.begin()) return folded;
  const Stretch& s = *(next - 1);
  if (folded >= s.folded_end()) return saturating_add(s.span.end, folded - s.folded_end());
  return s.span.begin + scaled(folded - s.folded_begin, s.span.duration(), s.kept);
}

TimeSpan TimeFolds::fold(TimeSpan span) const {
  if (span == TimeSpan::nothing()) return span;
  return {fold(span.begin), fold(span.end)};
}

std::span<const TimeFolds::Stretch> TimeFolds::in(TimeSpan span) const {
  const auto first = std::ranges::upper_bound(stretches_, span.begin, {}, [](const Stretch& s) { return s.span.end; });
  const auto last = std::ranges::lower_bound(stretches_, span.end, {}, [](const Stretch& s) { return s.span.begin; });
  return first < last ? std::span<const Stretch>(first, last) : std::span<const Stretch>{};
}

std::vector<TimeSpan> idle_stretches(std::vector<TimeSpan> busy, Nanos least) {
  std::ranges::sort(busy, {}, &TimeSpan::begin);
  std::vector<TimeSpan> idle;
  Nanos end = 0;
  bool is_first = true;
  for (const TimeSpan& span : busy) {
    if (!is_first && span.begin > end && span.begin - end >= least) idle.push_back({end, span.begin});
    end = is_first ? span.end : std::max(end, span.end);
    is_first = false;
  }
  return idle;
}

}  // namespace lacuna

#include "render/counter_layout.h"

#include <cmath>

namespace lacuna {
namespace {

/// The samples of a counter as a row for for_each_run: each lasts until the next one.
struct SampleRow {
  const CounterSeries& series;
  Nanos last_end;  // of the last sample

  std::uint32_t size() const { return static_cast<std::uint32_t>(series.times.size()); }
  Nanos start(std::uint32_t i) const { return series.times[i]; }
  Nanos end(std::uint32_t i) const {
    return i + 1 < size() ? series.times[i + 1] : std::max(last_end, series.times[i]);
  }
  Nanos duration(std::uint32_t i) const { return saturating_sub(end(i), start(i)); }
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint) const {
    const auto found = std::ranges::lower_bound(series.times.begin() + hint, series.times.end(), t);
    return static_cast<std::uint32_t>(found - series.times.begin());
  }
  std::uint32_t first_visible_from(Nanos t) const {
    const std::uint32_t next = first_starting_from(t, 0);
    return next > 0 && end(next - 1) > t ? next - 1 : next;
  }
  /// What a fold shows is not the longest but the greatest.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return series.extremes.greatest(first, last, series.values);
  }
};

/// Value -> y, with 0 on the scale.
class ValueScale {
 public:
  ValueScale(const CounterSeries& series, float top, float bottom)
      : low_(std::min(0.0, finite(series.min))), top_(top), bottom_(bottom) {
    const double high = std::max(0.0, finite(series.max));
    range_ = high > low_ ? high - low_ : 1.0;
    if (!std::isfinite(range_)) range_ = 1.0;
  }
  float y_of(double value) const {
    const double part = std::clamp((finite(value) - low_) / range_, 0.0, 1.0);
    return bottom_ - static_cast<float>(part) * (bottom_ - top_);
  }

 private:
  static double finite(double v) { return std::isfinite(v) ? v : 0.0; }
  double low_;
  double range_ = 1.0;
  float top_, bottom_;
};

}  // namespace

void layout_counter(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const CounterSeries& series = place.is_extra() ? *context.input.arrangement.extra_counters[place.extra].series
                                                 : context.trace.track(place.track).counter;
  if (series.times.empty()) return;
  const float inset = place.lanes_y0 - place.y0;
  const float top = context.scrolled(place.lanes_y0);
  const float bottom = context.scrolled(place.y1 - inset);
  if (!context.is_in_view(top, bottom)) return;
  const ValueScale scale(series, top, bottom);
  const SampleRow row{series, context.trace.span().end};
  for_each_run(row, context.view, context.fold_ns, 0, [&](const LaneRun& run) {
    DrawCounterStep& step = out.counter_steps.emplace_back();
    step.x0 = static_cast<float>(context.clip(context.x_of(row.start(run.first))));
    step.x1 = static_cast<float>(context.clip(context.x_of(row.end(run.last - 1))));
    step.y = scale.y_of(series.values[run.longest]);
    step.y_low = step.y;
    step.y_base = scale.y_of(0);
    step.track = place.track;
    step.extra = place.extra;
    step.index = run.longest;
    step.folded = run.last - run.first;
    if (step.folded > 1)
      step.y_low = scale.y_of(series.values[series.extremes.least(run.first, run.last, series.values)]);
  });
}

}  // namespace lacuna

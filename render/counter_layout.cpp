#include "render/counter_layout.h"

#include <cmath>

#include "model/index/moment_folds.h"

namespace lacuna {
namespace {

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
  static const SampleFolds kNotFolded;
  const TrackFolds* folded = context.input.data.track_folds;
  const SampleFolds& folds = folded != nullptr && !place.is_extra() ? folded->samples[place.track.value] : kNotFolded;
  const SampleRow row(series, context.trace.span().end);
  const float base = scale.y_of(0);
  folds.for_each_run(row, context.view, context.fold_ns, [&](const SampleRow::Run& run, std::uint32_t last, Nanos end) {
    DrawCounterStep& step = out.counter_steps.emplace_back();
    step.x0 = static_cast<float>(context.clip(context.x_of(run.start)));
    step.x1 = static_cast<float>(context.clip(context.x_of(end)));
    step.y = scale.y_of(run.high);
    step.y_low = scale.y_of(run.low);
    step.y_base = base;
    step.track = place.track;
    step.extra = place.extra;
    step.index = run.greatest;
    step.folded = last - run.first;
  });
}

}  // namespace lacuna

#include "render/match_ticks.h"

#include "model/search/slice_search.h"

namespace lacuna {

void layout_match_ticks(const LayoutContext& context, TimelineDrawList& out) {
  const SliceMatches* matches = context.input.emphasis.matches;
  if (matches == nullptr) return;
  const double step = 2 * std::max(1.0f, context.input.view.metrics.scale);
  std::size_t at = matches->first_from(context.trace, context.view.begin);
  while (at < matches->order.size()) {
    const SliceId slice = matches->order[at];
    const Nanos start = context.trace.lane(slice).start(slice.index);
    if (start >= context.view.end) break;
    const double x = context.x_of(start);
    out.match_ticks.push_back(static_cast<float>(x));
    // The first one that starts at least a step further on.
    const Nanos next = context.input.view.camera.time_at(x + step);
    at = std::max(at + 1, matches->first_from(context.trace, next));
  }
}

}  // namespace lacuna

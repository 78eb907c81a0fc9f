#include "render/path_layout.h"

#include <algorithm>
#include <cmath>

#include "model/path/path_marks.h"
#include "model/shown/shown_rows.h"

namespace lacuna {
namespace {

/// A line is drawn between parts of which one is at least this wide.
constexpr double kLeastLinkedPx = 3;

class PathLayout {
 public:
  PathLayout(const LayoutContext& context, const PathMarks& path, TimelineDrawList& out)
      : context_(context), input_(context.input), path_(path), out_(out) {}

  void run() {
    const float top = input_.view.scroll_y;
    const float bottom = top + input_.view.height_px;
    const auto& tracks = context_.vertical.tracks;
    for (auto place = std::ranges::upper_bound(tracks, top, {}, &TrackPlace::y1);
         place != tracks.end() && place->y0 < bottom; ++place) {
      const Track& track = context_.trace.track(place->track);
      if (place->is_extra() || place->rows == 0 || track.kind == TrackKind::kCounter) continue;
      for (std::uint32_t k = 0; k < track.lane_count; ++k) bars(LaneId{track.first_lane.value + k});
    }
    links();
  }

 private:
  using Mark = PathMarks::Mark;

  /// Top and foot of the row in which a mark is drawn, in the view. False: it has none.
  bool row_of(const Mark& mark, float& y0, float& y1) const {
    if (!mark.slice.valid() || !find_slice_y(input_, context_.vertical, mark.slice, y0, y1)) return false;
    y0 = context_.scrolled(y0);
    y1 = context_.scrolled(y1);
    return true;
  }

  /// The first mark that ends after x.
  template <class Marks>
  static auto after(const Marks& marks, Nanos t) {
    return std::ranges::upper_bound(marks, t, {}, [](const Mark& m) { return m.span.end; });
  }

  void bars(LaneId lane) {
    const std::span<const Mark> marks = path_.on_lane(lane);
    auto mark = after(marks, context_.view.begin);
    if (mark == marks.end()) return;
    const bool is_shared = input_.data.shown != nullptr && input_.data.shown->changes(context_.trace.lane(lane).track);
    float y0 = 0;
    float y1 = 0;
    if (!is_shared && (!row_of(*mark, y0, y1) || !context_.is_in_view(y0, y1))) return;
    const std::size_t first = out_.path_bars.size();
    while (mark != marks.end() && mark->span.begin < context_.view.end) {
      const auto x0 = static_cast<float>(context_.clip(context_.x_of(mark->span.begin)));
      const auto x1 = std::max(x0 + 1, static_cast<float>(context_.clip(context_.x_of(mark->span.end))));
      if (is_shared && !row_of(*mark, y0, y1)) {
        ++mark;
        continue;
      }
      const bool has_last = out_.path_bars.size() > first;
      if (has_last && x0 <= out_.path_bars.back().x1 + 0.5f && out_.path_bars.back().y0 == y0 &&
          out_.path_bars.back().is_wait == mark->is_wait) {
        out_.path_bars.back().x1 = std::max(x1, out_.path_bars.back().x1);
      } else {
        const float from = has_last && out_.path_bars.back().y0 == y0 ? std::max(x0, out_.path_bars.back().x1) : x0;
        if (from < x1) out_.path_bars.push_back({from, y0, x1, y1, mark->is_wait});
      }
      // What ends in the same pixel is in the bar already.
      mark = std::max(mark + 1, after(marks, input_.view.time_at(static_cast<double>(x1) - 0.5)));
    }
  }

  void links() {
    const auto& marks = path_.in_order();
    auto mark = after(marks, saturating_sub(context_.view.begin, 1));
    while (mark != marks.end() && mark + 1 != marks.end() && mark->span.end <= context_.view.end) {
      const Mark& next = *(mark + 1);
      const double x = context_.x_of(mark->span.end);
      const bool is_wide = std::max(context_.px_of(mark->span.duration()), context_.px_of(next.span.duration())) >=
                           kLeastLinkedPx * double{input_.view.metrics.scale};
      float from0 = 0, from1 = 0, to0 = 0, to1 = 0;
      if (is_wide && row_of(*mark, from0, from1) && row_of(next, to0, to1) && from0 != to0 &&
          std::max(from0, to0) >= 0 && std::min(from0, to0) <= input_.view.height_px)
        out_.path_links.push_back({static_cast<float>(x), std::min(from0, to0), std::max(from0, to0)});
      // A pixel further at least.
      mark = std::max(mark + 1, after(marks, input_.view.time_at(std::floor(x) + 1)));
    }
  }

  const LayoutContext& context_;
  const TimelineInput& input_;
  const PathMarks& path_;
  TimelineDrawList& out_;
};

}  // namespace

void layout_path(const LayoutContext& context, TimelineDrawList& out) {
  if (context.input.emphasis.path != nullptr) PathLayout(context, *context.input.emphasis.path, out).run();
}

}  // namespace lacuna

#include "render/slice_layout.h"

#include <cmath>

#include "model/search/slice_search.h"
#include "render/run_placer.h"

namespace lacuna {
namespace {

/// Lays out one row. Kept as an object so that the loop body stays readable.
class RowLayout {
 public:
  RowLayout(const LayoutContext& context, const TrackPlace& place, LaneId lane, float y0, float y1,
            TimelineDrawList& out)
      : context_(context),
        input_(context.input),
        lane_(context.trace.lane(lane)),
        lane_id_(lane),
        y0_(y0),
        y1_(y1),
        out_(out),
        placer_(context.left, context.right, context.min_px),
        // Rows too low for text have no labels; nor has an overview.
        label_min_px_(place.row_px >= kLeastLabelHeight * input_.metrics.scale
                          ? input_.metrics.label_min_px * input_.metrics.scale
                          : INFINITY),
        selected_(input_.selected.lane == lane ? input_.selected.index : Lane::kNoParent),
        matches_(input_.matches != nullptr && lane.value < input_.matches->by_lane.size()
                     ? &input_.matches->by_lane[lane.value]
                     : nullptr) {}

  void run() {
    const auto add_run = [this](const FoldedRun& run) { add(run); };
    if (input_.folds != nullptr && lane_id_.value < input_.folds->size()) {
      (*input_.folds)[lane_id_.value].for_each_run(lane_, context_.view, context_.fold_ns, add_run);
    } else {
      for_each_folded_run(lane_, context_.view, context_.fold_ns, add_run);
    }
  }

 private:
  static constexpr float kLeastLabelHeight = 10;

  void add(const FoldedRun& run) {
    const RunPlacer::Place place =
        placer_.place(context_.x_of(run.start), context_.x_of(run.end));
    if (place.kind == RunPlacer::Place::Kind::kOutside) return;
    if (place.kind == RunPlacer::Place::Kind::kMerge) {
      DrawSlice& slice = out_.slices.back();
      slice.folded = run.last - slice.first;
      if (lane_.duration(run.longest) > lane_.duration(slice.slice.index)) show(slice, run);
      busy_ = busy_ < 0 || run.busy < 0 ? -1 : saturating_add(busy_, run.busy);
      finish(slice, place.x1);
      return;
    }
    DrawSlice& slice = out_.slices.emplace_back();
    slice.x0 = static_cast<float>(place.x0);
    slice.y0 = y0_;
    slice.y1 = y1_;
    slice.first = run.first;
    slice.folded = run.last - run.first;
    show(slice, run);
    busy_ = run.busy;
    finish(slice, place.x1);
  }

  /// Everything that depends on which slice stands for the rectangle.
  void show(DrawSlice& slice, const FoldedRun& run) const {
    const CategoryClass category = context_.trace.category_class(run.category);
    const std::uint8_t hue = input_.hues != nullptr
                                 ? (*input_.hues)[run.name]
                                 : Palette::hue_of(context_.trace.text(run.name));
    const Palette::Colour& colour = input_.palette->colour(hue, category);
    slice.fill = colour.fill;
    slice.text = colour.text;
    slice.slice = {lane_id_, run.longest};
    slice.is_gpu = is_gpu_activity(category) || category == CategoryClass::kGpuAnnotation;
    slice.is_unfinished = (run.flags & kSliceUnfinished) != 0;
    if (input_.highlighted_name.valid()) {
      slice.is_highlighted = run.name == input_.highlighted_name;
      slice.is_dimmed = !slice.is_highlighted;
    }
  }

  /// Everything that depends on the rectangle's size and number of slices.
  void finish(DrawSlice& slice, double x1) {
    slice.x1 = static_cast<float>(x1);
    if (matches_ != nullptr) {
      slice.is_highlighted = has_match(slice);
      slice.is_dimmed = !slice.is_highlighted;
    }
    slice.is_selected = selected_ - slice.first < slice.folded;  // also false for kNoParent
    slice.label_x0 = std::max(slice.x0, 0.0f);
    slice.label_x1 = std::min(slice.x1, input_.width_px);
    slice.has_label = slice.folded == 1 && slice.label_x1 - slice.label_x0 >= label_min_px_;
    slice.coverage = coverage(slice);
  }

  /// Whether the search found one of the slices in the rectangle. Rectangles come in ascending order.
  bool has_match(const DrawSlice& slice) {
    const auto from = matches_->begin() + static_cast<std::ptrdiff_t>(match_at_);
    match_at_ = static_cast<std::size_t>(std::lower_bound(from, matches_->end(), slice.first) -
                                         matches_->begin());
    return match_at_ < matches_->size() && (*matches_)[match_at_] < slice.first + slice.folded;
  }

  /// Busy time as a part of the rectangle's. Beyond the view's edges that is not exact.
  float coverage(const DrawSlice& slice) const {
    if (busy_ < 0) return 1;
    const float busy_px = static_cast<float>(context_.px_of(busy_));
    const float width_px = slice.x1 - slice.x0;
    return busy_px < width_px ? busy_px / width_px : 1;
  }

  const LayoutContext& context_;
  const TimelineInput& input_;
  const Lane& lane_;
  LaneId lane_id_;
  float y0_, y1_;
  TimelineDrawList& out_;
  RunPlacer placer_;
  float label_min_px_;
  std::uint32_t selected_;
  const std::vector<std::uint32_t>* matches_;  // of this row; null without a search
  std::size_t match_at_ = 0;
  Nanos busy_ = -1;  // of the last rectangle; < 0 = not known
};

}  // namespace

void layout_slices(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  if (place.rows == 0) return;
  const TimelineInput& input = context.input;
  const Track& track = context.trace.track(place.track);
  // Rows from the first that ends below the view's top.
  const float above = std::floor((input.scroll_y - place.lanes_y0) / place.row_px);
  const auto first_row = static_cast<std::uint32_t>(std::max(0.0f, above));
  const float gap = place.row_px >= 3 ? input.metrics.px(1) : 0.0f;
  for (std::uint32_t row = first_row; row < place.rows; ++row) {
    const float y0 = context.scrolled(place.lanes_y0 + static_cast<float>(row) * place.row_px);
    const float y1 = y0 + place.row_px - gap;
    if (y0 >= input.height_px) break;
    if (!context.is_in_view(y0, y1)) continue;
    const LaneId lane{track.first_lane.value + row};
    DrawRow drawn{y0, y1, track.id, lane, static_cast<std::uint32_t>(out.slices.size()), 0};
    RowLayout(context, place, lane, y0, y1, out).run();
    drawn.last = static_cast<std::uint32_t>(out.slices.size());
    out.rows.push_back(drawn);
  }
}

}  // namespace lacuna

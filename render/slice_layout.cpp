#include "render/slice_layout.h"

#include <cmath>

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
        selected_(input_.selected.lane == lane ? input_.selected.index : Lane::kNoParent) {}

  void run() {
    for_each_run(lane_, context_.view, context_.fold_ns, 0, [this](const LaneRun& r) { add(r); });
  }

 private:
  static constexpr float kLeastLabelHeight = 10;

  void add(const LaneRun& run) {
    const double x0 = context_.x_of(lane_.start(run.first));
    const double x1 = context_.x_of(lane_.end(run.last - 1));
    const RunPlacer::Place place = placer_.place(x0, x1);
    if (place.kind == RunPlacer::Place::Kind::kOutside) return;
    if (place.kind == RunPlacer::Place::Kind::kMerge) {
      DrawSlice& slice = out_.slices.back();
      slice.x1 = static_cast<float>(place.x1);
      slice.folded = run.last - slice.first;
      if (lane_.duration(run.longest) > lane_.duration(slice.slice.index)) show(slice, run.longest);
      finish(slice);
      return;
    }
    DrawSlice& slice = out_.slices.emplace_back();
    slice.x0 = static_cast<float>(place.x0);
    slice.x1 = static_cast<float>(place.x1);
    slice.y0 = y0_;
    slice.y1 = y1_;
    slice.first = run.first;
    slice.folded = run.last - run.first;
    show(slice, run.longest);
    finish(slice);
  }

  /// Everything that depends on which slice stands for the rectangle.
  void show(DrawSlice& slice, std::uint32_t index) const {
    const StringId name = lane_.name(index);
    const CategoryClass category = context_.trace.category_class(lane_.category(index));
    const std::uint8_t hue = input_.hues != nullptr
                                 ? (*input_.hues)[name]
                                 : Palette::hue_of(context_.trace.text(name));
    const Palette::Colour& colour = input_.palette->colour(hue, category);
    slice.fill = colour.fill;
    slice.text = colour.text;
    slice.slice = {lane_id_, index};
    slice.is_gpu = is_gpu_activity(category) || category == CategoryClass::kGpuAnnotation;
    slice.is_unfinished = (lane_.flags(index) & kSliceUnfinished) != 0;
    if (input_.highlighted_name.valid()) {
      slice.is_highlighted = name == input_.highlighted_name;
      slice.is_dimmed = !slice.is_highlighted;
    }
  }

  /// Everything that depends on the rectangle's size and number of slices.
  void finish(DrawSlice& slice) const {
    slice.is_selected = selected_ - slice.first < slice.folded;  // also false for kNoParent
    slice.label_x0 = std::max(slice.x0, 0.0f);
    slice.label_x1 = std::min(slice.x1, input_.width_px);
    slice.has_label = slice.folded == 1 && slice.label_x1 - slice.label_x0 >= label_min_px_;
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
};

/// Tells of the folded rectangles of a GPU stream's row how much of their time it was busy.
void set_coverage(const StreamBusyIndex& busy, const Lane& lane, DrawSlice* first, DrawSlice* last) {
  for (DrawSlice* slice = first; slice != last; ++slice) {
    if (slice->folded == 1) continue;
    const TimeSpan span{lane.start(slice->first), lane.end(slice->first + slice->folded - 1)};
    const double share = busy.busy_share(span);
    if (share >= 0) slice->coverage = static_cast<float>(share);
  }
}

}  // namespace

void layout_slices(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  if (place.rows == 0) return;
  const TimelineInput& input = context.input;
  const Track& track = context.trace.track(place.track);
  const StreamBusyIndex* busy = context.busy_of(track);
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
    if (busy != nullptr && row == 0)
      set_coverage(*busy, context.trace.lane(lane), out.slices.data() + drawn.first,
                   out.slices.data() + drawn.last);
    out.rows.push_back(drawn);
  }
}

}  // namespace lacuna

#include "render/slice_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/cache/trace_thinner.h"
#include "model/path/path_marks.h"
#include "model/search/slice_search.h"
#include "model/shown/shown_matches.h"
#include "model/shown/shown_rows.h"
#include "render/run_placer.h"

namespace lacuna {
namespace {

/// How slices of each category look, so that no rectangle asks for it again. Made once a track: there
/// are some dozens of categories.
class Looks {
 public:
  struct Look {
    const Palette::Colour* colours;  // by hue
    bool is_gpu;
    bool is_thread_state;
    CategoryClass category;
  };

  explicit Looks(const LayoutContext& context) : context_(context) {
    count_ = std::min<std::size_t>(context.trace.categories().size(), looks_.size());
    for (std::uint32_t i = 0; i < count_; ++i) looks_[i] = make(CategoryId{i});
  }
  Look operator[](CategoryId category) const {
    return category.value < count_ ? looks_[category.value] : make(category);
  }

 private:
  Look make(CategoryId id) const {
    const CategoryClass category = context_.trace.category_class(id);
    return {context_.input.palette->colours(category),
            is_gpu_activity(category) || category == CategoryClass::kGpuAnnotation,
            category == CategoryClass::kThreadState, category};
  }
  const LayoutContext& context_;
  std::size_t count_ = 0;
  std::array<Look, 64> looks_;  // the first count_ are made
};

/// Lays out one row. Kept as an object so that the loop body stays readable.
class RowLayout {
 public:
  /// `shown`: the `row`-th row of the track is one of these; null: a lane of the trace.
  RowLayout(const LayoutContext& context, const Looks& looks, const TrackPlace& place, const ShownRows* shown,
            std::uint32_t row, float y0, float y1, TimelineDrawList& out)
      : context_(context),
        input_(context.input),
        looks_(looks),
        lane_id_{context.trace.track(place.track).first_lane.value + row},
        lane_(shown != nullptr ? shown->row(place.track, row) : context.trace.lane(lane_id_)),
        shown_folds_(shown != nullptr ? &shown->folds(place.track, row) : nullptr),
        y0_(y0),
        y1_(y1),
        out_(out),
        placer_(context.left, context.right, context.min_px),
        // Rows too low for text have no labels; nor has an overview.
        label_min_px_(place.row_px >= kLeastLabelHeight * input_.view.metrics.scale
                          ? input_.view.metrics.label_min_px * input_.view.metrics.scale
                          : INFINITY),
        selected_(selected_index(shown, row)),
        matches_(matches_in(shown, place.track, row)),
        path_(matches_ == nullptr && !input_.emphasis.highlighted_name.valid() ? input_.emphasis.path : nullptr) {}

  void run() {
    static const FoldIndex kNotFolded;
    first_ = out_.slices.size();
    const bool is_folded = input_.data.folds != nullptr && lane_id_.value < input_.data.folds->size();
    const FoldIndex& folds = shown_folds_ != nullptr ? *shown_folds_
                             : is_folded             ? (*input_.data.folds)[lane_id_.value]
                                                     : kNotFolded;
    // Inline: this is what a frame spends its time on.
    folds.for_each_run(
        lane_, context_.view,
        context_.fold_ns, [this](const FoldedRun& run) __attribute__((always_inline)) { add(run); });
    if (shown_folds_ != nullptr) translate();
  }

 private:
  static constexpr float kLeastLabelHeight = 10;

  /// Where the selected slice lies in the row, if it does.
  std::uint32_t selected_index(const ShownRows* shown, std::uint32_t row) const {
    const SliceId selected = input_.emphasis.selected;
    if (shown == nullptr) return selected.lane == lane_id_ ? selected.index : Lane::kNoParent;
    return selected.valid() && shown->row_of(selected) == row && context_.trace.lane(selected).track == lane_.track
               ? shown->index_in(context_.trace, lane_, selected)
               : Lane::kNoParent;
  }

  /// What the search found in the row; null: without a search, and while it is not known.
  const std::vector<std::uint32_t>* matches_in(const ShownRows* shown, TrackId track, std::uint32_t row) const {
    if (shown != nullptr)
      return input_.emphasis.shown_matches != nullptr ? &input_.emphasis.shown_matches->row(track, row) : nullptr;
    return input_.emphasis.matches != nullptr && lane_id_.value < input_.emphasis.matches->by_lane.size()
               ? &input_.emphasis.matches->by_lane[lane_id_.value]
               : nullptr;
  }

  __attribute__((always_inline)) void add(const FoldedRun& run) {
    const RunPlacer::Place place = placer_.place(context_.x_of(run.start), context_.x_of(run.end));
    if (place.kind == RunPlacer::Place::Kind::kNew) [[likely]] {
      DrawSlice& slice = out_.slices.emplace_back();
      slice.x0 = static_cast<float>(place.x0);
      slice.y0 = y0_;
      slice.y1 = y1_;
      slice.first = run.first;
      slice.folded = run.last - run.first;
      slice.slice = {lane_id_, run.longest};
      slice.is_unfinished = (run.flags & kSliceUnfinished) != 0;
      show(slice, run);
      begin_ = run.start;
      busy_ = run.busy;
      finish(slice, run, place.x1);
    } else if (place.kind == RunPlacer::Place::Kind::kMerge) {
      merge(run, place.x1);
    }
  }

  /// Less than a rectangle of its own is left for the run: it shares the last one.
  void merge(const FoldedRun& run, double x1) {
    DrawSlice& slice = out_.slices.back();
    slice.folded = run.last - slice.first;
    // The durations are looked up only where they can matter: that is far away in memory.
    const Nanos longest = lane_.duration(slice.slice.index);
    if (run.end - run.start > longest && lane_.duration(run.longest) > longest) {
      slice.slice.index = run.longest;
      slice.is_unfinished = (run.flags & kSliceUnfinished) != 0;
    }
    const Nanos before = weight_;
    if (run.name == slice.name) {
      weight_ = saturating_add(weight_, weight_of(run));
    } else if (weight_of(run) > before) {
      show(slice, run);
    }
    busy_ = busy_ < 0 || run.busy < 0 ? -1 : saturating_add(busy_, run.busy);
    finish(slice, run, x1);
  }

  static Nanos weight_of(const FoldedRun& run) { return run.busy < 0 ? run.end - run.start : run.busy; }

  KernelClass class_of(const Looks::Look& look, StringId name) const {
    if (look.category != CategoryClass::kKernel) return KernelClass::kCopy;
    return input_.data.classes->of(context_.trace.strings(), name);
  }

  /// Everything that depends on which name stands for the rectangle.
  void show(DrawSlice& slice, const FoldedRun& run) {
    const Looks::Look look = looks_[run.category];
    const std::uint8_t hue =
        input_.data.hues != nullptr ? (*input_.data.hues)[run.name] : Palette::hue_of(context_.trace.text(run.name));
    const bool by_class =
        input_.palette->is_by_class() && input_.data.classes != nullptr && is_gpu_activity(look.category);
    const Palette::Colour& colour = by_class               ? input_.palette->of_class(class_of(look, run.name))
                                    : look.is_thread_state ? input_.palette->thread_state(context_.trace.text(run.name))
                                                           : look.colours[hue % kHues];
    slice.fill = colour.fill;
    slice.text = colour.text;
    slice.name = run.name;
    slice.is_gpu = look.is_gpu;
    slice.is_annotation = look.category == CategoryClass::kGpuAnnotation;
    if (input_.emphasis.highlighted_name.valid()) {
      slice.is_highlighted = run.name == input_.emphasis.highlighted_name;
      slice.is_dimmed = !slice.is_highlighted;
    }
    weight_ = weight_of(run);
  }

  /// Everything that depends on the rectangle's size and number of slices.
  void finish(DrawSlice& slice, const FoldedRun& run, double x1) {
    slice.x1 = static_cast<float>(x1);
    if (path_ != nullptr && shown_folds_ == nullptr)
      slice.is_dimmed = !path_->runs_through(lane_id_, {begin_, run.end});
    if (matches_ != nullptr) {
      slice.is_highlighted = has_match(slice);
      slice.is_dimmed = !slice.is_highlighted;
    }
    slice.is_selected = selected_ - slice.first < slice.folded;  // also false for kNoParent
    slice.label_x0 = std::max(slice.x0, 0.0f);
    slice.label_x1 = std::min(slice.x1, input_.view.width_px);
    slice.has_label =
        slice.folded == 1 && (run.flags & kSliceFolded) == 0 && slice.label_x1 - slice.label_x0 >= label_min_px_;
    slice.coverage = coverage(slice);
  }

  /// Whether the search found one of the slices in the rectangle. Rectangles come in ascending order.
  bool has_match(const DrawSlice& slice) {
    const auto from = matches_->begin() + static_cast<std::ptrdiff_t>(match_at_);
    match_at_ = static_cast<std::size_t>(std::lower_bound(from, matches_->end(), slice.first) - matches_->begin());
    return match_at_ < matches_->size() && (*matches_)[match_at_] < slice.first + slice.folded;
  }

  /// From indices in a row of ShownRows to the slices of the trace.
  void translate() {
    for (std::size_t s = first_; s < out_.slices.size(); ++s) {
      DrawSlice& slice = out_.slices[s];
      slice.slice = ShownRows::slice(lane_, slice.slice.index);
      if (path_ != nullptr) slice.is_dimmed = !path_->runs_through(slice.slice.lane, context_.trace.span(slice.slice));
    }
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
  const Looks& looks_;
  LaneId lane_id_;
  const Lane& lane_;
  const FoldIndex* shown_folds_;  // not null: lane_ is a row of ShownRows
  float y0_, y1_;
  TimelineDrawList& out_;
  RunPlacer placer_;
  float label_min_px_;
  std::uint32_t selected_;
  const std::vector<std::uint32_t>* matches_;  // see matches_in
  const PathMarks* path_;                      // what is not on it is dimmed; null: nothing is for that
  std::size_t match_at_ = 0;
  std::size_t first_ = 0;  // rectangle of this row
  Nanos begin_ = 0;        // of the last rectangle
  Nanos busy_ = -1;        // of the last rectangle; < 0 = not known
  Nanos weight_ = 0;       // of the run that gave the last rectangle its colour
};

/// The first row stands for `count` rows of the trace.
void mark_outer(const LayoutContext& context, const Track& track, std::uint32_t count, const DrawRow& row,
                TimelineDrawList& out) {
  const LaneId selected = context.input.emphasis.selected.lane;
  const bool holds_selected = context.input.emphasis.selected.valid() && selected.value >= track.first_lane.value &&
                              selected.value < track.first_lane.value + count;
  for (std::uint32_t s = row.first; s < row.last; ++s) {
    out.slices[s].outer = count;
    out.slices[s].is_selected = holds_selected;
  }
}

}  // namespace

void layout_slices(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  if (place.rows == 0) return;
  const TimelineInput& input = context.input;
  const Looks looks(context);
  const Track& track = context.trace.track(place.track);
  const ShownRows* shown =
      input.data.shown != nullptr && input.data.shown->changes(track.id) ? input.data.shown : nullptr;
  // Rows from the first that ends below the view's top.
  const float above = std::floor((input.view.scroll_y - place.lanes_y0) / place.row_px);
  const auto first_row = static_cast<std::uint32_t>(std::max(0.0f, above));
  const float gap = place.row_px >= 3 ? input.view.metrics.px(1) : 0.0f;
  const std::uint32_t in_first = shown != nullptr ? 1 : input.data.rows_in_first(track);
  for (std::uint32_t row = first_row; row < place.rows; ++row) {
    const float y0 = context.scrolled(place.lanes_y0 + static_cast<float>(row) * place.row_px);
    const float y1 = y0 + place.row_px - gap;
    if (y0 >= input.view.height_px) break;
    if (!context.is_in_view(y0, y1)) continue;
    const LaneId lane = shown != nullptr ? LaneId{} : LaneId{track.first_lane.value + row + in_first - 1};
    DrawRow drawn{y0, y1, track.id, lane, static_cast<std::uint32_t>(out.slices.size()), 0};
    RowLayout(context, looks, place, shown, row + in_first - 1, y0, y1, out).run();
    drawn.last = static_cast<std::uint32_t>(out.slices.size());
    if (row == 0 && in_first > 1) mark_outer(context, track, in_first, drawn, out);
    out.rows.push_back(drawn);
  }
}

}  // namespace lacuna

#include "app/gui/workspace/workspace.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/gui/core/same_tracks.h"
#include "app/gui/models/area/remote_analysis.h"

namespace lacuna {
namespace {

/// Whether two cameras show the same, but for rounding and half a pixel.
bool is_same_view(const Camera& a, const Camera& b, double width_px) {
  return std::fabs(a.x_of(b.begin())) < 1 && std::fabs(a.ns_per_px() / b.ns_per_px() - 1) * width_px < 1;
}

/// What to zoom to for a slice or gap: an instant gets the microsecond around it.
TimeSpan focus_span(TimeSpan span) {
  return span.empty() ? TimeSpan{saturating_sub(span.begin, 500), saturating_add(span.begin, 500)} : span;
}

}  // namespace

Workspace::Workspace(BackgroundJobs& jobs)
    : jobs_(jobs),
      gaps_(jobs_),
      fold_job_(jobs_),
      shown_job_(jobs_),
      match_job_(jobs_),
      search_(jobs_),
      range_job_(jobs_),
      whole_job_(jobs_),
      overview_job_(jobs_),
      occurrences_job_(jobs_),
      slice_work_(jobs_),
      slice_notes_(jobs_),
      row_work_(jobs_),
      torch_(jobs_),
      causes_(jobs_) {
  table_.only_work = true;
}

void Workspace::open(DocumentPtr document) {
  wanted_slice_.reset();
  wanted_gap_.reset();
  forget_step();
  range_job_.cancel();
  forget_whole();
  document_ = std::move(document);
  selection_ = Selection{};
  slice_work_.clear();
  slice_notes_.clear();
  choose_no_link();
  history_.clear();
  area_.reset();
  stop_finding();
  occurrences_.clear();
  highlighted_row_.clear();
  analysis_.reset();
  ++statistics_version_;
  counted_tracks_.clear();
  steps_ = document_ ? document_->steps : std::vector<Step>{};
  steps_from_ = document_ ? document_->trace.steps_from() : std::string();
  torch_.reset();
  causes_.open(document_);
  min_gap_ = document_ ? default_min_gap(*document_) : 0;
  shown_job_.cancel();
  match_job_.cancel();
  hidden_ = {};
  hidden_before_.clear();
  view_.show(document_);
  view_.show_causes(causes_.analysis());
  search_.open(document_);
  markers_.clear();
  time_unit_ = TimeUnit::kStart;
  fold_job_.cancel();
  folds_time_ = false;
  set_min_gap(min_gap_);
  overview_job_.cancel();
  overview_.reset();
  view_.show_busy(nullptr);
  start_overview();
  show_steps();
  clear_route();
  update_table();
  update_gaps();
}

void Workspace::refresh(DocumentPtr document) {
  if (!document_ || !document) return open(std::move(document));
  const DocumentPtr old = std::exchange(document_, std::move(document));
  const SameTracks same(old->trace, trace());
  clear_route();
  history_.forget_selections();
  view_.show_causes(nullptr);
  view_.show_busy(nullptr);  // ids of processes are those of the old trace
  view_.fold_time(nullptr);
  view_.refresh(document_, same);
  apply_hidden();
  search_.open(document_);
  mark_matches();
  if (!set_time_unit(time_unit_)) time_unit_ = TimeUnit::kStart;
  start_overview();
  causes_.open(document_);
  view_.show_causes(causes_.analysis());
  torch_.reset();
  if (folds_time_) set_fold_time(true);
  steps_ = document_->steps;
  steps_from_ = trace().steps_from();
  show_steps();
  std::erase_if(counted_tracks_, [&](TrackId id) { return !same.track(id).valid(); });
  for (TrackId& track : counted_tracks_) track = same.track(track);
  // A row of torch's table stands for several names; it is highlighted by another click.
  const bool was_highlighted = occurrences_.name().valid();
  const std::string name(was_highlighted ? old->trace.text(occurrences_.name()) : "");
  const std::string category(old->trace.category_name(occurrences_.category()));
  stop_finding();
  occurrences_.clear();
  highlighted_row_.clear();
  const std::optional<AskedSlice> wanted_slice = wanted_slice_;
  std::optional<AskedGap> wanted_gap = wanted_gap_;
  if (selection_.gap.valid()) {
    const StreamActivity& stream = old->streams[selection_.gap.stream];
    const Gap& gap = get(*old, selection_.gap);
    wanted_gap = AskedGap{same.track(stream.track), {gap.start, gap.end}};
  }
  select(same.slice(selection_.slice));
  wanted_slice_ = wanted_slice;
  wanted_gap_ = wanted_gap;
  find_wanted();
  if (was_highlighted) {
    const auto categories = trace().categories();
    for (std::uint32_t c = 0; c < categories.size(); ++c)
      if (trace().text(categories[c].name) == category) highlight(trace().strings().find(name), CategoryId{c});
  }
  // Numbers of names are those of the old trace.
  range_job_.cancel();
  forget_whole();
  analysis_.reset();
  analyze();
  ++statistics_version_;
  if (min_gap_ == default_min_gap(*old)) min_gap_ = default_min_gap(*document_);
  update_table();
  update_gaps();
  take_step();
}

void Workspace::start_overview() {
  if (document_) overview_job_.start([document = document_] { return make_overview(*document); });
}

void Workspace::show_steps() {
  step_spans_.clear();
  for (const Step& step : steps_) step_spans_.push_back({step.number, step.span});
  std::ranges::sort(step_spans_, {}, [](const StepSpan& s) { return s.span.begin; });
  view_.show_steps(step_spans_.empty() ? nullptr : &step_spans_);
}

bool Workspace::update() {
  if (folds_time_ && folded_for_ != view_.arrangement().version()) set_fold_time(true);  // other tracks are shown
  bool changed = causes_.update();
  if (changed) view_.show_causes(causes_.analysis());
  if (gaps_.take()) changed = true;
  if (torch_.update()) changed = true;
  if (slice_work_.update()) changed = true;
  if (slice_notes_.update()) changed = true;
  if (row_work_.update()) changed = true;
  if (search_.update()) {
    changed = true;
    mark_matches();
    search_.point_at(selection_.slice);
    go_to(search_.take_late_step());
  }
  if (auto result = fold_job_.take(); result && folds_time_) {
    if (result->empty()) why_not_folded_ = why_nothing_folds(*document_, view_.input().arrangement.tracks);
    view_.fold_time(std::move(result));
    history_.clear();  // its cameras looked at another time
    changed = true;
  }
  if (auto result = shown_job_.take()) {
    view_.show_rows(std::move(result));
    mark_matches();
    changed = true;
  }
  if (auto result = match_job_.take()) {
    view_.mark_matches(std::move(result));
    changed = true;
  }
  if (auto result = overview_job_.take()) {
    overview_ = std::move(result);
    view_.show_busy(&overview_->processes);
    changed = true;
  }
  if (auto result = whole_job_.take(); result && result->part >= 1) {
    whole_ = std::move(result);
    if (!analysis_) ++statistics_version_;
    changed = true;
  }
  if (auto found = occurrences_job_.take()) {
    occurrences_ = *found;
    occurrences_.point_at(trace(), selection_.slice);
    row_work_.ask(document_, occurrences_.all(), area_.value_or(TimeSpan::everything()));
    if (const int step = std::exchange(pending_step_, 0); step != 0) step_occurrence(step, pending_zoom_);
    changed = true;
  }
  if (auto result = range_job_.take()) {
    analysis_ = std::move(result);
    ++statistics_version_;
    changed = true;
  }
  return changed;
}

void Workspace::settle() {
  update_gaps();
  jobs_.settle([this] {
    const bool changed = update();
    update_gaps();  // by causes that came, maybe
    return changed;
  });
  update_table();
}

void Workspace::mark_selection() {
  view_.mark_selection(selection_.slice, selection_.gap.stream, selection_.gap.gap);
  view_.mark_instant(selection_.instant.track, selection_.instant.index);
}

void Workspace::select(SliceId slice) {
  if (slice != selection_.slice) choose_no_link();
  selection_ = {slice, {}, {}};
  wanted_slice_.reset();
  wanted_gap_.reset();
  slice_work_.ask(document_, slice.valid() ? std::vector<SliceId>{slice} : std::vector<SliceId>{},
                  TimeSpan::everything());
  slice_notes_.ask(document_, slice);
  if (document_ && !occurrences_.empty()) occurrences_.point_at(trace(), slice);
  search_.point_at(slice);
  mark_selection();
}

void Workspace::select(GapRef gap) {
  choose_no_link();
  selection_ = {{}, gap, {}};
  wanted_slice_.reset();
  wanted_gap_.reset();
  mark_selection();
}

void Workspace::select(InstantRef instant) {
  choose_no_link();
  selection_ = {{}, {}, {}, instant};
  wanted_slice_.reset();
  wanted_gap_.reset();
  slice_work_.ask(document_, {}, TimeSpan::everything());
  mark_selection();
}

void Workspace::clear_selection() {
  wanted_slice_.reset();
  wanted_gap_.reset();
  forget_step();
  choose_no_link();
  selection_ = Selection{};
  mark_selection();
  clear_highlight();
  search_for({});
  clear_route();
  count_all_tracks();
  set_area(std::nullopt);
}

std::optional<TimeSpan> Workspace::selected_span() const {
  if (!document_) return std::nullopt;
  if (selection_.slice.valid()) return trace().span(selection_.slice);
  if (const Gap* gap = selected_gap()) return TimeSpan{gap->start, gap->end};
  if (selection_.instant.valid()) {
    const Nanos at = trace().track(selection_.instant.track).instants[selection_.instant.index].time;
    return TimeSpan{at, at};
  }
  return area_;
}

const Gap* Workspace::selected_gap() const {
  if (!document_ || !selection_.gap.valid()) return nullptr;
  if (selection_.on_device.valid())
    if (const Gap* gap = causes_.gap(selection_.on_device)) return gap;
  return &get(*document_, selection_.gap);
}

void Workspace::go_to(SliceId slice) {
  if (!document_ || !slice.valid()) return;
  select(slice);
  view_.bring_into_view(trace().span(slice));
  view_.reveal(slice);
}

void Workspace::go_to(GapRef gap) {
  if (!document_ || !gap.valid()) return;
  select(gap);
  const Gap& found = get(*document_, gap);
  view_.bring_into_view({found.start, found.end});
  view_.reveal(found.after.valid() ? found.after : found.before);
}

void Workspace::go_to(const BlamedPlace& place) {
  if (!document_) return;
  if (!place.gap.valid()) {
    go_to(place.after);
    return;
  }
  select(place.gap);
  selection_.on_device = place.on_device;
  view_.bring_into_view(place.span);
  view_.reveal(place.after);
}

void Workspace::focus() {
  if (!document_) return;
  const std::optional<TimeSpan> span = selected_span();
  if (!span) return fit();
  const TimeSpan target = focus_span(*span);
  if (is_same_view(view_.destination(), view_.camera_for(target), view_.width_px())) {
    view_.go_to(trace().span(), 0.01);
    return;
  }
  view_.go_to(target);
  if (selection_.slice.valid()) view_.reveal(selection_.slice);
  if (selection_.gap.valid()) view_.reveal(document_->streams[selection_.gap.stream].track);
}

void Workspace::fit() {
  if (!document_) return;
  constexpr double kMargin = 0.01;
  const bool at_home = is_same_view(view_.destination(), view_.camera_for(document_->home, kMargin), view_.width_px());
  view_.go_to(at_home ? trace().span() : document_->home, kMargin);
}

void Workspace::zoom(double factor) {
  if (document_) view_.zoom_at(view_.width_px() / 2.0, factor);
}

Nanos Workspace::reference_time(int direction) const {
  if (const std::optional<TimeSpan> span = selected_span()) return span->begin;
  const TimeSpan visible = view_.visible();
  return direction > 0 ? visible.begin : visible.end;
}

bool Workspace::step_gap(int direction) {
  if (!document_) return false;
  if (!route_.empty()) {
    const BlamedPlace* place = route_.step(selection_.gap, reference_time(direction), direction);
    if (place == nullptr) return false;
    go_to(BlamedPlace(*place));
    return true;
  }
  if (document_->is_thinned) return ask_step(direction);
  update_gaps();
  const GapRef next = gaps_.step(*document_, selection_.gap, reference_time(direction), direction);
  go_to(next);
  return next.valid();
}

bool Workspace::go_to_longest_gap() {
  if (!document_) return false;
  if (document_->is_thinned) return ask_step(0);
  update_gaps();
  const GapRef longest = gaps_.longest(*document_);
  go_to(longest);
  return longest.valid();
}

bool Workspace::step_on_track(int direction) {
  if (!document_) return false;
  if (const InstantRef at = selection_.instant; at.valid()) {
    const std::size_t count = trace().track(at.track).instants.size();
    if (direction > 0 ? at.index + 1 >= count : at.index == 0) return false;
    select(InstantRef{at.track, direction > 0 ? at.index + 1 : at.index - 1});
    view_.bring_into_view(*selected_span());
    return true;
  }
  SliceId next;
  if (const Gap* gap = selected_gap()) {
    // From a gap to the activities at its ends.
    next = direction > 0 ? gap->after : gap->before;
  } else if (selection_.slice.valid()) {
    const SliceId from = selection_.slice;
    if (const ShownRows* shown = rows_of(from)) {
      next = direction > 0 ? shown->next_on_track(trace(), from) : shown->previous_on_track(trace(), from);
    } else {
      next = direction > 0 ? trace().next_on_track(from) : trace().previous_on_track(from);
    }
  }
  go_to(next);
  return next.valid();
}

bool Workspace::step_to_parent() {
  if (!document_ || !selection_.slice.valid()) return false;
  const ShownRows* shown = rows_of(selection_.slice);
  const SliceId parent = shown != nullptr ? shown->parent(trace(), selection_.slice) : trace().parent(selection_.slice);
  go_to(parent);
  return parent.valid();
}

bool Workspace::step_to_child() {
  if (!document_ || !selection_.slice.valid()) return false;
  SliceId first;
  const ShownRows* shown = rows_of(selection_.slice);
  if (shown != nullptr) first = shown->first_child(trace(), selection_.slice);
  if (shown == nullptr)
    trace().for_each_child(selection_.slice, [&](SliceId child) {
      if (!first.valid()) first = child;
    });
  go_to(first);
  return first.valid();
}

bool Workspace::step_occurrence(int direction, bool zooms) {
  if (document_ && occurrences_.empty() && occurrences_job_.is_busy()) {
    pending_step_ = direction;
    pending_zoom_ = zooms;
    return true;
  }
  if (!document_ || occurrences_.empty()) return false;
  const SliceId slice = occurrences_.step(trace(), direction, reference_time(direction));
  go_to(slice);
  if (zooms && slice.valid()) view_.go_to(focus_span(trace().span(slice)));
  return slice.valid();
}

void Workspace::set_area(std::optional<TimeSpan> area) {
  if (area && area->empty()) area.reset();
  if (area == area_) return;
  area_ = area;
  analyze();
}

void Workspace::set_area(TimeSpan area, std::vector<TrackId> tracks) {
  if (area.empty()) return set_area(std::nullopt);
  if (area_ == area && counted_tracks_ == tracks) return;
  area_ = area;
  counted_tracks_ = std::move(tracks);
  analyze();
}

void Workspace::analyze() {
  const bool has_range = document_ && (area_ || !counted_tracks_.empty());
  if (has_range && !document_->is_thinned)
    return range_job_.start(document_, area_.value_or(TimeSpan::everything()), counted_tracks_);
  range_job_.cancel();
  if (analysis_) ++statistics_version_;
  analysis_ = has_range ? analysis_of_answers(*document_) : nullptr;
}

void Workspace::ask_percentiles() {
  if (!document_ || document_->is_partial || area_ || !counted_tracks_.empty() || has_asked_whole_) return;
  has_asked_whole_ = true;
  whole_job_.start(document_, TimeSpan::everything(), {});
}

void Workspace::forget_whole() {
  whole_job_.cancel();
  whole_.reset();
  has_asked_whole_ = false;
}

void Workspace::area_from_selection() {
  if (selection_.empty()) return;
  set_area(selected_span());
}

const Statistics& Workspace::statistics() const {
  static const Statistics kNone;
  if (!document_) return kNone;
  if (analysis_) return analysis_->statistics;
  if (whole_) return whole_->statistics;
  return document_->statistics;
}

void Workspace::update_table() {
  if (document_) table_.update(trace(), statistics(), statistics_version_);
}

void Workspace::highlight(StringId name, CategoryId category) {
  if (!document_) return;
  search_for({});
  highlighted_row_.clear();
  occurrences_.expect(name, category);
  find_occurrences([document = document_, name, category, range = area_.value_or(TimeSpan::everything())](
                       Occurrences& found, const std::atomic<bool>& cancel) {
    found.find(document->trace, name, category, range, &cancel);
  });
  view_.mark_name(name);
}

void Workspace::find_occurrences(std::function<void(Occurrences&, const std::atomic<bool>&)> find) {
  stop_finding();
  occurrences_cancel_ = std::make_shared<std::atomic<bool>>(false);
  occurrences_job_.start([find = std::move(find), cancel = occurrences_cancel_] {
    Occurrences found;
    find(found, *cancel);
    return found;
  });
}

void Workspace::stop_finding() {
  if (occurrences_cancel_) *occurrences_cancel_ = true;
  occurrences_job_.cancel();
  row_work_.clear();
  pending_step_ = 0;
}

void Workspace::clear_highlight() {
  stop_finding();
  occurrences_.clear();
  highlighted_row_.clear();
  view_.mark_name(StringId{});
}

void Workspace::update_gaps() {
  gaps_.update(document_, gap_filter(), gap_column, gaps_descending,
               causes_.analysis() != nullptr ? &causes_.analysis()->by_stream : nullptr);
}

SliceId find_longest(const Trace& trace, std::string_view name) {
  const StringId id = trace.strings().find(name);
  SliceId best;
  Nanos longest = -1;
  if (!id.valid()) return best;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (lane.name(i) == id && lane.duration(i) > longest) {
        longest = lane.duration(i);
        best = {LaneId{l}, i};
      }
    }
  }
  return best;
}

}  // namespace lacuna

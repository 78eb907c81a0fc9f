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
      search_(jobs_),
      slice_work_(jobs_),
      slice_notes_(jobs_),
      row_work_(jobs_),
      torch_(jobs_),
      causes_(jobs_),
      range_job_(jobs_),
      whole_job_(jobs_),
      fold_job_(jobs_),
      shown_job_(jobs_),
      match_job_(jobs_),
      overview_job_(jobs_),
      occurrences_job_(jobs_) {
  table_.only_work = true;
}

void Workspace::leave_document() {
  stop_finding();
  range_job_.cancel();
  whole_job_.cancel();
  fold_job_.cancel();
  shown_job_.cancel();
  match_job_.cancel();
  torch_.reset();
  view_.show_causes(nullptr);
  view_.show_busy(nullptr);
  view_.show_steps(nullptr);
  view_.mark_gaps({});
}

void Workspace::open(DocumentPtr document) {
  leave_document();
  overview_job_.cancel();  // that of a part of the same files is shown until there is a better one
  slice_work_.clear();
  slice_notes_.clear();
  document_ = std::move(document);
  chosen_ = {};
  found_ = {};
  if (document_) chosen_.min_gap = default_min_gap(*document_);
  markers_.clear();
  view_.show(document_);
  choose_no_link();
  set_min_gap(chosen_.min_gap);
  search_.open(document_);
  show_document();
}

void Workspace::refresh(DocumentPtr document) {
  if (!document_ || !document) return open(std::move(document));
  leave_document();
  const DocumentPtr old = std::exchange(document_, std::move(document));
  const SameTracks same(old->trace, trace());
  // A row of torch's table stands for several names; it is highlighted by another click.
  const bool was_highlighted = found_.occurrences.name().valid();
  const std::string name(was_highlighted ? old->trace.text(found_.occurrences.name()) : "");
  const std::string category(old->trace.category_name(found_.occurrences.category()));
  std::shared_ptr<const ActivityOverview> overview = std::move(found_.overview);  // shown until the next is there
  found_ = {};
  found_.overview = std::move(overview);

  if (chosen_.min_gap == default_min_gap(*old)) chosen_.min_gap = default_min_gap(*document_);
  std::erase_if(chosen_.counted_tracks, [&](TrackId id) { return !same.track(id).valid(); });
  for (TrackId& track : chosen_.counted_tracks) track = same.track(track);
  chosen_.history.forget_selections();
  view_.fold_time(nullptr);
  view_.refresh(document_, same);
  apply_hidden();
  search_.open(document_);
  mark_matches();
  const std::optional<AskedSlice> wanted_slice = chosen_.wanted_slice;
  std::optional<AskedGap> wanted_gap = chosen_.wanted_gap;
  if (chosen_.selection.gap.valid()) {
    const StreamActivity& stream = old->streams[chosen_.selection.gap.stream];
    const Gap& gap = get(*old, chosen_.selection.gap);
    wanted_gap = AskedGap{same.track(stream.track), {gap.start, gap.end}};
  }
  select(same.slice(chosen_.selection.slice));
  chosen_.wanted_slice = wanted_slice;
  chosen_.wanted_gap = wanted_gap;
  find_wanted();
  show_document();
  if (chosen_.folds_time) set_fold_time(true);
  if (!set_time_unit(chosen_.time_unit)) chosen_.time_unit = TimeUnit::kStart;
  if (was_highlighted) {
    const auto categories = trace().categories();
    for (std::uint32_t c = 0; c < categories.size(); ++c)
      if (trace().text(categories[c].name) == category) highlight(trace().strings().find(name), CategoryId{c});
  }
  take_step();
}

void Workspace::show_document() {
  if (document_) {
    found_.steps = document_->steps;
    found_.steps_from = trace().steps_from();
    overview_job_.start([document = document_] { return make_overview(*document); });
  }
  for (const Step& step : found_.steps) found_.step_spans.push_back({step.number, step.span});
  std::ranges::sort(found_.step_spans, {}, [](const StepSpan& s) { return s.span.begin; });
  view_.show_steps(found_.step_spans.empty() ? nullptr : &found_.step_spans);
  causes_.open(document_);
  view_.show_causes(causes_.analysis());
  analyze();
  ++statistics_version_;
  update_table();
  update_gaps();
}

bool Workspace::update() {
  if (chosen_.folds_time && found_.folded_for != view_.arrangement().version())
    set_fold_time(true);  // other tracks are shown
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
    search_.point_at(chosen_.selection.slice);
    go_to(search_.take_late_step());
  }
  if (auto result = fold_job_.take(); result && chosen_.folds_time) {
    if (result->empty()) found_.why_not_folded = why_nothing_folds(*document_, view_.input().arrangement.tracks);
    view_.fold_time(std::move(result));
    chosen_.history.clear();  // its cameras looked at another time
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
    found_.overview = std::move(result);
    view_.show_busy(&found_.overview->processes);
    changed = true;
  }
  if (auto result = whole_job_.take(); result && result->part >= 1) {
    found_.whole = std::move(result);
    if (!found_.analysis) ++statistics_version_;
    changed = true;
  }
  if (auto found = occurrences_job_.take()) {
    found_.occurrences = *found;
    found_.occurrences.point_at(trace(), chosen_.selection.slice);
    row_work_.ask(document_, found_.occurrences.all(), chosen_.area.value_or(TimeSpan::everything()));
    if (const int step = std::exchange(found_.pending_step, 0); step != 0) step_occurrence(step, found_.pending_zoom);
    changed = true;
  }
  if (auto result = range_job_.take()) {
    found_.analysis = std::move(result);
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
  view_.mark_selection(chosen_.selection.slice, chosen_.selection.gap.stream, chosen_.selection.gap.gap);
  view_.mark_instant(chosen_.selection.instant.track, chosen_.selection.instant.index);
}

void Workspace::select(SliceId slice) {
  if (slice != chosen_.selection.slice) choose_no_link();
  chosen_.selection = {slice, {}, {}};
  chosen_.wanted_slice.reset();
  chosen_.wanted_gap.reset();
  slice_work_.ask(document_, slice.valid() ? std::vector<SliceId>{slice} : std::vector<SliceId>{},
                  TimeSpan::everything());
  slice_notes_.ask(document_, slice);
  if (document_ && !found_.occurrences.empty()) found_.occurrences.point_at(trace(), slice);
  search_.point_at(slice);
  mark_selection();
}

void Workspace::select(GapRef gap) {
  choose_no_link();
  chosen_.selection = {{}, gap, {}};
  chosen_.wanted_slice.reset();
  chosen_.wanted_gap.reset();
  mark_selection();
}

void Workspace::select(InstantRef instant) {
  choose_no_link();
  chosen_.selection = {{}, {}, {}, instant};
  chosen_.wanted_slice.reset();
  chosen_.wanted_gap.reset();
  slice_work_.ask(document_, {}, TimeSpan::everything());
  mark_selection();
}

void Workspace::clear_selection() {
  chosen_.wanted_slice.reset();
  chosen_.wanted_gap.reset();
  forget_step();
  choose_no_link();
  chosen_.selection = Selection{};
  mark_selection();
  clear_highlight();
  search_for({});
  clear_route();
  count_all_tracks();
  set_area(std::nullopt);
}

std::optional<TimeSpan> Workspace::selected_span() const {
  if (!document_) return std::nullopt;
  if (chosen_.selection.slice.valid()) return trace().span(chosen_.selection.slice);
  if (const Gap* gap = selected_gap()) return TimeSpan{gap->start, gap->end};
  if (chosen_.selection.instant.valid()) {
    const Nanos at = trace().track(chosen_.selection.instant.track).instants[chosen_.selection.instant.index].time;
    return TimeSpan{at, at};
  }
  return chosen_.area;
}

const Gap* Workspace::selected_gap() const {
  if (!document_ || !chosen_.selection.gap.valid()) return nullptr;
  if (chosen_.selection.on_device.valid())
    if (const Gap* gap = causes_.gap(chosen_.selection.on_device)) return gap;
  return &get(*document_, chosen_.selection.gap);
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
  chosen_.selection.on_device = place.on_device;
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
  if (chosen_.selection.slice.valid()) view_.reveal(chosen_.selection.slice);
  if (chosen_.selection.gap.valid()) view_.reveal(document_->streams[chosen_.selection.gap.stream].track);
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
  if (!found_.route.empty()) {
    const BlamedPlace* place = found_.route.step(chosen_.selection.gap, reference_time(direction), direction);
    if (place == nullptr) return false;
    go_to(BlamedPlace(*place));
    return true;
  }
  if (document_->is_thinned) return ask_step(direction);
  update_gaps();
  const GapRef next = gaps_.step(*document_, chosen_.selection.gap, reference_time(direction), direction);
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
  if (const InstantRef at = chosen_.selection.instant; at.valid()) {
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
  } else if (chosen_.selection.slice.valid()) {
    const SliceId from = chosen_.selection.slice;
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
  if (!document_ || !chosen_.selection.slice.valid()) return false;
  const ShownRows* shown = rows_of(chosen_.selection.slice);
  const SliceId parent =
      shown != nullptr ? shown->parent(trace(), chosen_.selection.slice) : trace().parent(chosen_.selection.slice);
  go_to(parent);
  return parent.valid();
}

bool Workspace::step_to_child() {
  if (!document_ || !chosen_.selection.slice.valid()) return false;
  SliceId first;
  const ShownRows* shown = rows_of(chosen_.selection.slice);
  if (shown != nullptr) first = shown->first_child(trace(), chosen_.selection.slice);
  if (shown == nullptr)
    trace().for_each_child(chosen_.selection.slice, [&](SliceId child) {
      if (!first.valid()) first = child;
    });
  go_to(first);
  return first.valid();
}

bool Workspace::step_occurrence(int direction, bool zooms) {
  if (document_ && found_.occurrences.empty() && occurrences_job_.is_busy()) {
    found_.pending_step = direction;
    found_.pending_zoom = zooms;
    return true;
  }
  if (!document_ || found_.occurrences.empty()) return false;
  const SliceId slice = found_.occurrences.step(trace(), direction, reference_time(direction));
  go_to(slice);
  if (zooms && slice.valid()) view_.go_to(focus_span(trace().span(slice)));
  return slice.valid();
}

void Workspace::set_area(std::optional<TimeSpan> area) {
  if (area && area->empty()) area.reset();
  if (area == chosen_.area) return;
  chosen_.area = area;
  analyze();
}

void Workspace::set_area(TimeSpan area, std::vector<TrackId> tracks) {
  if (area.empty()) return set_area(std::nullopt);
  if (chosen_.area == area && chosen_.counted_tracks == tracks) return;
  chosen_.area = area;
  chosen_.counted_tracks = std::move(tracks);
  analyze();
}

void Workspace::analyze() {
  const bool has_range = document_ && (chosen_.area || !chosen_.counted_tracks.empty());
  if (has_range && !document_->is_thinned)
    return range_job_.start(document_, chosen_.area.value_or(TimeSpan::everything()), chosen_.counted_tracks);
  range_job_.cancel();
  if (found_.analysis) ++statistics_version_;
  found_.analysis = has_range ? analysis_of_answers(*document_) : nullptr;
}

void Workspace::ask_percentiles() {
  if (!document_ || document_->is_partial || chosen_.area || !chosen_.counted_tracks.empty() || found_.has_asked_whole)
    return;
  found_.has_asked_whole = true;
  whole_job_.start(document_, TimeSpan::everything(), {});
}

void Workspace::area_from_selection() {
  if (chosen_.selection.empty()) return;
  set_area(selected_span());
}

const Statistics& Workspace::statistics() const {
  static const Statistics kNone;
  if (!document_) return kNone;
  if (found_.analysis) return found_.analysis->statistics;
  if (found_.whole) return found_.whole->statistics;
  return document_->statistics;
}

void Workspace::update_table() {
  if (document_) table_.update(trace(), statistics(), statistics_version_);
}

void Workspace::highlight(StringId name, CategoryId category) {
  if (!document_) return;
  search_for({});
  found_.highlighted_row.clear();
  found_.occurrences.expect(name, category);
  find_occurrences([document = document_, name, category, range = chosen_.area.value_or(TimeSpan::everything())](
                       Occurrences& found, const std::atomic<bool>& cancel) {
    found.find(document->trace, name, category, range, &cancel);
  });
  view_.mark_name(name);
}

void Workspace::find_occurrences(std::function<void(Occurrences&, const std::atomic<bool>&)> find) {
  stop_finding();
  found_.finding = std::make_shared<std::atomic<bool>>(false);
  occurrences_job_.start([find = std::move(find), cancel = found_.finding] {
    Occurrences found;
    find(found, *cancel);
    return found;
  });
}

void Workspace::stop_finding() {
  if (found_.finding) *found_.finding = true;
  occurrences_job_.cancel();
  row_work_.clear();
  found_.pending_step = 0;
}

void Workspace::clear_highlight() {
  stop_finding();
  found_.occurrences.clear();
  found_.highlighted_row.clear();
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

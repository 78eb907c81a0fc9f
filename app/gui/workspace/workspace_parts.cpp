// The parts of Workspace that concern searching, steps, counted tracks, torch's table and causes.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "app/gui/workspace/workspace.h"

namespace lacuna {

void Workspace::search_for(std::string text) {
  search_.set_text(std::move(text));
  if (search_.is_active() && (!found_.occurrences.empty() || is_finding_occurrences())) clear_highlight();
  mark_matches();
}

bool Workspace::step_match(int direction) {
  if (!document_ || !search_.is_active()) return false;
  const SliceId slice = search_.step(direction, reference_time(direction));
  go_to(slice);
  return slice.valid();
}

bool Workspace::step_found(int direction) {
  return search_.is_active() ? step_match(direction) : step_occurrence(direction);
}

const std::vector<Step>& Workspace::step_windows() const {
  return document_->step_windows.empty() ? found_.steps : document_->step_windows;
}

void Workspace::set_steps_from(std::string pattern) {
  if (pattern == found_.steps_from) return;
  found_.steps_from = std::move(pattern);
  ++hidden_version_;
}

std::optional<StepRange> Workspace::selected_steps() const {
  if (!chosen_.area) return std::nullopt;
  if (const std::optional<StepRange> range = steps_of(step_windows(), *chosen_.area)) return range;
  return steps_of(found_.steps, *chosen_.area);
}

void Workspace::select_steps(StepRange range) {
  if (!document_ || found_.steps.empty()) return;
  const TimeSpan span = span_of(step_windows(), range);
  set_area(span);
  view_.go_to(span, 0.03);
}

bool Workspace::step_step(int direction) {
  if (!document_ || found_.steps.empty()) return false;
  if (const auto chosen = selected_steps()) {
    if (direction > 0 ? chosen->last + 1 >= found_.steps.size() : chosen->first == 0) return false;
    const std::size_t next = direction > 0 ? chosen->last + 1 : chosen->first - 1;
    select_steps({next, next});
    return true;
  }
  const Nanos from = chosen_.area ? chosen_.area->begin : view_.visible().begin;
  const Nanos to = chosen_.area ? chosen_.area->end : view_.visible().end;
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < found_.steps.size(); ++i) {
    if (direction > 0 && !next && found_.steps[i].span.begin >= from) next = i;
    if (direction < 0 && found_.steps[i].span.end <= to) next = i;
  }
  if (!next) next = direction > 0 ? found_.steps.size() - 1 : 0;
  select_steps({*next, *next});
  return true;
}

bool Workspace::is_counted(TrackId track) const {
  return chosen_.counted_tracks.empty() ||
         std::ranges::find(chosen_.counted_tracks, track) != chosen_.counted_tracks.end();
}

void Workspace::count_only(TrackId track) {
  chosen_.counted_tracks = {track};
  analyze();
}

void Workspace::toggle_counted(TrackId track) {
  if (std::erase(chosen_.counted_tracks, track) == 0) chosen_.counted_tracks.push_back(track);
  analyze();
}

void Workspace::toggle_in_area(TrackId track) {
  if (!document_) return;
  if (chosen_.counted_tracks.empty())  // all of them: named, so that one can go
    for (const Track& t : trace().tracks())
      if (has_content(t)) chosen_.counted_tracks.push_back(t.id);
  if (std::erase(chosen_.counted_tracks, track) == 0) {
    chosen_.counted_tracks.push_back(track);
  } else if (chosen_.counted_tracks.empty()) {
    chosen_.counted_tracks.push_back(track);
  }
  analyze();
}

void Workspace::count_all_tracks() {
  if (chosen_.counted_tracks.empty()) return;
  chosen_.counted_tracks.clear();
  analyze();
}

void Workspace::set_fold_time(bool folds) {
  fold_job_.cancel();
  chosen_.folds_time = folds && document_ != nullptr;
  if (!document_) return;
  if (!chosen_.folds_time) {
    if (view_.is_folding()) chosen_.history.clear();
    return view_.fold_time(nullptr);
  }
  found_.folded_for = view_.arrangement().version();
  std::vector<std::uint8_t> hidden;
  for (const TrackState& track : view_.input().arrangement.tracks) hidden.push_back(track.is_hidden ? 1 : 0);
  fold_job_.start([document = document_, hidden] { return find_time_folds(*document, hidden); });
}

namespace {

/// Traces with fewer slices are nested anew at once: the rows of a recording, which comes as one document
/// after the other, do not flicker.
constexpr std::uint64_t kNestedAtOnce = 50'000;
constexpr std::size_t kMostUndone = 100;

void put_text(std::vector<std::string>& in, std::string_view text, bool is_in) {
  std::erase(in, text);
  if (is_in) in.emplace_back(text);
}

}  // namespace

const ShownRows* Workspace::rows_of(SliceId slice) const {
  const ShownRows* shown = view_.shown_rows().get();
  return shown != nullptr && shown->changes(trace().track_of(slice).id) ? shown : nullptr;
}

void Workspace::set_hidden(HiddenNames hidden) {
  if (!document_ || hidden == chosen_.hidden) return;
  chosen_.hidden_before.push_back(std::exchange(chosen_.hidden, std::move(hidden)));
  if (chosen_.hidden_before.size() > kMostUndone) chosen_.hidden_before.erase(chosen_.hidden_before.begin());
  ++hidden_version_;
  apply_hidden();
}

void Workspace::hide_category(std::string_view category, bool is_hidden) {
  HiddenNames changed = chosen_.hidden;
  put_text(changed.categories, category, is_hidden);
  set_hidden(std::move(changed));
}

void Workspace::hide_name(std::string_view name, bool is_hidden) {
  HiddenNames changed = chosen_.hidden;
  put_text(changed.names, name, is_hidden);
  set_hidden(std::move(changed));
}

void Workspace::undo_hiding() {
  if (!document_ || chosen_.hidden_before.empty()) return;
  chosen_.hidden = std::move(chosen_.hidden_before.back());
  chosen_.hidden_before.pop_back();
  ++hidden_version_;
  apply_hidden();
}

std::uint64_t Workspace::hidden_slice_count() const {
  return view_.shown_rows() == nullptr ? 0 : view_.shown_rows()->hidden_count();
}

void Workspace::apply_hidden() {
  shown_job_.cancel();
  if (!document_) return;
  HiddenSlices ids;
  const std::span<const Category> categories = trace().categories();
  for (std::uint32_t c = 0; c < categories.size(); ++c)
    if (std::ranges::find(chosen_.hidden.categories, trace().text(categories[c].name)) !=
        chosen_.hidden.categories.end())
      ids.categories.push_back(CategoryId{c});
  for (const std::string& name : chosen_.hidden.names)
    if (const StringId id = trace().strings().find(name); id.valid()) ids.names.push_back(id);
  if (!ids.empty() && trace().slice_count() > kNestedAtOnce) {
    shown_job_.start([document = document_, ids] { return ShownRows::make(document->trace, ids); });
    return;
  }
  view_.show_rows(ids.empty() ? nullptr : std::make_shared<const ShownRows>(ShownRows::make(trace(), ids)));
  mark_matches();
}

void Workspace::mark_matches() {
  view_.mark_matches(search_.matches().get());
  match_job_.cancel();
  if (view_.shown_rows() == nullptr || search_.matches() == nullptr) return;
  match_job_.start([document = document_, rows = view_.shown_rows(), matches = search_.matches()] {
    return ShownMatches::make(document->trace, rows, matches);
  });
}

void Workspace::set_min_gap(Nanos shortest) {
  chosen_.min_gap = std::max<Nanos>(0, shortest);
  view_.set_min_gap(hides_short_gaps_ ? chosen_.min_gap : 0);
}

void Workspace::hide_short_gaps(bool hidden) {
  hides_short_gaps_ = hidden;
  set_min_gap(chosen_.min_gap);
}

void Workspace::pin_selected_track() {
  if (!document_) return;
  TrackId track;
  if (chosen_.selection.slice.valid()) track = trace().track_of(chosen_.selection.slice).id;
  if (chosen_.selection.instant.valid()) track = chosen_.selection.instant.track;
  if (chosen_.selection.gap.valid()) track = document_->streams[chosen_.selection.gap.stream].track;
  view_.arrange([&](TrackArrangement& tracks) { tracks.set_pinned(track, !tracks.is_pinned(track)); });
}

void Workspace::ask_torch() {
  if (document_ && !document_->is_answerable()) return;
  torch_.ask(document_, chosen_.area.value_or(TimeSpan::everything()));
}

void Workspace::highlight(const TorchRow& row) {
  if (!document_) return;
  highlight(names_of_row(trace(), row), row.is_on_gpu, row.is_annotation);
  found_.highlighted_row = row.name;
}

void Workspace::highlight(const OperatorRow& row) {
  if (!document_) return;
  if (row.name == kEmptyString) return clear_highlight();
  highlight({row.name}, false, row.level == CpuLevel::kAnnotation);
  found_.highlighted_row = trace().text(row.name);
}

void Workspace::highlight(const std::vector<StringId>& names, bool on_gpu, bool is_annotation) {
  if (names.empty()) return;
  search_for({});
  found_.occurrences.clear();
  found_.highlighted_row.clear();
  view_.mark_name(names.front());
  find_occurrences(
      [document = document_, names, on_gpu, is_annotation, range = chosen_.area.value_or(TimeSpan::everything())](
          Occurrences& found, const std::atomic<bool>& cancel) {
        found.find(document->trace, names, on_gpu, is_annotation, range, &cancel);
      });
}

void Workspace::highlight(const GroupOptions& options, std::uint32_t row) {
  if (!document_) return;
  search_for({});
  found_.occurrences.clear();
  found_.highlighted_row.clear();
  view_.mark_name(StringId{});
  find_occurrences([document = document_, options, row](Occurrences& found, const std::atomic<bool>& cancel) {
    GroupOptions asked = options;
    asked.cancel = &cancel;
    if (auto slices = find_group_slices(document->trace, asked, row)) found.assign(document->trace, std::move(*slices));
  });
}

void Workspace::highlight_calls(const CallTreeOptions& options, std::shared_ptr<const CallTree> tree,
                                std::uint32_t node) {
  if (!document_) return;
  search_for({});
  found_.occurrences.clear();
  view_.mark_name(StringId{});
  find_occurrences([document = document_, options, tree = std::move(tree), node](Occurrences& found,
                                                                                 const std::atomic<bool>& cancel) {
    CallTreeOptions asked = options;
    asked.cancel = &cancel;
    std::vector<SliceId> places = find_call_places(document->trace, asked, *tree, node);
    if (!cancel) found.assign(document->trace, std::move(places));
  });
}

void Workspace::only_durations(std::optional<TimeSpan> durations) {
  if (!document_ || found_.occurrences.histogram().bins.empty()) return;
  found_.occurrences.restrict(trace(), durations);
  found_.occurrences.point_at(trace(), chosen_.selection.slice);
  if (durations && !found_.occurrences.current()) step_occurrence(1);
}

bool Workspace::has_measured_time() const {
  return document_ && !document_->is_partial && document_->measured != TimeSpan::everything();
}

GapFilter Workspace::gap_filter() const {
  GapFilter filter{chosen_.min_gap, chosen_.area.value_or(TimeSpan::everything())};
  if (!document_) return filter;
  if (!chosen_.area && !gaps_of_whole_trace && has_measured_time()) {
    filter.range = document_->measured;
    filter.is_measured = true;
  }
  // Tracks that are no GPU streams have no gaps: with only such ones counted, all streams are shown.
  for (const TrackId id : chosen_.counted_tracks) {
    const Track& track = trace().track(id);
    if (track.kind != TrackKind::kGpuStream) continue;
    for (std::uint32_t s = 0; s < document_->streams.size(); ++s) {
      const StreamActivity& stream = document_->streams[s];
      const bool is_same =
          stream.device == track.device && stream.stream == track.stream &&
          trace().process(trace().track(stream.track).process).source == trace().process(track.process).source;
      if (is_same && std::ranges::find(filter.streams, s) == filter.streams.end()) filter.streams.push_back(s);
    }
  }
  std::ranges::sort(filter.streams);
  return filter;
}

void Workspace::go_to(const ReportPlace& place) {
  if (!document_) return;
  if (place.gap_of.valid()) return go_to_remote(AskedGap{place.gap_of, place.span});
  if (place.slice.valid() && place.slice.index == ReportPlace::kUnnumbered)
    return go_to_remote(AskedSlice{place.slice.lane, place.span});
  if (place.slice.valid()) return go_to(place.slice);
  set_area(place.span);
  view_.go_to(place.span);
}

void Workspace::set_route(std::vector<BlamedPlace> places) {
  found_.route.set(std::move(places));
  std::vector<GapRef> gaps;
  for (const BlamedPlace& place : found_.route.places())
    if (place.gap.valid()) gaps.push_back(place.gap);
  view_.mark_gaps(std::move(gaps));
}

void Workspace::clear_route() {
  found_.route.clear();
  view_.mark_gaps({});
}

}  // namespace lacuna

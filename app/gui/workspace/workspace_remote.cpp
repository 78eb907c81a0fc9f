// What another machine is asked, and tells, of a trace that is seen from there.

#include <algorithm>
#include <utility>

#include "app/gui/workspace/workspace.h"
#include "model/cache/trace_thinner.h"

namespace lacuna {

bool Workspace::is_answered() const {
  if (!document_ || !document_->is_thinned) return true;
  const RemoteAnswers& answers = *document_->answers;
  return answers.has_statistics && answers.asked.range == chosen_.area.value_or(TimeSpan::everything()) &&
         answers.asked.tracks == chosen_.counted_tracks;
}

RemoteQuestions Workspace::questions(bool lists_gaps) const {
  RemoteQuestions questions;
  if (!document_) return questions;
  questions.range = chosen_.area.value_or(TimeSpan::everything());
  questions.tracks = chosen_.counted_tracks;
  questions.lists_gaps = lists_gaps;
  questions.step = chosen_.wanted_step;
  if (lists_gaps || chosen_.wanted_step) {
    questions.min_gap = chosen_.min_gap;
    for (const std::uint32_t stream : gap_filter().streams)
      questions.streams.push_back(document_->streams[stream].track);
  }
  const SliceId slice = chosen_.selection.slice;
  if (slice.valid() && (trace().lane(slice).flags(slice.index) & kSliceFolded) == 0)
    questions.slice = AskedSlice{slice.lane, trace().span(slice)};
  if (const Gap* gap = selected_gap())
    questions.gap = AskedGap{document_->streams[chosen_.selection.gap.stream].track, {gap->start, gap->end}};
  return questions;
}

void Workspace::go_to_remote(const AskedSlice& slice) {
  if (!document_ || slice.lane.value >= trace().lanes().size()) return;
  show_remote(slice.span, trace().lane(slice.lane).track);
  chosen_.wanted_slice = slice;
  find_wanted();
}

void Workspace::go_to_remote(const AskedGap& gap) {
  if (!document_ || gap.track.value >= trace().tracks().size()) return;
  const TimeSpan visible = view_.destination().visible(view_.width_px());
  const bool was_in_view = visible.begin <= gap.span.begin && gap.span.end <= visible.end;
  show_remote(gap.span, gap.track);
  chosen_.wanted_gap = gap;
  find_wanted();
  // Where slices beside it are drawn together it has other ends: a closer look has its own.
  if (chosen_.wanted_gap && was_in_view) view_.go_to(gap.span, 0.3);
}

void Workspace::show_remote(TimeSpan span, TrackId track) {
  select(SliceId{});
  view_.bring_into_view(span);
  view_.reveal(track);
}

bool Workspace::ask_step(int direction) {
  if (chosen_.wanted_step) {
    chosen_.next_step = direction;  // a key that is held walks as fast as answers come
    return true;
  }
  chosen_.wanted_step.emplace();
  chosen_.wanted_step->direction = direction;
  chosen_.wanted_step->moment = reference_time(direction);
  if (chosen_.wanted_gap) {
    chosen_.wanted_step->from = chosen_.wanted_gap;  // it was told, and is not seen yet
  } else if (const Gap* gap = selected_gap()) {
    chosen_.wanted_step->from =
        AskedGap{document_->streams[chosen_.selection.gap.stream].track, {gap->start, gap->end}};
  }
  return true;
}

bool Workspace::forget_step() {
  chosen_.next_step.reset();
  return std::exchange(chosen_.wanted_step, std::nullopt).has_value();
}

void Workspace::take_step() {
  if (!chosen_.wanted_step) return;
  if (!document_->is_thinned) {  // all of the trace has come meanwhile
    const int direction = chosen_.wanted_step->direction;
    forget_step();
    if (direction == 0) {
      go_to_longest_gap();
    } else {
      step_gap(direction);
    }
    return;
  }
  const RemoteAnswers& answers = *document_->answers;
  if (!answers.has_step || answers.asked.step != chosen_.wanted_step) return;
  chosen_.wanted_step.reset();
  if (answers.step) go_to_remote(AskedGap(*answers.step));
  if (const std::optional<int> next = std::exchange(chosen_.next_step, std::nullopt); next && answers.step)
    ask_step(*next);
}

void Workspace::find_wanted() {
  if (chosen_.wanted_slice && chosen_.wanted_slice->lane.value < trace().lanes().size()) {
    const AskedSlice wanted = *chosen_.wanted_slice;
    const Lane& lane = trace().lane(wanted.lane);
    for (std::uint32_t i = lane.first_starting_from(wanted.span.begin); i < lane.size(); ++i) {
      if (lane.start(i) != wanted.span.begin) break;
      if (lane.end(i) == wanted.span.end && (lane.flags(i) & kSliceFolded) == 0) return select(SliceId{wanted.lane, i});
    }
  }
  if (!chosen_.wanted_gap) return;
  const AskedGap wanted = *chosen_.wanted_gap;
  for (std::uint32_t s = 0; s < document_->streams.size(); ++s) {
    const StreamActivity& stream = document_->streams[s];
    if (stream.track != wanted.track) continue;
    const auto at = std::ranges::lower_bound(stream.gaps, wanted.span.begin, {}, &Gap::start);
    if (at == stream.gaps.end() || at->start != wanted.span.begin || at->end != wanted.span.end) continue;
    return select(GapRef{s, static_cast<std::uint32_t>(at - stream.gaps.begin())});
  }
}

}  // namespace lacuna

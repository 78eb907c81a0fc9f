#include "capture/remote/remote_questions.h"

#include <algorithm>

#include "capture/remote/fields.h"
#include "capture/remote/verbs.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kLinkKinds = 4;

void put_span(FieldWriter& out, TimeSpan span) {
  out.number(static_cast<std::uint64_t>(span.begin)).number(static_cast<std::uint64_t>(span.end));
}

TimeSpan get_span(FieldReader& in) {
  TimeSpan span;
  span.begin = static_cast<Nanos>(in.number());
  span.end = static_cast<Nanos>(in.number());
  return span;
}

void put_tracks(FieldWriter& out, const std::vector<TrackId>& tracks) {
  out.number(tracks.size());
  for (const TrackId track : tracks) out.number(track.value);
}

TrackId get_track(FieldReader& in) {
  return TrackId{static_cast<std::uint32_t>(in.number())};
}

std::vector<TrackId> get_tracks(FieldReader& in) {
  const std::uint64_t count = in.number();
  std::vector<TrackId> tracks;
  for (std::uint64_t i = 0; i < count && count <= kMostRemoteViewTracks && in.ok(); ++i)
    tracks.push_back(get_track(in));
  return tracks;
}

void put_gap(FieldWriter& out, const RemoteGap& gap) {
  out.number(gap.track.value).number(static_cast<std::uint64_t>(gap.cause));
  put_span(out, gap.span);
  out.text(gap.why).text(gap.before).text(gap.after).text(gap.launch);
}

/// Reads what put_*() wrote; is_sound() afterwards.
class AnswerReader {
 public:
  AnswerReader(FieldReader& in, const Trace& trace) : in_(in), trace_(trace) {}

  bool is_sound() const { return is_sound_ && in_.ok(); }
  /// How many there are; 0 where that is more than there may be.
  std::uint64_t count(std::size_t most) {
    const std::uint64_t count = in_.number();
    if (count > most) is_sound_ = false;
    return is_sound() ? count : 0;
  }
  TrackId track() {
    const TrackId track = get_track(in_);
    if (track.value >= trace_.tracks().size()) is_sound_ = false;
    return is_sound_ ? track : TrackId{};
  }
  LaneId lane() {
    const LaneId lane{static_cast<std::uint32_t>(in_.number())};
    if (lane.value >= trace_.lanes().size()) is_sound_ = false;
    return is_sound_ ? lane : LaneId{};
  }
  Nanos time() { return static_cast<Nanos>(in_.number()); }
  RemoteGap gap() {
    RemoteGap gap;
    gap.track = track();
    const std::uint64_t cause = in_.number();
    if (cause >= kGapCauseCount) is_sound_ = false;
    gap.cause = is_sound_ ? static_cast<GapCause>(cause) : GapCause::kUnknown;
    gap.span = get_span(in_);
    gap.why = in_.text();
    gap.before = in_.text();
    gap.after = in_.text();
    gap.launch = in_.text();
    return gap;
  }
  AskedGap place() {
    AskedGap gap;
    gap.track = track();
    gap.span = get_span(in_);
    return gap;
  }
  RemoteLink link() {
    RemoteLink link;
    const std::uint64_t kind = in_.number();
    if (kind >= kLinkKinds) is_sound_ = false;
    link.kind = is_sound_ ? static_cast<RemoteLinkKind>(kind) : RemoteLinkKind::kLaunchedBy;
    link.lane = lane();
    link.span = get_span(in_);
    link.name = in_.text();
    return link;
  }
  RemoteSlice slice() {
    RemoteSlice slice;
    for (std::uint64_t i = count(kMostRemoteArguments); i > 0 && in_.ok(); --i) {
      Argument& argument = slice.arguments.emplace_back();
      argument.key = in_.text();
      argument.value = in_.text();
      argument.is_string = in_.number() != 0;
    }
    slice.arguments_left_out = in_.number();
    slice.values_cut = in_.number();
    slice.problem = in_.text();
    for (std::uint64_t i = count(kMostRemoteLinks); i > 0 && in_.ok(); --i) slice.links.push_back(link());
    slice.links_left_out = in_.number();
    return slice;
  }

 private:
  FieldReader& in_;
  const Trace& trace_;
  bool is_sound_ = true;
};

}  // namespace

std::shared_ptr<const RemotePage> RemoteAnswers::page(const AskedPage& wanted) const {
  const auto found = std::ranges::find(pages, wanted, &RemotePage::asked);
  return found == pages.end() ? nullptr : *found;
}

void put(FieldWriter& out, const RemoteQuestions& questions) {
  put_span(out, questions.range);
  put_tracks(out, questions.tracks);
  out.number(questions.lists_gaps ? 1 : 0).number(static_cast<std::uint64_t>(questions.min_gap));
  put_tracks(out, questions.streams);
  out.number((questions.slice ? 1u : 0u) | (questions.gap ? 2u : 0u) | (questions.step ? 4u : 0u));
  if (questions.slice) {
    out.number(questions.slice->lane.value);
    put_span(out, questions.slice->span);
  }
  if (questions.gap) {
    out.number(questions.gap->track.value);
    put_span(out, questions.gap->span);
  }
  if (questions.step) {
    const AskedStep& step = *questions.step;
    const AskedGap from = step.from.value_or(AskedGap{TrackId{}, TimeSpan::nothing()});
    out.number(static_cast<std::uint64_t>(step.direction + 1)).number(step.from ? 1 : 0).number(from.track.value);
    put_span(out, from.span);
    out.number(static_cast<std::uint64_t>(step.moment));
  }
  out.number(questions.pages.size());
  for (const AskedPage& page : questions.pages) put(out, page);
}

RemoteQuestions get_remote_questions(FieldReader& in) {
  RemoteQuestions questions;
  questions.range = get_span(in);
  questions.tracks = get_tracks(in);
  questions.lists_gaps = in.number() != 0;
  questions.min_gap = static_cast<Nanos>(in.number());
  questions.streams = get_tracks(in);
  const std::uint64_t chosen = in.number();
  if ((chosen & 1) != 0) {
    questions.slice.emplace();
    questions.slice->lane = LaneId{static_cast<std::uint32_t>(in.number())};
    questions.slice->span = get_span(in);
  }
  if ((chosen & 2) != 0) {
    questions.gap.emplace();
    questions.gap->track = get_track(in);
    questions.gap->span = get_span(in);
  }
  if ((chosen & 4) != 0) {
    AskedStep& step = questions.step.emplace();
    step.direction = static_cast<int>(std::min<std::uint64_t>(in.number(), 2)) - 1;
    const bool has_from = in.number() != 0;
    const TrackId track = get_track(in);
    const TimeSpan span = get_span(in);
    if (has_from) step.from = AskedGap{track, span};
    step.moment = static_cast<Nanos>(in.number());
  }
  for (std::uint64_t pages = in.number(); pages > 0 && in.ok() && questions.pages.size() < kMostPages; --pages)
    if (std::optional<AskedPage> page = get_asked_page(in)) questions.pages.push_back(std::move(*page));
  return questions;
}

void put(FieldWriter& out, const RemoteAnswers& answers, const Trace& trace) {
  put(out, answers.asked);
  out.number((answers.is_whole ? 1u : 0u) | (answers.has_statistics ? 2u : 0u) | (answers.has_gaps ? 4u : 0u) |
             (answers.slice ? 8u : 0u) | (answers.gap ? 16u : 0u) | (answers.has_step ? 32u : 0u) |
             (answers.step ? 64u : 0u));
  out.number(answers.rows_left_out).number(answers.streams.size());
  for (const RemoteStream& stream : answers.streams) {
    out.number(stream.track.value).number(stream.events);
    for (const Nanos time : {stream.first_start, stream.last_end, stream.busy})
      out.number(static_cast<std::uint64_t>(time));
  }
  out.number(answers.gaps.size());
  for (const RemoteGap& gap : answers.gaps) put_gap(out, gap);
  out.number(answers.gaps_left_out).number(static_cast<std::uint64_t>(answers.left_out_time));
  out.number(answers.shorter_gaps).number(static_cast<std::uint64_t>(answers.shorter_time));
  if (answers.slice) {
    out.number(answers.slice->arguments.size());
    for (const Argument& argument : answers.slice->arguments)
      out.text(argument.key).text(argument.value).number(argument.is_string ? 1 : 0);
    out.number(answers.slice->arguments_left_out).number(answers.slice->values_cut).text(answers.slice->problem);
    out.number(answers.slice->links.size());
    for (const RemoteLink& link : answers.slice->links) {
      out.number(static_cast<std::uint64_t>(link.kind)).number(link.lane.value);
      put_span(out, link.span);
      out.text(link.name);
    }
    out.number(answers.slice->links_left_out);
  }
  if (answers.gap) put_gap(out, *answers.gap);
  if (answers.step) {
    out.number(answers.step->track.value);
    put_span(out, answers.step->span);
  }
  out.number(answers.pages.size());
  for (const auto& page : answers.pages) put(out, *page, trace);
}

std::optional<RemoteAnswers> get_remote_answers(FieldReader& in, const Trace& trace) {
  RemoteAnswers answers;
  AnswerReader read(in, trace);
  answers.asked = get_remote_questions(in);
  const std::uint64_t has = in.number();
  answers.is_whole = (has & 1) != 0;
  answers.has_statistics = (has & 2) != 0;
  answers.has_gaps = (has & 4) != 0;
  answers.rows_left_out = in.number();
  for (std::uint64_t i = read.count(kMostRemoteStreams); i > 0 && in.ok(); --i) {
    RemoteStream& stream = answers.streams.emplace_back();
    stream.track = read.track();
    stream.events = in.number();
    stream.first_start = read.time();
    stream.last_end = read.time();
    stream.busy = read.time();
  }
  for (std::uint64_t i = read.count(kMostRemoteGaps); i > 0 && in.ok(); --i) answers.gaps.push_back(read.gap());
  answers.gaps_left_out = in.number();
  answers.left_out_time = read.time();
  answers.shorter_gaps = in.number();
  answers.shorter_time = read.time();
  if ((has & 8) != 0) answers.slice = read.slice();
  if ((has & 16) != 0) answers.gap = read.gap();
  answers.has_step = (has & 32) != 0;
  if ((has & 64) != 0) answers.step = read.place();
  for (std::uint64_t pages = read.count(kMostPages); pages > 0; --pages) {
    std::optional<RemotePage> page = get_remote_page(in, trace);
    if (!page) return std::nullopt;
    answers.pages.push_back(std::make_shared<const RemotePage>(std::move(*page)));
  }
  if (!read.is_sound()) return std::nullopt;
  return answers;
}

}  // namespace lacuna

#include "capture/remote/trace_answerer.h"

#include <algorithm>
#include <thread>

#include "model/causes/gap_evidence.h"
#include "model/gaps/gpu_idle.h"
#include "model/job/late_waits.h"

namespace lacuna {
namespace {

std::vector<RemoteStream> remote_streams(const std::vector<StreamActivity>& streams) {
  std::vector<RemoteStream> result;
  for (const StreamActivity& stream : streams)
    if (result.size() < kMostRemoteStreams)
      result.push_back({stream.track, stream.events, stream.first_start, stream.last_end, stream.busy});
  return result;
}

}  // namespace

void TraceAnswerer::work_out(std::optional<Statistics> statistics, const std::atomic<bool>& cancel) {
  statistics_ = statistics ? std::move(*statistics) : compute_statistics(trace_);
  if (cancel) return;
  streams_ = analyze_streams(trace_, {.threads = std::max(1u, std::thread::hardware_concurrency())});
  has_statistics_ = true;
  if (cancel) return;
  causes_ = std::make_unique<CauseIndex>(trace_, late_ranks_or_none(trace_));
  caused_.reset(new CausedTrace{*causes_, streams_});
  has_causes_ = true;
}

TraceAnswerer::Answer TraceAnswerer::answer(const RemoteQuestions& questions) {
  Answer result;
  RemoteAnswers& answers = result.answers;
  answers.asked = questions;
  answers.is_whole = has_statistics_ && (has_causes_ || (!questions.lists_gaps && !questions.gap));
  if (has_statistics_) answer_statistics(questions, result);
  if (has_causes_ && questions.lists_gaps) {
    const auto is_same = [&](const RemoteQuestions& before) {
      return before.range == questions.range && before.min_gap == questions.min_gap &&
             before.streams == questions.streams;
    };
    if (!last_gaps_ || !is_same(last_gaps_->asked)) {
      last_gaps_.emplace();
      last_gaps_->asked = questions;
      answer_gaps(questions, *last_gaps_);
    }
    answers.has_gaps = true;
    answers.gaps = last_gaps_->gaps;
    answers.gaps_left_out = last_gaps_->gaps_left_out;
    answers.left_out_time = last_gaps_->left_out_time;
    answers.shorter_gaps = last_gaps_->shorter_gaps;
    answers.shorter_time = last_gaps_->shorter_time;
  }
  if (questions.slice) answers.slice = answer_slice(*questions.slice);
  if (has_causes_ && questions.gap) answers.gap = answer_gap(*questions.gap);
  if (has_statistics_ && questions.step) {
    answers.has_step = true;
    answers.step = answer_step(questions);
  }
  answers.pages = pages_.find(questions.pages, has_causes_ ? caused_.get() : nullptr);
  answers.is_whole = answers.is_whole && answers.pages.size() == questions.pages.size();
  return result;
}

void TraceAnswerer::answer_statistics(const RemoteQuestions& questions, Answer& result) {
  if (!last_count_ || last_count_->range != questions.range || last_count_->tracks != questions.tracks) {
    LastCount count{questions.range, questions.tracks, {}, {}, 0};
    if (questions.counts_all()) {
      count.statistics = statistics_;
      count.streams = remote_streams(streams_);
    } else {
      StatisticsOptions options;
      options.range = questions.range;
      options.tracks = questions.tracks;
      options.percentiles = true;
      std::erase_if(options.tracks, [&](TrackId track) { return track.value >= trace_.tracks().size(); });
      options.threads = std::max(1u, std::thread::hardware_concurrency());
      count.statistics = compute_statistics(trace_, options);
      count.streams = remote_streams(analyze_streams(trace_, {.range = questions.range}));
    }
    std::vector<StatisticsRow>& rows = count.statistics.rows;
    sort_rows(trace_, count.statistics, StatisticsColumn::kSelf, true);
    if (rows.size() > kMostRemoteRows) {
      count.rows_left_out = rows.size() - kMostRemoteRows;
      rows.resize(kMostRemoteRows);
    }
    last_count_ = std::move(count);
  }
  result.statistics = last_count_->statistics;
  result.answers.has_statistics = true;
  result.answers.rows_left_out = last_count_->rows_left_out;
  result.answers.streams = last_count_->streams;
}

std::string TraceAnswerer::name_of(SliceId slice) const {
  return slice.valid() ? shortened(trace_.name(slice), kMostRemoteNameChars) : std::string();
}

RemoteGap TraceAnswerer::remote_gap(const StreamActivity& stream, const Gap& gap) const {
  RemoteGap result;
  result.track = stream.track;
  result.span = {gap.start, gap.end};
  const GapDiagnosis diagnosis = causes_->diagnose(gap);
  result.cause = diagnosis.cause;
  result.why = explain_gap(trace_, gap, diagnosis, gather_evidence(trace_, gap, diagnosis), format_.duration);
  result.before = name_of(gap.before);
  result.after = name_of(gap.after);
  result.launch = name_of(gap.launch);
  return result;
}

void TraceAnswerer::answer_gaps(const RemoteQuestions& questions, RemoteAnswers& answers) const {
  struct Listed {
    const StreamActivity* stream;
    const Gap* gap;
  };
  std::vector<Listed> listed;
  for (const StreamActivity& stream : streams_) {
    const bool is_asked =
        questions.streams.empty() || std::ranges::find(questions.streams, stream.track) != questions.streams.end();
    for (std::size_t i = 0; is_asked && i < stream.gaps.size(); ++i) {
      const Gap& gap = stream.gaps[i];
      if (!TimeSpan{gap.start, gap.end}.overlaps(questions.range)) continue;
      if (gap.duration() < questions.min_gap) {
        ++answers.shorter_gaps;
        answers.shorter_time = saturating_add(answers.shorter_time, gap.duration());
      } else {
        listed.push_back({&stream, &gap});
      }
    }
  }
  std::ranges::stable_sort(listed, std::ranges::greater{}, [](const Listed& one) { return one.gap->duration(); });
  for (std::size_t i = kMostRemoteGaps; i < listed.size(); ++i) {
    ++answers.gaps_left_out;
    answers.left_out_time = saturating_add(answers.left_out_time, listed[i].gap->duration());
  }
  listed.resize(std::min(listed.size(), kMostRemoteGaps));
  for (const Listed& one : listed) answers.gaps.push_back(remote_gap(*one.stream, *one.gap));
}

std::optional<RemoteGap> TraceAnswerer::answer_gap(const AskedGap& asked) const {
  for (const StreamActivity& stream : streams_) {
    if (stream.track != asked.track) continue;
    const auto at = std::ranges::lower_bound(stream.gaps, asked.span.begin, {}, &Gap::start);
    if (at != stream.gaps.end() && at->start == asked.span.begin && at->end == asked.span.end)
      return remote_gap(stream, *at);
  }
  return std::nullopt;
}

std::optional<AskedGap> TraceAnswerer::answer_step(const RemoteQuestions& questions) const {
  struct Place {
    Nanos start = 0;
    std::size_t stream = 0, gap = 0;
    auto operator<=>(const Place&) const = default;
  };
  const AskedStep& step = *questions.step;
  const auto place_of = [&](std::size_t stream, std::size_t gap) {
    return Place{streams_[stream].gaps[gap].start, stream, gap};
  };
  Place from{step.moment, 0, 0};
  bool is_at_gap = false;
  for (std::size_t s = 0; step.from && s < streams_.size(); ++s) {
    if (streams_[s].track != step.from->track) continue;
    const auto at = std::ranges::lower_bound(streams_[s].gaps, step.from->span.begin, {}, &Gap::start);
    from = {step.from->span.begin, s, static_cast<std::size_t>(at - streams_[s].gaps.begin())};
    is_at_gap = true;
  }
  std::vector<Place> all;  // of direction 0
  std::optional<Place> best;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const SharedVector<Gap>& gaps = streams_[s].gaps;
    if (!questions.streams.empty() &&
        std::ranges::find(questions.streams, streams_[s].track) == questions.streams.end())
      continue;
    const auto is_listed = [&](std::size_t g) {
      return gaps[g].duration() >= questions.min_gap && TimeSpan{gaps[g].start, gaps[g].end}.overlaps(questions.range);
    };
    if (step.direction == 0) {
      for (std::size_t g = 0; g < gaps.size(); ++g)
        if (is_listed(g)) all.push_back(place_of(s, g));
      continue;
    }
    // The first listed one on that side, from where both meet.
    auto g = static_cast<std::size_t>(std::ranges::lower_bound(gaps, from.start, {}, &Gap::start) - gaps.begin());
    if (step.direction > 0) {
      while (g < gaps.size() && (!is_listed(g) || (is_at_gap && place_of(s, g) <= from))) ++g;
      if (g < gaps.size() && (!best || place_of(s, g) < *best)) best = place_of(s, g);
    } else {
      while (is_at_gap && g < gaps.size() && place_of(s, g) < from) ++g;
      while (g > 0 && !is_listed(g - 1)) --g;
      if (g > 0 && (!best || place_of(s, g - 1) > *best)) best = place_of(s, g - 1);
    }
  }
  const auto gap_at = [&](const Place& place) -> const Gap& { return streams_[place.stream].gaps[place.gap]; };
  std::ranges::stable_sort(all, std::ranges::greater{}, [&](const Place& one) { return gap_at(one).duration(); });
  Nanos most = -1;
  for (const Place& one : all) {
    if (gap_at(one).duration() <= most) break;  // no more than that can be idle in it
    if (const Nanos idle = gpu_idle_in(trace_, streams_, one.stream, gap_at(one)); idle > most) {
      most = idle;
      best = one;
    }
  }
  if (!best) return std::nullopt;
  return AskedGap{streams_[best->stream].track, {gap_at(*best).start, gap_at(*best).end}};
}

RemoteLink TraceAnswerer::remote_link(RemoteLinkKind kind, SliceId slice) const {
  return {kind, slice.lane, trace_.span(slice), name_of(slice)};
}

RemoteSlice TraceAnswerer::answer_slice(const AskedSlice& asked) const {
  RemoteSlice result;
  SliceId slice;
  if (asked.lane.value < trace_.lanes().size()) {
    const Lane& lane = trace_.lane(asked.lane);
    for (std::uint32_t i = lane.first_starting_from(asked.span.begin);
         i < lane.size() && lane.start(i) == asked.span.begin && !slice.valid(); ++i)
      if (lane.end(i) == asked.span.end) slice = {asked.lane, i};
  }
  if (!slice.valid()) {
    result.problem = "there is no such slice there";
    return result;
  }
  if (Result<std::vector<Argument>> read = read_arguments(trace_, slice)) {
    for (Argument& argument : *read) {
      if (result.arguments.size() == kMostRemoteArguments) {
        ++result.arguments_left_out;
        continue;
      }
      if (argument.value.size() > kMostRemoteValueChars) ++result.values_cut;
      result.arguments.push_back({shortened(argument.key, kMostRemoteNameChars),
                                  shortened(argument.value, kMostRemoteValueChars), argument.is_string});
    }
  } else {
    result.problem = read.error().message();
  }
  const Links& links = trace_.links();
  const auto add = [&](RemoteLinkKind kind, SliceId other) {
    if (result.links.size() < kMostRemoteLinks) {
      result.links.push_back(remote_link(kind, other));
    } else {
      ++result.links_left_out;
    }
  };
  const SliceId launch = links.launch_of(slice);
  if (launch.valid()) add(RemoteLinkKind::kLaunchedBy, launch);
  for (const LaunchLink& link : links.activities_of(slice)) add(RemoteLinkKind::kLaunches, link.activity);
  // The flow of a launch repeats what its correlation says already.
  for (const FlowArrow& arrow : links.flows_from(slice))
    if (links.launch_of(arrow.to) != slice) add(RemoteLinkKind::kFlowsTo, arrow.to);
  for (const FlowArrow& arrow : links.flows_to(slice))
    if (arrow.from != launch) add(RemoteLinkKind::kFlowsFrom, arrow.from);
  return result;
}

}  // namespace lacuna

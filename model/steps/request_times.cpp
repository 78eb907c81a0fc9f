#include "model/steps/request_times.h"

#include <algorithm>
#include <utility>

#include "model/causes/interval_set.h"
#include "model/causes/window_gaps.h"
#include "model/steps/measured_steps.h"
#include "model/trace/engine_steps.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

struct PartWords {
  std::string_view name, key;
};
constexpr std::array<PartWords, kFirstTokenPartCount> kPartWords{{{"around the engine", "aroundEngineNs"},
                                                                  {"queued", "queuedNs"},
                                                                  {"steps with it", "ownStepsNs"},
                                                                  {"other steps", "otherStepsNs"},
                                                                  {"other GPU work", "otherWorkNs"},
                                                                  {"GPU idle", "idleNs"},
                                                                  {"not recorded", "notRecordedNs"},
                                                                  {"unknown", "unknownNs"}}};

/// A step that says its phase.
struct ServerStep {
  Nanos middle;
  TimeSpan work;
  bool has_prefill;
};

std::vector<ServerStep> server_steps(const Trace& trace, SourceId source) {
  std::vector<ServerStep> steps;
  for (const MeasuredStep& step : find_measured_steps(trace, source, false).steps) {
    const auto read = parse_engine_step(trace.text(step.name));
    if (!read || !read->phase) continue;
    const bool has_prefill = *read->phase == StepPhase::kPrefill || *read->phase == StepPhase::kMixed;
    steps.push_back({step.paced.begin + step.length() / 2, step.work, has_prefill});
  }
  std::ranges::sort(steps, {}, &ServerStep::middle);
  return steps;
}

TimeSpan recorded_time(const Trace& trace, SourceId source) {
  TimeSpan recorded = TimeSpan::nothing();
  for (const Track& track : trace.tracks())
    if (trace.process(track.process).source == source) recorded = recorded.unite(span_of_work(trace, track, true));
  return recorded;
}

/// What the GPUs of a file did, and when.
class ServerGpu {
 public:
  ServerGpu(const CauseIndex& index, SourceId source, TimeSpan recorded)
      : recorded_(recorded), steps_(server_steps(index.trace(), source)) {
    std::vector<WindowGaps> devices = diagnose_window(index, source, recorded);
    std::vector<TimeSpan> work;
    for (const ServerStep& step : steps_) work.push_back(step.work);
    in_steps_ = IntervalSet(std::move(work));
    for (std::size_t d = 0; d < devices.size(); ++d) {
      std::vector<TimeSpan> gaps;
      for (const Gap& gap : devices[d].gaps.gaps) gaps.push_back({gap.start, gap.end});
      IntervalSet idle(std::move(gaps));
      idle_ = d == 0 ? std::move(idle) : common(idle_, idle);
    }
    if (!devices.empty()) gaps_ = std::move(devices.front().gaps);
  }

  std::size_t steps() const { return steps_.size(); }

  /// How much of a span all of them were idle, as far as it was recorded.
  Nanos idle_time(TimeSpan span) const {
    const TimeSpan seen = span.intersect(recorded_);
    return seen.empty() ? 0 : idle_.covered(seen);
  }

  /// Adds what was in the prefill of a request, which is `span`.
  void add(TimeSpan span, FirstTokenTime& to) const {
    const TimeSpan seen = span.intersect(recorded_);
    const auto add = [&](FirstTokenPart part, Nanos time) { to.parts[static_cast<std::size_t>(part)] += time; };
    add(FirstTokenPart::kNotRecorded, span.duration() - seen.duration());
    if (seen.empty()) return;
    const IntervalSet busy = difference(IntervalSet({seen}), idle_in(seen));
    const IntervalSet own = own_work(span);
    Nanos in_own = 0, in_steps = 0, all = 0;
    for (const TimeSpan& part : busy.intervals()) {
      all += part.duration();
      in_own += own.covered(part);
      in_steps += in_steps_.covered(part);
    }
    add(FirstTokenPart::kOwnSteps, in_own);
    add(FirstTokenPart::kOtherSteps, in_steps - in_own);
    add(FirstTokenPart::kOtherWork, all - in_steps);
    add(FirstTokenPart::kIdle, seen.duration() - all);
    add_causes(seen, to);
  }

 private:
  IntervalSet idle_in(TimeSpan seen) const {
    std::vector<TimeSpan> parts;
    const auto all = idle_.intervals();
    for (auto next = std::ranges::upper_bound(all, seen.begin, {}, &TimeSpan::end);
         next != all.end() && next->begin < seen.end; ++next)
      parts.push_back(next->intersect(seen));
    return IntervalSet(std::move(parts));
  }

  IntervalSet own_work(TimeSpan prefill) const {
    std::vector<TimeSpan> work;
    for (auto step = std::ranges::lower_bound(steps_, prefill.begin, {}, &ServerStep::middle);
         step != steps_.end() && step->middle < prefill.end; ++step)
      if (step->has_prefill) work.push_back(step->work);
    return IntervalSet(std::move(work));
  }

  void add_causes(TimeSpan seen, FirstTokenTime& to) const {
    const auto first = std::partition_point(gaps_.gaps.begin(), gaps_.gaps.end(),
                                            [&](const Gap& gap) { return gap.end <= seen.begin; });
    for (auto gap = first; gap != gaps_.gaps.end() && gap->start < seen.end; ++gap) {
      const auto g = static_cast<std::size_t>(gap - gaps_.gaps.begin());
      const Nanos idle = idle_.covered(TimeSpan{gap->start, gap->end}.intersect(seen));
      to.idle_by[static_cast<std::size_t>(gaps_.diagnoses[g].cause)] += idle;
    }
  }

  TimeSpan recorded_;
  std::vector<ServerStep> steps_;  // by middle
  IntervalSet in_steps_;           // the GPU work of all of them
  IntervalSet idle_;               // all GPUs are
  CausedGaps gaps_;                // of the first GPU
};

/// `gpu`: null where nothing is known of it.
std::optional<FirstTokenTime> split_first_token(const Request& request, const ServerGpu* gpu) {
  const auto first_token = request.first_token();
  if (!first_token) return std::nullopt;
  FirstTokenTime time;
  const TimeSpan whole{request.span.begin, *first_token};
  time.whole = whole.duration();
  const auto at = [&](FirstTokenPart part) -> Nanos& { return time.parts[static_cast<std::size_t>(part)]; };
  Nanos rest = time.whole;
  TimeSpan queue{whole.begin, whole.begin};
  if (request.queue) queue = request.queue->intersect(whole);
  at(FirstTokenPart::kQueued) = queue.duration();
  rest -= queue.duration();
  if (gpu != nullptr) time.queued_idle = gpu->idle_time(queue);
  if (request.prefill) {
    TimeSpan prefill = request.prefill->intersect(whole);
    prefill.begin = std::max(prefill.begin, queue.empty() ? prefill.begin : queue.end);
    rest -= prefill.duration();
    if (gpu == nullptr)
      at(FirstTokenPart::kUnknown) += prefill.duration();
    else if (!prefill.empty())
      gpu->add(prefill, time);
  }
  // Without both places the rest may be of either.
  at(request.queue && request.prefill ? FirstTokenPart::kAroundEngine : FirstTokenPart::kUnknown) += rest;
  return time;
}

}  // namespace

std::string_view first_token_part_name(FirstTokenPart part) {
  return kPartWords[static_cast<std::size_t>(part)].name;
}

std::string_view first_token_part_key(FirstTokenPart part) {
  return kPartWords[static_cast<std::size_t>(part)].key;
}

void FirstTokenTime::add(const FirstTokenTime& more) {
  whole = saturating_add(whole, more.whole);
  if (more.queued_idle) queued_idle = saturating_add(queued_idle.value_or(0), *more.queued_idle);
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p] = saturating_add(parts[p], more.parts[p]);
  for (std::size_t c = 0; c < idle_by.size(); ++c) idle_by[c] = saturating_add(idle_by[c], more.idle_by[c]);
}

std::optional<SourceId> find_server_source(const Trace& trace) {
  std::vector<bool> has_gpu(trace.sources().size());
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream))
    if (track.slice_count > 0) has_gpu[trace.process(track.process).source.value] = true;
  std::optional<SourceId> best;
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < has_gpu.size(); ++s) {
    if (!has_gpu[s] || trace.sources()[s].is_around_ranks) continue;
    const std::size_t steps = find_step_marks(trace, SourceId{s}, StepsFrom::kEngine).size();
    if (!best || steps > most) {
      best = SourceId{s};
      most = steps;
    }
  }
  return best;
}

RequestTimes split_first_tokens(const CauseIndex& index, std::span<const Request> requests, bool has_clock) {
  const Trace& trace = index.trace();
  RequestTimes times;
  times.source = find_server_source(trace);
  std::optional<ServerGpu> gpu;
  if (times.source) {
    times.recorded = recorded_time(trace, *times.source);
    gpu.emplace(index, *times.source, times.recorded);
    times.engine_steps = gpu->steps();
  }
  for (const Request& request : requests) {
    const bool is_outside = has_clock && times.source && !request.span.overlaps(times.recorded);
    times.outside += is_outside ? 1 : 0;
    times.first_tokens.push_back(split_first_token(request, gpu && has_clock ? &*gpu : nullptr));
    if (times.first_tokens.back() && !is_outside) times.total.add(*times.first_tokens.back());
  }
  return times;
}

}  // namespace lacuna

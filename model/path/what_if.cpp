#include "model/path/what_if.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/gap_rules.h"
#include "model/causes/known_names.h"
#include "model/causes/window_gaps.h"
#include "model/path/thread_work.h"
#include "model/steps/steps.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

using Kind = WhatIfChange::Kind;

/// Causes for which CauseIndex::time_of() tells what the CPU did.
constexpr std::array kKnownByTime{GapCause::kDataLoading, GapCause::kAllocation, GapCause::kFirstUse,
                                  GapCause::kNotScheduled};
/// Kernels and operators that the ranking halves.
constexpr std::size_t kHalvedNames = 5;

std::optional<GapCause> cause_of_key(std::string_view key) {
  if (key == "sync" || key == "synchronization") return GapCause::kSynchronisation;
  for (const GapCause cause : all_gap_causes())
    if (key == cause_key(cause) || key == cause_name(cause)) return cause;
  return std::nullopt;
}

std::vector<std::string_view> split_names(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) names.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

/// Slices of this name on each thread; of a kernel there are none.
std::vector<std::vector<TimeSpan>> spans_named(const Trace& trace, const std::vector<TrackId>& threads, StringId name) {
  std::vector<std::vector<TimeSpan>> spans(threads.size());
  for (std::size_t t = 0; t < threads.size(); ++t)
    for (const Lane& lane : trace.lanes_of(trace.track(threads[t])))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (lane.name(i) == name) spans[t].push_back(lane.span(i));
  return spans;
}

/// Adds the parts of `span` that are not in `set`. O(log set + parts).
void append_outside(const IntervalSet& set, TimeSpan span, std::vector<TimeSpan>& parts) {
  const std::span<const TimeSpan> intervals = set.intervals();
  Nanos from = span.begin;
  for (auto next = std::ranges::upper_bound(intervals, span.begin, {}, &TimeSpan::end);
       next != intervals.end() && next->begin < span.end; ++next) {
    if (next->begin > from) parts.push_back({from, next->begin});
    from = std::max(from, next->end);
  }
  if (from < span.end) parts.push_back({from, span.end});
}

void scale_cpu(ReplayEdit& edit, std::size_t thread, std::vector<TimeSpan> spans, double factor) {
  if (!spans.empty()) edit.cpu[thread].push_back({IntervalSet(std::move(spans)), factor});
}

}  // namespace

std::string what_if_text(const WhatIfChange& change) {
  switch (change.kind) {
    case Kind::kNoCause:
      return "--no-cause " + change.argument;
    case Kind::kNoGap:
      return "--no-gap " + change.argument;
    case Kind::kScale:
      return fmt::format("--scale {}={}", change.argument, change.factor);
    case Kind::kFuse:
      return "--fuse " + change.argument;
    case Kind::kGraph:
      return change.argument.empty() ? std::string("--graph all") : "--graph " + change.argument;
    case Kind::kOverlapComm:
      return "--overlap comm";
    case Kind::kRankEven:
      break;
  }
  return "--rank-even";
}

WhatIf::WhatIf(const Trace& trace, SourceId source, TimeSpan within, LateRanksPtr late, const CauseIndex* causes)
    : WhatIf(trace, source, Replay(trace, source, within), std::move(late), causes) {}

WhatIf::WhatIf(const Trace& trace, SourceId source, Replay replay, LateRanksPtr late, const CauseIndex* causes)
    : trace_(trace), source_(source), late_(std::move(late)), causes_(causes), replay_(std::move(replay)) {}

const CauseIndex& WhatIf::causes() const {
  if (causes_ != nullptr) return *causes_;
  if (!own_causes_) own_causes_.emplace(trace_, late_);
  return *own_causes_;
}

const std::vector<CausedGaps>& WhatIf::device_gaps() const {
  if (!device_gaps_) {
    device_gaps_.emplace();
    // What steps before the window did is played, too.
    const TimeSpan window = replay_.window();
    for (WindowGaps& device :
         diagnose_window(causes(), source_, {std::min(window.begin, trace_.span().begin), window.end}))
      device_gaps_->push_back(std::move(device.gaps));
  }
  return *device_gaps_;
}

const std::vector<CausedGaps>& WhatIf::stream_gaps() const {
  if (!stream_gaps_) {
    stream_gaps_ = diagnose_streams(causes());
    std::erase_if(*stream_gaps_, [this](const CausedGaps& set) { return set.source != source_; });
  }
  return *stream_gaps_;
}

void WhatIf::find_gaps(std::span<const WhatIfChange> changes) const {
  for (const WhatIfChange& change : changes) {
    const std::optional<GapCause> cause =
        change.kind == Kind::kNoCause ? cause_of_key(change.argument) : std::optional<GapCause>();
    if (cause && !is_cpu_caused(*cause))
      stream_gaps();
    else if (cause || change.kind == Kind::kNoGap || change.kind == Kind::kGraph)
      device_gaps();
  }
}

Nanos WhatIf::replayed() const {
  if (!replayed_) replayed_ = replay_.play(replay_.no_change());
  return *replayed_;
}

Result<WhatIfAnswer> WhatIf::ask(const std::vector<WhatIfChange>& changes) const {
  WhatIfAnswer answer;
  answer.steps = replay_.steps().size();
  answer.measured = replay_.measured();
  answer.replayed = replayed();
  answer.assumptions = {"what is not changed takes as long as in the trace, and happens in the same order",
                        "GPU work starts at most 5 us after anything that it needs but did not wait for in the trace",
                        "the steps are over when the last one and all GPU work that they launched has ended"};
  ReplayEdit edit = replay_.no_change();
  for (const WhatIfChange& change : changes)
    if (Result<void> applied = apply(change, edit, answer.assumptions); !applied)
      return tl::make_unexpected(applied.error());
  answer.predicted = changes.empty() ? answer.replayed : replay_.play(edit);
  answer.stream_busy = replay_.busiest_stream(trace_, edit);
  return answer;
}

std::vector<Result<WhatIfAnswer>> WhatIf::ask_each(const std::vector<std::vector<WhatIfChange>>& questions,
                                                   unsigned threads) const {
  std::vector<Result<WhatIfAnswer>> answers(questions.size());
  if (questions.empty()) return answers;
  for (const std::vector<WhatIfChange>& changes : questions) find_gaps(changes);
  replayed();
  parallel_for(questions.size(), threads, [&](std::size_t q) { answers[q] = ask(questions[q]); });
  return answers;
}

Result<void> WhatIf::remove_cause(const std::string& key, ReplayEdit& edit,
                                  std::vector<std::string>& assumptions) const {
  const std::optional<GapCause> cause = cause_of_key(key);
  if (!cause) {
    std::string keys;
    for (const GapCause known : all_gap_causes())
      keys += fmt::format("{}{}", keys.empty() ? "" : ", ", cause_key(known));
    return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is not a cause of gaps; the causes are {}", key, keys));
  }
  if (*cause == GapCause::kLateRank) {
    assumptions.push_back("every collective begins when the last rank has entered it, and no rank is later for that");
    return remove_late_ranks(edit);
  }
  const bool waits = *cause == GapCause::kSynchronisation || *cause == GapCause::kBlockingCopy;
  if (waits) {
    NameMemo copies(trace_.strings(), is_copy_call);
    for (std::size_t c = 0; c < replay_.calls().size(); ++c) {
      const Replay::Call& call = replay_.calls()[c];
      if (call.waits_for != Replay::kNone && (*cause == GapCause::kSynchronisation || copies(call.name)))
        edit.does_not_wait[c] = true;
    }
    assumptions.push_back("calls that waited for the GPU return at once; no result that they waited for is needed");
    if (*cause == GapCause::kSynchronisation) return {};
    set_blocking_copies_aside(edit);
    assumptions.push_back(
        "copies that blocked the CPU run beside everything else, as from pinned memory on a stream of their own");
  }
  if (*cause == GapCause::kCommunication) set_communication_aside(edit, assumptions);
  if (*cause == GapCause::kLaunchBound || std::ranges::find(kKnownByTime, *cause) != kKnownByTime.end()) {
    skip_time_of(*cause, edit);
    assumptions.push_back(*cause == GapCause::kLaunchBound
                              ? "the CPU skips all work that kept it from launching while the whole GPU was idle, but "
                                "what other causes name"
                              : "the CPU skips what it did for that cause while the whole GPU was idle");
    return {};
  }
  std::vector<std::vector<TimeSpan>> removed(replay_.threads().size());
  // What the CPU does while another stream works costs nothing; a work in its queue waits for its own stream.
  for (const CausedGaps& set : is_cpu_caused(*cause) ? device_gaps() : stream_gaps()) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = set.diagnoses[g];
      if (diagnosis.cause != *cause) continue;
      if (*cause == GapCause::kProfilerOverhead && diagnosis.in_queue > diagnosis.before_issue) {
        if (const std::uint32_t work = replay_.work_of(set.gaps[g].after); work != Replay::kNone)
          edit.not_held_back[work] = edit.at_once[work] = edit.needs_no_other[work] = true;
        continue;
      }
      if (is_cpu_caused(*cause) || (*cause == GapCause::kCommunication && diagnosis.before_issue > 0)) {
        if (const std::uint32_t thread = replay_.thread_of(diagnosis.thread); thread != Replay::kNone)
          removed[thread].push_back({set.gaps[g].start, set.gaps[g].start + diagnosis.before_issue});
        continue;
      }
      const std::uint32_t work = replay_.work_of(set.gaps[g].after);
      if (work == Replay::kNone) continue;
      edit.needs_no_other[work] = true;
      edit.at_once[work] = true;
    }
  }
  for (std::size_t t = 0; t < removed.size(); ++t) scale_cpu(edit, t, std::move(removed[t]), 0);
  if (waits) return {};
  assumptions.push_back(is_cpu_caused(*cause)
                            ? "the CPU skips all work that kept it from launching while the whole GPU was idle"
                            : "work that waited in its queue for that cause starts when its stream is free");
  return {};
}

/// A gap has one cause, and the CPU may have done several things in it: each cause is left out with its own time.
void WhatIf::skip_time_of(GapCause cause, ReplayEdit& edit) const {
  const bool is_rest = cause == GapCause::kLaunchBound;
  std::vector<std::vector<TimeSpan>> late(replay_.threads().size());
  for (const CausedGaps& set : device_gaps()) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = set.diagnoses[g];
      if (is_rest ? diagnosis.cause != cause : !is_cpu_caused(diagnosis.cause)) continue;
      if (const std::uint32_t thread = replay_.thread_of(diagnosis.thread); thread != Replay::kNone)
        late[thread].push_back({set.gaps[g].start, set.gaps[g].start + diagnosis.before_issue});
    }
  }
  for (std::size_t t = 0; t < late.size(); ++t) {
    IntervalSet skipped(std::move(late[t]));
    for (const GapCause known : kKnownByTime) {
      if (is_rest)
        skipped = difference(skipped, causes().time_of(known, replay_.threads()[t]));
      else if (known == cause)
        skipped = common(skipped, causes().time_of(known, replay_.threads()[t]));
    }
    if (!skipped.empty()) edit.cpu[t].push_back({std::move(skipped), 0});
  }
}

Result<void> WhatIf::remove_late_ranks(ReplayEdit& edit) const {
  if (!late_)
    return fail(ErrorCode::kUnsupported,
                "--no-cause late_rank needs the traces of several ranks, with collectives that can be matched");
  for (std::size_t w = 0; w < replay_.works().size(); ++w) {
    const Nanos duration = replay_.works()[w].span.duration();
    const Nanos waited = late_->waited(replay_.works()[w].slice);
    if (waited > 0 && duration > 0)
      edit.work_factor[w] *= static_cast<double>(duration - waited) / static_cast<double>(duration);
  }
  return {};
}

Result<void> WhatIf::even_ranks(ReplayEdit& edit) const {
  if (trace_.sources().size() < 2)
    return fail(ErrorCode::kUnsupported, "--rank-even needs the traces of several ranks");
  // The Nth collective of a name is the same one on each rank that has as many; who came last took the least.
  std::map<std::string_view, std::vector<std::vector<SliceId>>> by_name;  // by source
  for (const Track& track : tracks_of(trace_, TrackKind::kGpuStream)) {
    const std::uint32_t source = trace_.process(track.process).source.value;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (trace_.category_class(lane.category(i)) != CategoryClass::kKernel) continue;
        const std::string_view name = trace_.text(lane.name(i));
        if (!is_communication_kernel(name)) continue;
        auto& sources = by_name[name];
        sources.resize(trace_.sources().size());
        sources[source].push_back({id, i});
      }
    }
  }
  for (auto& [name, sources] : by_name) {
    for (auto& slices : sources) std::ranges::sort(slices, {}, [&](SliceId s) { return trace_.span(s).begin; });
    const auto& own = sources[source_.value];
    for (std::size_t n = 0; n < own.size(); ++n) {
      Nanos least = trace_.span(own[n]).duration();
      for (const auto& slices : sources)
        if (slices.size() == own.size()) least = std::min(least, trace_.span(slices[n]).duration());
      const std::uint32_t work = replay_.work_of(own[n]);
      const Nanos duration = trace_.span(own[n]).duration();
      if (work != Replay::kNone && duration > 0)
        edit.work_factor[work] *= static_cast<double>(least) / static_cast<double>(duration);
    }
  }
  return {};
}

void WhatIf::set_blocking_copies_aside(ReplayEdit& edit) const {
  for (std::size_t w = 0; w < replay_.works().size(); ++w) {
    const Replay::Work& work = replay_.works()[w];
    if (work.launch == Replay::kNone || trace_.category_class(work.slice) != CategoryClass::kMemcpy) continue;
    const TimeSpan call = replay_.calls()[work.launch].span;
    edit.aside[w] = call.end >= work.span.end || (call.duration() >= kStagingCallNs &&
                                                  trace_.name(work.slice).find("Pageable") != std::string_view::npos);
  }
}

void WhatIf::set_communication_aside(ReplayEdit& edit, std::vector<std::string>& assumptions) const {
  Nanos communication = 0;
  for (std::size_t w = 0; w < replay_.works().size(); ++w)
    if (replay_.works()[w].is_communication) {
      edit.aside[w] = true;
      communication = saturating_add(communication, replay_.works()[w].span.duration());
    }
  assumptions.push_back(
      "communication runs beside computation without slowing it down, and nothing needs its result within the steps");
  if (communication > replay_.busiest_stream(trace_, edit))
    assumptions.push_back(
        "communication takes longer than all else that a stream does: hiding it is not enough, it has to shrink as "
        "well");
}

/// Of each thread, the stretches in which it kept the GPU idle for something else than launching.
std::vector<IntervalSet> WhatIf::idle_for_other_reasons() const {
  std::vector<std::vector<TimeSpan>> spans(replay_.threads().size());
  for (const CausedGaps& set : device_gaps()) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = set.diagnoses[g];
      if (!is_cpu_caused(diagnosis.cause) || diagnosis.cause == GapCause::kLaunchBound) continue;
      const auto thread = std::ranges::find(replay_.threads(), diagnosis.thread);
      if (thread != replay_.threads().end())
        spans[static_cast<std::size_t>(thread - replay_.threads().begin())].push_back(
            {set.gaps[g].start, set.gaps[g].start + diagnosis.before_issue});
    }
  }
  std::vector<IntervalSet> result;
  for (std::vector<TimeSpan>& of_thread : spans) result.emplace_back(std::move(of_thread));
  return result;
}

Result<void> WhatIf::apply(const WhatIfChange& change, ReplayEdit& edit, std::vector<std::string>& assumptions) const {
  const auto no_name = [](std::string_view name) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("nothing in the trace is called '{}'", name));
  };
  switch (change.kind) {
    case Kind::kNoCause:
      return remove_cause(change.argument, edit, assumptions);
    case Kind::kNoGap: {
      const StringId name = trace_.strings().find(change.argument);
      if (!name.valid()) return no_name(change.argument);
      const auto spans = spans_named(trace_, replay_.threads(), name);
      std::vector<IntervalSet> where;
      for (const auto& thread : spans) where.emplace_back(thread);
      std::vector<std::vector<TimeSpan>> removed(replay_.threads().size());
      for (const CausedGaps& set : device_gaps()) {
        for (std::size_t g = 0; g < set.gaps.size(); ++g) {
          const GapDiagnosis& diagnosis = set.diagnoses[g];
          const std::uint32_t t = replay_.thread_of(diagnosis.thread);
          if (diagnosis.before_issue == 0 || t == Replay::kNone) continue;
          const TimeSpan window{set.gaps[g].start, set.gaps[g].start + diagnosis.before_issue};
          for (const TimeSpan& span : where[t].intervals())
            if (span.overlaps(window)) removed[t].push_back(span.intersect(window));
        }
      }
      // A call in it that waited for the GPU does not.
      for (std::size_t c = 0; c < replay_.calls().size(); ++c)
        if (where[replay_.calls()[c].thread].contains(replay_.calls()[c].span.begin)) edit.does_not_wait[c] = true;
      for (std::size_t t = 0; t < removed.size(); ++t) scale_cpu(edit, t, std::move(removed[t]), 0);
      assumptions.push_back("the CPU does nothing of that name while the GPU is idle, nor waits for the GPU in it");
      return {};
    }
    case Kind::kScale: {
      const StringId name = trace_.strings().find(change.argument);
      if (!name.valid()) return no_name(change.argument);
      bool any = false;
      for (std::size_t w = 0; w < replay_.works().size(); ++w) {
        if (replay_.works()[w].name != name) continue;
        edit.work_factor[w] *= change.factor;
        any = true;
      }
      auto spans = spans_named(trace_, replay_.threads(), name);
      for (std::size_t t = 0; t < spans.size(); ++t) {
        any = any || !spans[t].empty();
        scale_cpu(edit, t, std::move(spans[t]), change.factor);
      }
      if (!any) return no_name(change.argument);
      assumptions.push_back("all that a CPU slice of that name contains changes with it, but waits for the GPU do not");
      return {};
    }
    case Kind::kFuse: {
      std::vector<StringId> names;
      for (const std::string_view text : split_names(change.argument)) {
        const StringId name = trace_.strings().find(text);
        if (!name.valid()) return no_name(text);
        names.push_back(name);
      }
      std::vector<std::vector<TimeSpan>> removed(replay_.threads().size());
      const auto is_one = [&](std::uint32_t w) {
        return std::ranges::find(names, replay_.works()[w].name) != names.end();
      };
      for (std::uint32_t w = 0; w < replay_.works().size(); ++w) {
        const Replay::Work& work = replay_.works()[w];
        if (!is_one(w) || work.before == Replay::kNone || !is_one(work.before)) continue;
        edit.needs_no_launch[w] = true;
        edit.at_once[w] = true;
        if (work.launch != Replay::kNone)
          removed[replay_.calls()[work.launch].thread].push_back(replay_.calls()[work.launch].span);
      }
      for (std::size_t t = 0; t < removed.size(); ++t) scale_cpu(edit, t, std::move(removed[t]), 0);
      assumptions.push_back(
          "a fused kernel takes as long as its parts together; what is saved is launches and spacing");
      return {};
    }
    case Kind::kGraph: {
      std::vector<TimeSpan> ranges = replay_.steps();
      const std::vector<IntervalSet> others = idle_for_other_reasons();
      if (!change.argument.empty() && change.argument != "all") {
        const std::vector<Step> steps = find_steps(trace_);
        const std::optional<StepRange> wanted = parse_step_range(steps, change.argument);
        if (!wanted) return fail(ErrorCode::kInvalidArgument, fmt::format("there are no steps '{}'", change.argument));
        ranges.clear();
        for (std::size_t s = wanted->first; s <= wanted->last; ++s) ranges.push_back(steps[s].span);
      }
      // Of each range and thread, what lies between its first and last launch; waits stay. A launch in steps of
      // several ranks is of the one that began last.
      std::ranges::sort(ranges, {}, &TimeSpan::begin);
      std::vector<TimeSpan> between(ranges.size() * replay_.threads().size(), TimeSpan::nothing());
      for (std::uint32_t w = 0; w < replay_.works().size(); ++w) {
        const std::uint32_t launch = replay_.works()[w].launch;
        if (launch == Replay::kNone) continue;
        const Replay::Call& call = replay_.calls()[launch];
        const auto later = std::ranges::upper_bound(ranges, call.span.begin, {}, &TimeSpan::begin);
        if (later == ranges.begin() || !(later - 1)->contains(call.span.begin)) continue;
        const auto range = static_cast<std::size_t>(later - 1 - ranges.begin());
        TimeSpan& launches = between[range * replay_.threads().size() + call.thread];
        launches = launches.unite(call.span);
        edit.at_once[w] = true;
      }
      for (std::size_t t = 0; t < replay_.threads().size(); ++t) {
        std::vector<TimeSpan> launching;
        for (std::size_t r = 0; r < ranges.size(); ++r) {
          const TimeSpan launches = between[r * replay_.threads().size() + t];
          if (launches.begin >= launches.end) continue;
          // After the one launch that is left.
          const TimeSpan rest{std::min<Nanos>(launches.end, launches.begin + Replay::kLeastDelayNs), launches.end};
          append_outside(others[t], rest, launching);
        }
        scale_cpu(edit, t, std::move(launching), 0);
      }
      assumptions.push_back(
          "between the first and the last launch of a step the CPU does nothing but wait, and what kept the GPU idle "
          "for "
          "other reasons than launches stays; all launches can be captured");
      return {};
    }
    case Kind::kOverlapComm:
      set_communication_aside(edit, assumptions);
      return {};
    case Kind::kRankEven:
      assumptions.push_back("every collective takes as long as on the rank that came last to it");
      return even_ranks(edit);
  }
  return {};
}

std::vector<WhatIfGain> WhatIf::rank(unsigned threads) const {
  std::vector<WhatIfChange> candidates;
  std::array<Nanos, kGapCauseCount> lost{};
  for (const std::vector<CausedGaps>* sets : {&device_gaps(), &stream_gaps()})
    for (const CausedGaps& set : *sets)
      for (std::size_t g = 0; g < set.gaps.size(); ++g)
        lost[static_cast<std::size_t>(set.diagnoses[g].cause)] += set.gaps[g].duration();
  for (const GapCause cause : all_gap_causes())
    if (lost[static_cast<std::size_t>(cause)] > 0 && cause != GapCause::kUnknown && cause != GapCause::kNotRecorded &&
        cause != GapCause::kOutsideSteps && cause != GapCause::kLateRank)  // that is --rank-even
      candidates.push_back({Kind::kNoCause, std::string(cause_key(cause)), 1});
  std::vector<Nanos> times(trace_.strings().size());  // by name
  bool communicates = false;
  for (const Replay::Work& work : replay_.works()) {
    times[work.name.value] = saturating_add(times[work.name.value], work.span.duration());
    communicates = communicates || work.is_communication;
  }
  std::vector<std::pair<StringId, Nanos>> most;
  for (std::uint32_t name = 0; name < times.size(); ++name)
    if (times[name] > 0) most.emplace_back(StringId{name}, times[name]);
  sort_stably(most, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t n = 0; n < std::min(most.size(), kHalvedNames); ++n)
    candidates.push_back({Kind::kScale, std::string(trace_.text(most[n].first)), 0.5});
  if (replay_.works().empty()) {
    // Without a GPU: what takes the threads most time of its own.
    std::map<StringId, Nanos> own;
    for (const TrackId id : replay_.threads()) {
      const ThreadWork thread(trace_, id, trace_.track(id).span);
      for (std::size_t s = 0; s < thread.stretches.size(); ++s) {
        const SliceId slice = thread.stretches[s].slice;
        if (!slice.valid() || is_profiler_step(trace_.name(slice))) continue;
        const Nanos end = s + 1 < thread.stretches.size() ? thread.stretches[s + 1].begin : thread.window.end;
        own[trace_.lane(slice).name(slice.index)] += end - thread.stretches[s].begin;
      }
    }
    std::vector<std::pair<StringId, Nanos>> slowest(own.begin(), own.end());
    sort_stably(slowest, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t n = 0; n < std::min(slowest.size(), kHalvedNames); ++n)
      candidates.push_back({Kind::kScale, std::string(trace_.text(slowest[n].first)), 0.5});
  }
  if (communicates) candidates.push_back({Kind::kOverlapComm, "comm", 1});
  if (communicates && trace_.sources().size() > 1) candidates.push_back({Kind::kRankEven, "", 1});
  if (!replay_.works().empty()) candidates.push_back({Kind::kGraph, "", 1});

  const Nanos unchanged = replayed();
  std::vector<std::optional<WhatIfGain>> played(candidates.size());
  parallel_for(candidates.size(), threads, [&](std::size_t n) {
    ReplayEdit edit = replay_.no_change();
    std::vector<std::string> assumptions;
    if (!apply(candidates[n], edit, assumptions)) return;
    const Nanos predicted = replay_.play(edit);
    played[n] = {std::move(candidates[n]), predicted, unchanged - predicted};
  });
  std::vector<WhatIfGain> gains;
  for (std::optional<WhatIfGain>& gain : played)
    if (gain) gains.push_back(std::move(*gain));
  sort_stably(gains, std::ranges::greater{}, &WhatIfGain::gain);
  return gains;
}

}  // namespace lacuna

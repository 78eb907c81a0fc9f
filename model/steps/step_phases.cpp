#include "model/steps/step_phases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/quantiles.h"
#include "model/causes/interval_set.h"
#include "model/causes/known_names.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

IntervalSet busy_of_source(const Trace& trace, SourceId source) {
  std::vector<TimeSpan> spans;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, source)) {
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (is_gpu_activity(trace.category_class(lane.category(i)))) spans.push_back(lane.span(i));
  }
  return IntervalSet(std::move(spans));
}

/// What the thread of the steps is at, by the names of its frames and annotations; the innermost counts.
class HostWork {
 public:
  HostWork(const Trace& trace, TrackId thread)
      : trace_(trace), thread_(trace.track(thread)), known_(trace.strings().size(), kUnasked) {}

  /// `begin`: of the step that ends the idle time.
  void add(TimeSpan idle, Nanos begin, std::array<Nanos, kServerWorkCount>& by) {
    const Nanos middle = std::clamp(begin, idle.begin, idle.end);
    add_side({idle.begin, middle}, ServerWork::kStepBefore, by);
    add_side({middle, idle.end}, ServerWork::kStep, by);
  }

 private:
  static constexpr std::uint8_t kUnasked = 255;

  /// `step`: which one time in steps is of.
  void add_side(TimeSpan idle, ServerWork step, std::array<Nanos, kServerWorkCount>& by) {
    if (idle.empty()) return;
    std::vector<TimeSpan> rest{idle};
    for (std::uint32_t k = thread_.lane_count; k-- > 0 && !rest.empty();) {
      const Lane& lane = trace_.lane(LaneId{thread_.first_lane.value + k});
      for (std::uint32_t i = lane.first_visible_from(idle.begin); i < lane.size() && lane.start(i) < idle.end; ++i)
        if (const ServerWork work = work_of(lane.name(i)); work != ServerWork::kUnknown)
          by[static_cast<std::size_t>(work == ServerWork::kStep ? step : work)] += take(lane.span(i), rest);
    }
    for (const TimeSpan& left : rest) by[static_cast<std::size_t>(ServerWork::kUnknown)] += left.duration();
  }

  ServerWork work_of(StringId name) {
    std::uint8_t& known = known_[name.value];
    if (known == kUnasked)
      known = static_cast<std::uint8_t>(server_work_of(trace_.text(name)).value_or(ServerWork::kUnknown));
    return static_cast<ServerWork>(known);
  }

  /// Takes what lies in `span` out of `rest`; its length.
  static Nanos take(TimeSpan span, std::vector<TimeSpan>& rest) {
    Nanos taken = 0;
    std::vector<TimeSpan> left;
    for (const TimeSpan& part : rest) {
      const TimeSpan both = part.intersect(span);
      if (both.begin >= both.end) {
        left.push_back(part);
        continue;
      }
      taken += both.duration();
      if (part.begin < both.begin) left.push_back({part.begin, both.begin});
      if (both.end < part.end) left.push_back({both.end, part.end});
    }
    rest = std::move(left);
    return taken;
  }

  const Trace& trace_;
  const Track& thread_;
  std::vector<std::uint8_t> known_;  // by StringId: ServerWork
};

/// A measured step with what its name says, and what was measured of it.
struct PhasedStep {
  const MeasuredStep* step;
  StepPhase phase;
  std::int64_t batch_size, tokens;
  std::uint64_t graph_launches = 0;
  Nanos graph_launch_time = 0, busy = 0, idle_inside = 0;
  TimeSpan idle = TimeSpan::nothing();  // from the GPU work before to its own
  Nanos idle_before = 0;
  std::array<Nanos, kServerWorkCount> idle_by{};
};

void find_graph_launches(const Trace& trace, SourceId source, std::vector<PhasedStep>& steps) {
  NameMemo launches_graph(trace.strings(), is_graph_launch);
  SliceId last;
  for (const LaunchLink& link : trace.links().launches()) {
    if (link.launch == last) continue;
    last = link.launch;
    const Lane& lane = trace.lane(last);
    if (!launches_graph(lane.name(last.index))) continue;
    const Nanos begin = lane.start(last.index);
    const auto next =
        std::ranges::upper_bound(steps, begin, {}, [](const PhasedStep& s) { return s.step->span.begin; });
    if (next == steps.begin() || !(next - 1)->step->span.contains(begin)) continue;
    if (trace.process(trace.track_of(last).process).source != source) continue;
    ++(next - 1)->graph_launches;
    (next - 1)->graph_launch_time += lane.duration(last.index);
  }
}

void find_idle(const Trace& trace, SourceId source, std::vector<PhasedStep>& steps) {
  const IntervalSet busy = busy_of_source(trace, source);
  const std::span<const TimeSpan> at_work = busy.intervals();
  HostWork host(trace, trace.lane(steps.front().step->annotation).track);
  Nanos end = kMaxNanos;  // of the GPU work of the steps before
  for (PhasedStep& phased : steps) {
    const MeasuredStep& step = *phased.step;
    phased.busy = busy.covered(step.paced);
    if (step.launches == 0) continue;
    phased.idle_inside = step.work.duration() - busy.covered(step.work);
    if (end < step.work.begin) {
      phased.idle = {end, step.work.begin};
      Nanos from = end;  // each stretch without work
      auto next = std::ranges::upper_bound(at_work, end, {}, &TimeSpan::end);
      for (; from < step.work.begin; ++next) {
        const Nanos to = next == at_work.end() ? step.work.begin : std::min(next->begin, step.work.begin);
        if (from < to) {
          phased.idle_before += to - from;
          host.add({from, to}, step.span.begin, phased.idle_by);
        }
        if (next == at_work.end()) break;
        from = std::max(from, next->end);
      }
    }
    end = end == kMaxNanos ? step.work.end : std::max(end, step.work.end);
  }
}

class PhaseSums {
 public:
  PhaseSums(StepPhase phase, std::optional<std::int64_t> batch_size) {
    sums_.phase = phase;
    sums_.batch_size = batch_size;
  }
  void add(const PhasedStep& phased) {
    const MeasuredStep& step = *phased.step;
    ++sums_.steps;
    lengths_.push_back(step.length());
    hosts_.push_back(step.span.duration());
    if (step.launches > 0) spans_.push_back(step.work.duration());
    sums_.length = saturating_add(sums_.length, step.length());
    sums_.busy = saturating_add(sums_.busy, phased.busy);
    sums_.graph_launches += phased.graph_launches;
    sums_.graph_launch_time = saturating_add(sums_.graph_launch_time, phased.graph_launch_time);
    sums_.requests = saturating_add(sums_.requests, phased.batch_size);
    sums_.tokens = saturating_add(sums_.tokens, phased.tokens);
    sums_.idle_inside = saturating_add(sums_.idle_inside, phased.idle_inside);
    sums_.idle_before = saturating_add(sums_.idle_before, phased.idle_before);
    for (std::size_t w = 0; w < kServerWorkCount; ++w)
      sums_.idle_by[w] = saturating_add(sums_.idle_by[w], phased.idle_by[w]);
    const auto worth = std::pair(phased.idle_before, step.length());
    if (worth <= most_) return;
    most_ = worth;
    sums_.longest_idle = phased.idle;
    sums_.longest = step.annotation;
  }
  PhaseTimes take() {
    sums_.median = median_of(std::move(lengths_));
    sums_.host_median = median_of(std::move(hosts_));
    sums_.gpu_span_median = median_of(std::move(spans_));
    return sums_;
  }

 private:
  PhaseTimes sums_;
  std::vector<Nanos> lengths_, hosts_, spans_;
  std::pair<Nanos, Nanos> most_{-1, -1};
};

std::optional<SteadyState> find_steady(const MeasuredSteps& steps, const std::vector<PhasedStep>& phased) {
  std::vector<std::int64_t> sizes;
  const auto decodes = [](const PhasedStep& s) {
    return s.phase == StepPhase::kDecode || s.phase == StepPhase::kMixed;
  };
  for (const PhasedStep& step : phased)
    if (decodes(step)) sizes.push_back(step.batch_size);
  if (sizes.size() < kLeastSteadySteps) return std::nullopt;
  const auto high = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 1 - sizes.size() / 10);
  std::nth_element(sizes.begin(), high, sizes.end());
  SteadyState steady;
  steady.most = *high;
  const auto is_full = [&](const PhasedStep& s) {
    return decodes(s) && static_cast<double>(s.batch_size) >= kSteadyBatch * static_cast<double>(steady.most);
  };
  const auto first = std::ranges::find_if(phased, is_full);
  const auto last = std::find_if(phased.rbegin(), phased.rend(), is_full);
  if (first == phased.end()) return std::nullopt;
  steady.first = static_cast<std::size_t>(first->step - steps.steps.data());
  steady.last = static_cast<std::size_t>(last->step - steps.steps.data());
  steady.ramp_up = steady.first - steps.warm_up_count;
  steady.drain = steps.steps.size() - 1 - steady.last;
  const std::size_t all = steps.steps.size() - steps.warm_up_count, left = steady.last - steady.first + 1;
  if (left == all || static_cast<double>(left) < kLeastSteadyPart * static_cast<double>(all)) return std::nullopt;
  // One whose batch goes up and down all the time is steady nowhere.
  const auto full = std::count_if(first, last.base(), [&](const PhasedStep& s) { return !decodes(s) || is_full(s); });
  if (static_cast<double>(full) < kSteadyBatch * static_cast<double>(last.base() - first)) return std::nullopt;
  for (std::size_t s = steady.first; s <= steady.last; ++s)
    steady.window = s == steady.first ? steps.steps[s].paced : steady.window.unite(steps.steps[s].paced);
  return steady;
}

}  // namespace

const PhaseTimes* StepPhases::loses_most() const {
  Nanos lost = 0, length = 0;
  for (const PhaseTimes& phase : phases) {
    lost = saturating_add(lost, phase.lost());
    length = saturating_add(length, phase.length);
  }
  if (phases.size() < 2 || static_cast<double>(lost) < kWorthNaming * static_cast<double>(length)) return nullptr;
  const auto most = std::ranges::max_element(phases, {}, &PhaseTimes::lost);
  return static_cast<double>(most->lost()) < kMostLost * static_cast<double>(lost) ? nullptr : &*most;
}

std::optional<ServerWork> StepPhases::mostly_at() const {
  Nanos idle = 0;
  std::array<Nanos, kServerWorkCount> by{};
  for (const PhaseTimes& phase : phases) {
    idle = saturating_add(idle, phase.idle_before);
    for (std::size_t w = 0; w < kServerWorkCount; ++w) by[w] = saturating_add(by[w], phase.idle_by[w]);
  }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(by) - by.begin());
  const auto work = static_cast<ServerWork>(most);
  if (idle == 0 || work == ServerWork::kUnknown || by[most] < idle - by[most]) return std::nullopt;
  return work;
}

StepPhases find_step_phases(const Trace& trace, const MeasuredSteps& steps) {
  StepPhases result;
  std::vector<PhasedStep> phased;
  for (std::size_t s = steps.warm_up_count; s < steps.steps.size(); ++s)
    if (const auto read = parse_engine_step(trace.text(steps.steps[s].name)); read && read->phase)
      phased.push_back({&steps.steps[s], *read->phase, read->batch_size, read->tokens});
  if (phased.empty()) return result;
  find_graph_launches(trace, steps.source, phased);
  find_idle(trace, steps.source, phased);
  std::map<StepPhase, PhaseSums> phases;
  std::map<std::pair<StepPhase, std::int64_t>, PhaseSums> by_batch;
  for (const PhasedStep& step : phased) {
    phases.try_emplace(step.phase, step.phase, std::nullopt).first->second.add(step);
    by_batch.try_emplace({step.phase, step.batch_size}, step.phase, step.batch_size).first->second.add(step);
  }
  for (auto& [phase, sums] : phases) result.phases.push_back(sums.take());
  for (auto& [key, sums] : by_batch) result.by_batch.push_back(sums.take());
  result.steady = find_steady(steps, phased);
  return result;
}

}  // namespace lacuna

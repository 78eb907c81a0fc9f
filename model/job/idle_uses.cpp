#include "model/job/idle_uses.h"

#include <map>
#include <utility>

#include "model/causes/gap_evidence.h"
#include "model/causes/known_names.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// What the responsible thread was in for most of the gap: the name that says most to a reader.
std::string_view mostly_in(const Trace& trace, GapEvidences& evidences, const Gap& gap, const GapDiagnosis& diagnosis) {
  const GapEvidence evidence = evidences.of(gap, diagnosis);
  const auto& annotation = evidence.at(CpuLevel::kAnnotation);
  if (diagnosis.cause == GapCause::kDataLoading && annotation.time > 0 && is_data_loading(trace.text(annotation.name)))
    return trace.text(annotation.name);
  for (const CpuLevel level : {CpuLevel::kCalledOperator, CpuLevel::kPython, CpuLevel::kRuntime})
    if (evidence.at(level).time > 0) return trace.text(evidence.at(level).name);
  return {};
}

/// The first activity of each device.
std::map<StringId, SliceId> first_activities(const Trace& trace, SourceId source) {
  std::map<StringId, SliceId> firsts;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, source)) {
    for (const Lane& lane : trace.lanes_of(track)) {
      if (lane.size() == 0 || !is_gpu_activity(trace.category_class(lane.category(0)))) continue;
      SliceId& first = firsts[track.device];
      if (!first.valid() || lane.start(0) < trace.span(first).begin)
        first = {LaneId{static_cast<std::uint32_t>(&lane - trace.lanes().data())}, 0};
    }
  }
  return firsts;
}

/// From the begin of the record to the first activity of a device, if something says when that was launched.
std::optional<Gap> lead_in(const Trace& trace, SliceId first, Nanos begin) {
  if (!first.valid() || trace.span(first).begin <= begin) return std::nullopt;
  const SliceId launch = trace.links().launch_of(first);
  if (!launch.valid()) return std::nullopt;
  return Gap{begin, trace.span(first).begin, {}, first, launch};
}

/// How much of the gap the rank's record shows to be data loading on the thread that launched.
bool is_mostly_data_loading(const Trace& trace, const Gap& gap) {
  const Track& track = trace.track_of(gap.launch);
  Nanos loading = 0;
  for (const Lane& lane : trace.lanes_of(track))
    for (std::uint32_t i = lane.first_visible_from(gap.start); i < lane.size() && lane.start(i) < gap.end; ++i)
      if (is_data_loading(trace.text(lane.name(i)))) loading += lane.span(i).intersect({gap.start, gap.end}).duration();
  return loading * 2 >= gap.duration();
}

}  // namespace

void add_idle_uses(const Trace& trace, SourceId source, std::span<const CausedGaps> devices, Nanos begin,
                   const std::function<std::int32_t(Nanos)>& step_at, JobRank& facts, FactTexts& texts) {
  struct Longest {
    Gap gap;
    GapDiagnosis diagnosis;
  };
  std::map<std::pair<std::int32_t, std::size_t>, Longest> longest;  // by step and cause
  const auto add = [&](const Gap& gap, const GapDiagnosis& diagnosis) {
    const std::int32_t step = step_at(gap.launch.valid() ? trace.span(gap.launch).begin : gap.end);
    if (step < 0) return;
    const auto cause = static_cast<std::size_t>(diagnosis.cause);
    IdleUse& use = facts.steps[static_cast<std::size_t>(step)].idle[cause];
    use.total = saturating_add(use.total, gap.duration());
    if (gap.duration() <= use.longest) return;
    use.longest = gap.duration();
    use.longest_start = gap.start;
    longest[{step, cause}] = {gap, diagnosis};
  };
  std::map<StringId, SliceId> firsts = first_activities(trace, source);
  for (const CausedGaps& device : devices) {
    if (device.source != source) continue;
    if (const std::optional<Gap> first = lead_in(trace, firsts[device.device], begin)) {
      GapDiagnosis diagnosis;
      diagnosis.cause = is_mostly_data_loading(trace, *first) ? GapCause::kDataLoading : GapCause::kLaunchBound;
      diagnosis.thread = trace.lane(first->launch).track;
      diagnosis.late = true;
      diagnosis.before_issue = trace.span(first->launch).begin - first->start;
      add(*first, diagnosis);
    }
    for (std::size_t i = 0; i < device.gaps.size(); ++i) add(device.gaps[i], device.diagnoses[i]);
  }
  GapEvidences evidences(trace);
  for (const auto& [key, worst] : longest)
    facts.steps[static_cast<std::size_t>(key.first)].idle[key.second].what =
        texts.add(mostly_in(trace, evidences, worst.gap, worst.diagnosis));
}

}  // namespace lacuna

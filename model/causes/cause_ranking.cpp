#include "model/causes/cause_ranking.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"

namespace lacuna {

CausedGaps add_causes(const CauseIndex& index, StreamActivity stream, unsigned threads) {
  const Trace& trace = index.trace();
  CausedGaps set;
  set.source = trace.process(trace.track(stream.track).process).source;
  set.device = stream.device;
  set.stream = stream.stream;
  set.window = stream.window();
  set.busy = stream.busy;
  set.diagnoses = index.diagnose(stream.gaps, threads);
  set.gaps = std::move(stream.gaps);
  return set;
}

CausedGaps add_causes(const CauseIndex& index, DeviceActivity device, unsigned threads) {
  CausedGaps set;
  set.is_device = true;
  set.source = device.source;
  set.device = device.device;
  set.window = device.window();
  set.busy = device.busy;
  set.diagnoses = index.diagnose(device.gaps, threads);
  set.gaps = std::move(device.gaps);
  return set;
}

std::vector<CausedGaps> diagnose_streams(const CauseIndex& index, const GapOptions& options) {
  std::vector<CausedGaps> sets;
  for (StreamActivity& stream : analyze_streams(index.trace(), options))
    sets.push_back(add_causes(index, std::move(stream), options.threads));
  return sets;
}

std::vector<CausedGaps> diagnose_devices(const CauseIndex& index, const GapOptions& options) {
  std::vector<CausedGaps> sets;
  for (DeviceActivity& device : analyze_devices(index.trace(), options))
    sets.push_back(add_causes(index, std::move(device), options.threads));
  return sets;
}

namespace {

std::string file_prefix(const Trace& trace, SourceId source) {
  return trace.sources().size() > 1 ? fmt::format("{}/", source.value) : std::string{};
}

}  // namespace

std::string gap_label(const Trace& trace, const CausedGaps& set, std::uint32_t gap) {
  const std::string device = file_prefix(trace, set.source) + std::string(trace.text(set.device));
  return set.is_device ? fmt::format("{}#{}", device, gap)
                       : fmt::format("{}:{}#{}", device, trace.text(set.stream), gap);
}

std::string gap_label(const Trace& trace, const StreamActivity& stream, std::uint32_t gap) {
  const SourceId source = trace.process(trace.track(stream.track).process).source;
  return fmt::format("{}{}:{}#{}", file_prefix(trace, source), trace.text(stream.device), trace.text(stream.stream),
                     gap);
}

std::vector<CauseTotal> rank_causes(std::span<const CausedGaps> sets) {
  std::vector<CauseTotal> totals(kGapCauseCount);
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    for (std::uint32_t g = 0; g < sets[s].gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = sets[s].diagnoses[g];
      const Nanos lost = sets[s].gaps[g].duration();
      diagnosis.for_each_part(lost, [&](GapCause cause, Nanos time) {
        CauseTotal& total = totals[static_cast<std::size_t>(cause)];
        total.lost = saturating_add(total.lost, time);
        // What is split off is launching, and of the queue's time first.
        const bool is_split_off = cause != diagnosis.cause;
        const Nanos from_queue = std::min(diagnosis.launching, diagnosis.in_queue);
        total.in_queue = saturating_add(total.in_queue, is_split_off ? 0 : diagnosis.in_queue - from_queue);
        total.before_issue = saturating_add(
            total.before_issue, is_split_off ? time : diagnosis.before_issue - (diagnosis.launching - from_queue));
        if (total.gaps++ == 0 || lost > total.longest.lost) total.longest = {s, g, lost};
      });
    }
  }
  for (std::size_t c = 0; c < totals.size(); ++c) totals[c].cause = static_cast<GapCause>(c);
  std::erase_if(totals, [](const CauseTotal& total) { return total.gaps == 0; });
  sort_stably(totals, std::ranges::greater{}, &CauseTotal::lost);
  return totals;
}

std::string blamed_name(const Trace& trace, CpuLevel level, StringId blamed) {
  if (blamed == kEmptyString) return "(nothing recorded)";
  const std::string name(trace.text(blamed));
  switch (level) {
    case CpuLevel::kAnnotation:
      return "(annotation) " + name;
    case CpuLevel::kPython:
      return "(python) " + name;
    case CpuLevel::kRuntime:
      return "(runtime) " + name;
    case CpuLevel::kCalledOperator:
    case CpuLevel::kOperator:
      break;
  }
  return name;
}

}  // namespace lacuna

#include "model/causes/cause_ranking.h"

#include <algorithm>

#include <fmt/format.h>

namespace lacuna {

std::vector<CausedGaps> diagnose_streams(const CauseIndex& index, const GapOptions& options) {
  const Trace& trace = index.trace();
  std::vector<CausedGaps> sets;
  for (StreamActivity& stream : analyze_streams(trace, options)) {
    CausedGaps set;
    set.source = trace.process(trace.track(stream.track).process).source;
    set.device = stream.device;
    set.stream = stream.stream;
    set.window = stream.window();
    set.busy = stream.busy;
    set.diagnoses = index.diagnose(stream.gaps);
    set.gaps = std::move(stream.gaps);
    sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<CausedGaps> diagnose_devices(const CauseIndex& index, const GapOptions& options) {
  std::vector<CausedGaps> sets;
  for (DeviceActivity& device : analyze_devices(index.trace(), options)) {
    CausedGaps set;
    set.is_device = true;
    set.source = device.source;
    set.device = device.device;
    set.window = device.window();
    set.busy = device.busy;
    set.diagnoses = index.diagnose(device.gaps);
    set.gaps = std::move(device.gaps);
    sets.push_back(std::move(set));
  }
  return sets;
}

std::string gap_label(const Trace& trace, const CausedGaps& set, std::uint32_t gap) {
  std::string label;
  if (trace.sources().size() > 1) label = fmt::format("{}/", set.source.value);
  label += trace.text(set.device);
  if (!set.is_device) label += fmt::format(":{}", trace.text(set.stream));
  return label + fmt::format("#{}", gap);
}

std::vector<GapPlace> rank_gaps(std::span<const CausedGaps> sets, std::size_t limit) {
  std::vector<GapPlace> places;
  for (std::uint32_t s = 0; s < sets.size(); ++s)
    for (std::uint32_t g = 0; g < sets[s].gaps.size(); ++g)
      places.push_back({s, g, sets[s].gaps[g].duration()});
  const auto order = [&](const GapPlace& a, const GapPlace& b) {
    if (a.lost != b.lost) return a.lost > b.lost;
    const Nanos start_a = sets[a.set].gaps[a.gap].start;
    const Nanos start_b = sets[b.set].gaps[b.gap].start;
    return start_a != start_b ? start_a < start_b : a.set < b.set;
  };
  if (limit == 0 || limit > places.size()) limit = places.size();
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(limit);
  std::partial_sort(places.begin(), middle, places.end(), order);
  places.erase(middle, places.end());
  return places;
}

std::vector<CauseTotal> rank_causes(std::span<const CausedGaps> sets) {
  std::vector<CauseTotal> totals(kGapCauseCount);
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    for (std::uint32_t g = 0; g < sets[s].gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = sets[s].diagnoses[g];
      const Nanos lost = sets[s].gaps[g].duration();
      CauseTotal& total = totals[static_cast<std::size_t>(diagnosis.cause)];
      total.lost = saturating_add(total.lost, lost);
      total.before_issue = saturating_add(total.before_issue, diagnosis.before_issue);
      total.in_queue = saturating_add(total.in_queue, diagnosis.in_queue);
      if (total.gaps++ == 0 || lost > total.longest.lost) total.longest = {s, g, lost};
    }
  }
  for (std::size_t c = 0; c < totals.size(); ++c) totals[c].cause = static_cast<GapCause>(c);
  std::erase_if(totals, [](const CauseTotal& total) { return total.gaps == 0; });
  std::ranges::stable_sort(totals, std::ranges::greater{}, &CauseTotal::lost);
  return totals;
}

}  // namespace lacuna

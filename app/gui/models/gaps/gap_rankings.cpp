#include "app/gui/models/gaps/gap_rankings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/gui/models/gaps/gap_causes.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

/// The gaps ranked, with the places in the window that they stand for.
struct Chosen : ChosenGaps {
  std::vector<std::vector<BlamedPlace>> places;  // like the gaps of the sets

  /// `refs(s, g)`: the gap of set s that had number g, as the window refers to it.
  Chosen(std::span<const CausedGaps> from, const GapFilter& filter, auto&& refs)
      : ChosenGaps(choose_gaps(from, filter.min_ns, filter.range)) {
    for (std::uint32_t s = 0; s < sets.size(); ++s) {
      std::vector<BlamedPlace>& of_set = places.emplace_back();
      for (std::size_t i = 0; i < sets[s].gaps.size(); ++i) {
        const Gap& gap = sets[s].gaps[i];
        const auto [ref, on_device] = refs(s, gap, numbers[s][i]);
        of_set.push_back({{gap.start, gap.end}, ref, gap.after, gap.duration(), on_device});
      }
    }
  }
  BlamedPlace place(const GapPlace& at) const {
    BlamedPlace place = places[at.set][at.gap];
    place.lost = at.lost;
    return place;
  }
};

/// A stream of the device is among those that the filter names.
bool has_device(const Document& document, const CausedGaps& device, const GapFilter& filter) {
  if (filter.streams.empty()) return true;
  return std::ranges::any_of(filter.streams, [&](std::uint32_t s) {
    const StreamActivity& stream = document.streams[s];
    const Trace& trace = document.trace;
    return stream.device == device.device && trace.process(trace.track(stream.track).process).source == device.source;
  });
}

Chosen choose_on_devices(const CauseAnalysis& analysis, const GapFilter& filter) {
  const Document& document = *analysis.document;
  std::vector<std::uint32_t> stream_of(document.trace.tracks().size(), GapRef::kNone);  // by track
  for (std::uint32_t s = 0; s < document.streams.size(); ++s) stream_of[document.streams[s].track.value] = s;
  const auto on_stream = [&](SliceId after) {
    const std::uint32_t stream = after.valid() ? stream_of[document.trace.lane(after).track.value] : GapRef::kNone;
    return stream == GapRef::kNone ? GapRef{} : gap_before(document, stream, after);
  };
  const std::size_t count = analysis.devices.size();
  const bool in_measured = filter.is_measured && analysis.measured_from < count;
  std::vector<CausedGaps> sets;
  std::vector<std::uint32_t> devices;
  for (std::size_t d = in_measured ? analysis.measured_from : 0; d < (in_measured ? count : analysis.measured_from);
       ++d) {
    if (!has_device(document, analysis.devices[d], filter)) continue;
    sets.push_back(analysis.devices[d]);
    devices.push_back(static_cast<std::uint32_t>(d));
  }
  return Chosen(sets, filter, [&](std::uint32_t s, const Gap& gap, std::uint32_t g) {
    return std::pair(on_stream(gap.after), DeviceGapRef{devices[s], g});
  });
}

Chosen choose_on_streams(const CauseAnalysis& analysis, const GapFilter& filter) {
  const Document& document = *analysis.document;
  std::vector<CausedGaps> sets;
  std::vector<std::uint32_t> streams;
  for (std::uint32_t s = 0; s < document.streams.size(); ++s) {
    if (!filter.has(s)) continue;
    const StreamActivity& stream = document.streams[s];
    CausedGaps& set = sets.emplace_back();
    set.source = document.trace.process(document.trace.track(stream.track).process).source;
    set.device = stream.device;
    set.stream = stream.stream;
    set.gaps = stream.gaps;
    set.diagnoses = analysis.by_stream[s];
    streams.push_back(s);
  }
  return Chosen(sets, filter, [&](std::uint32_t s, const Gap&, std::uint32_t g) {
    return std::pair(GapRef{streams[s], g}, DeviceGapRef{});
  });
}

Chosen choose(const CauseAnalysis& analysis, const GapFilter& filter, bool whole_gpu) {
  return whole_gpu ? choose_on_devices(analysis, filter) : choose_on_streams(analysis, filter);
}

void sort_places(std::vector<BlamedPlace>& places) {
  std::ranges::sort(places, [](const BlamedPlace& a, const BlamedPlace& b) {
    return std::tuple(-a.lost, a.span.begin, a.gap) < std::tuple(-b.lost, b.span.begin, b.gap);
  });
}

std::vector<CauseRow> by_cause(const Chosen& chosen) {
  std::vector<CauseRow> rows(kGapCauseCount);
  for (std::size_t s = 0; s < chosen.sets.size(); ++s) {
    for (std::size_t g = 0; g < chosen.sets[s].gaps.size(); ++g) {
      const GapDiagnosis& diagnosis = chosen.sets[s].diagnoses[g];
      CauseRow& row = rows[static_cast<std::size_t>(diagnosis.cause)];
      row.lost = saturating_add(row.lost, chosen.places[s][g].lost);
      row.before_issue = saturating_add(row.before_issue, diagnosis.before_issue);
      row.in_queue = saturating_add(row.in_queue, diagnosis.in_queue);
      row.places.push_back(chosen.places[s][g]);
    }
  }
  for (std::size_t c = 0; c < rows.size(); ++c) {
    rows[c].cause = static_cast<GapCause>(c);
    sort_places(rows[c].places);
  }
  std::erase_if(rows, [](const CauseRow& row) { return row.places.empty(); });
  sort_stably(rows, std::ranges::greater{}, &CauseRow::lost);
  return rows;
}

}  // namespace

GapRankings rank_gaps_by_blame(const CauseAnalysis& analysis, const GapFilter& filter, bool whole_gpu) {
  const Chosen chosen = choose(analysis, filter, whole_gpu);
  GapRankings rankings;
  rankings.whole_gpu = whole_gpu;
  rankings.left_out = chosen.left_out;
  rankings.not_yet = chosen.not_yet;
  rankings.gaps = chosen.counted.gaps;
  rankings.idle = chosen.counted.time;
  rankings.causes = by_cause(chosen);
  const OperatorCosts costs = charge_operators(analysis.document->trace, chosen.sets);
  rankings.not_charged = costs.not_charged;
  rankings.operators.reserve(costs.rows.size());
  for (const OperatorCost& cost : costs.rows) {
    OperatorRow& row = rankings.operators.emplace_back();
    row.level = cost.level;
    row.name = cost.name;
    row.lost = cost.lost;
    row.in_synchronisation = cost.in_synchronisation;
    row.mostly_in = cost.mostly_in;
    row.places.reserve(cost.places.size());
    for (const GapPlace& place : cost.places) row.places.push_back(chosen.place(place));
    sort_places(row.places);
  }
  return rankings;
}

std::vector<BlamedPlace> still_there(const Document& document, const std::vector<BlamedPlace>& places) {
  std::vector<BlamedPlace> found;
  for (const BlamedPlace& place : places) {
    if (!place.gap.valid() || place.gap.stream >= document.streams.size()) continue;
    const SharedVector<Gap>& gaps = document.streams[place.gap.stream].gaps;
    if (place.gap.gap >= gaps.size() || gaps[place.gap.gap].end != place.span.end) continue;
    found.push_back(place);
    found.back().after = gaps[place.gap.gap].after;
  }
  return found;
}

std::vector<CausedGaps> gaps_of(const CauseAnalysis& analysis, const GapFilter& filter, bool whole_gpu,
                                const std::vector<TrackId>& tracks) {
  const Document& document = *analysis.document;
  const bool by_stream =
      std::ranges::any_of(tracks, [&](TrackId id) { return document.trace.track(id).kind == TrackKind::kGpuStream; });
  std::vector<CausedGaps> sets = choose(analysis, filter, whole_gpu && !by_stream).sets;
  if (!by_stream) return sets;
  // Sets are like the streams of the document.
  std::vector<CausedGaps> chosen;
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (std::ranges::find(tracks, document.streams[s].track) != tracks.end()) chosen.push_back(std::move(sets[s]));
  return chosen;
}

void GapRoute::set(std::vector<BlamedPlace> places) {
  places_ = std::move(places);
  std::ranges::sort(places_, [](const BlamedPlace& a, const BlamedPlace& b) {
    return std::tuple(a.span.begin, a.gap) < std::tuple(b.span.begin, b.gap);
  });
}

std::size_t GapRoute::find(GapRef gap) const {
  if (!gap.valid()) return places_.size();
  const auto found = std::ranges::find(places_, gap, &BlamedPlace::gap);
  return static_cast<std::size_t>(found - places_.begin());
}

const BlamedPlace* GapRoute::step(GapRef gap, Nanos from, int direction) const {
  const std::size_t at = find(gap);
  if (at < places_.size()) {
    if (direction > 0) return at + 1 < places_.size() ? &places_[at + 1] : nullptr;
    return at > 0 ? &places_[at - 1] : nullptr;
  }
  const auto next =
      std::ranges::lower_bound(places_, from, {}, [](const BlamedPlace& place) { return place.span.begin; });
  if (direction > 0) return next == places_.end() ? nullptr : &*next;
  return next == places_.begin() ? nullptr : &*(next - 1);
}

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/gui/models/gaps/gap_list.h"
#include "model/causes/cpu_timeline.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

struct CauseAnalysis;
struct CausedGaps;

/// One entry in a row of a ranking.
struct BlamedPlace {
  TimeSpan span;             ///< the idle time: a gap, or the part of it in which all streams were idle
  GapRef gap;                ///< of the stream that resumed first; invalid before its first activity
  SliceId after;             ///< the activity after the gap
  Nanos lost = 0;            ///< time of the place that its row is charged
  DeviceGapRef on_device{};  ///< if the place is a gap of the whole GPU

  bool operator==(const BlamedPlace&) const = default;
};

/// Total idle time of one cause.
struct CauseRow {
  GapCause cause = GapCause::kUnknown;
  Nanos lost = 0;
  Nanos before_issue = 0;
  Nanos in_queue = 0;
  std::vector<BlamedPlace> places;  ///< most lost time first
};

/// Total idle time charged to one operator: see OperatorCost.
struct OperatorRow {
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;  ///< empty: no operator was recorded
  Nanos lost = 0;
  Nanos in_synchronisation = 0;
  StringId mostly_in = kEmptyString;
  std::vector<BlamedPlace> places;  ///< most lost time first
};

/// Lost time by cause and by operator.
struct GapRankings {
  bool whole_gpu = false;
  Nanos idle = 0;  ///< total of all ranked gaps
  std::uint64_t gaps = 0;
  GapSum left_out;                     ///< gaps that pass the filter but for their length
  GapSum not_yet;                      ///< not ranked as their causes are unknown so far, see CauseAnalysis::is_growing
  Nanos not_charged = 0;               ///< idle time charged to no operator
  std::vector<CauseRow> causes;        ///< most lost time first
  std::vector<OperatorRow> operators;  ///< most lost time first
};

/// Ranks whole gaps that pass `filter`: those of each stream or, with `whole_gpu`, the times
/// in which all streams of a GPU were idle. Any thread; O(gaps log gaps + slices inside them).
GapRankings rank_gaps_by_blame(const CauseAnalysis& analysis, const GapFilter& filter, bool whole_gpu);

/// Returns the places that are still gaps in `document`, a later document of the same recording.
std::vector<BlamedPlace> still_there(const Document& document, const std::vector<BlamedPlace>& places);

/// Returns the gaps that rank_gaps_by_blame() ranks; if `tracks` has any, only their streams'.
std::vector<CausedGaps> gaps_of(const CauseAnalysis& analysis, const GapFilter& filter, bool whole_gpu,
                                const std::vector<TrackId>& tracks);

/// The places of one ranking row in time order, for stepping.
class GapRoute {
 public:
  void set(std::vector<BlamedPlace> places);
  void clear() { places_.clear(); }
  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }
  /// Returns the index of the place at `gap`, or size().
  std::size_t find(GapRef gap) const;
  /// Returns the place after (`direction` > 0) or before the one at `gap`, or of time `from` if that gap
  /// is not on the route; null at the end.
  const BlamedPlace* step(GapRef gap, Nanos from, int direction) const;
  const std::vector<BlamedPlace>& places() const { return places_; }

 private:
  std::vector<BlamedPlace> places_;  // ascending by start
};

}  // namespace lacuna

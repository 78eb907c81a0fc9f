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

/// One place to which a ranking leads.
struct BlamedPlace {
  TimeSpan span;             ///< the idle time meant: a gap, or a part of it in which all streams were idle
  GapRef gap;                ///< of the stream that went on first; invalid before its first activity
  SliceId after;             ///< that activity
  Nanos lost = 0;            ///< what the row charges of it
  DeviceGapRef on_device{};  ///< where the place is a gap of the whole GPU

  bool operator==(const BlamedPlace&) const = default;
};

/// Idle time of one cause.
struct CauseRow {
  GapCause cause = GapCause::kUnknown;
  Nanos lost = 0;
  Nanos before_issue = 0;
  Nanos in_queue = 0;
  std::vector<BlamedPlace> places;  ///< most lost time first
};

/// Idle time that one operator caused: see OperatorCost.
struct OperatorRow {
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;  ///< empty: nothing was recorded
  Nanos lost = 0;
  Nanos in_synchronisation = 0;
  StringId mostly_in = kEmptyString;
  std::vector<BlamedPlace> places;  ///< most lost time first
};

/// Lost time by cause and by operator.
struct GapRankings {
  bool whole_gpu = false;
  Nanos idle = 0;  ///< of all gaps ranked
  std::uint64_t gaps = 0;
  GapSum left_out;                     ///< too short for the filter, otherwise like them
  GapSum not_yet;                      ///< not ranked: their causes are not known yet, see CauseAnalysis::is_growing
  Nanos not_charged = 0;               ///< idle time that is no operator's
  std::vector<CauseRow> causes;        ///< most lost time first
  std::vector<OperatorRow> operators;  ///< likewise
};

/// Ranks the gaps that pass `filter`, whole ones: those of each stream, or, `whole_gpu`, the times
/// in which all streams of a GPU were idle. Any thread; O(gaps log gaps + slices inside them).
GapRankings rank_gaps_by_blame(const CauseAnalysis& analysis, const GapList::Filter& filter, bool whole_gpu);

/// The places that still are gaps of `document`, a later one of the recording that they are of.
std::vector<BlamedPlace> still_there(const Document& document, const std::vector<BlamedPlace>& places);

/// The gaps that rank_gaps_by_blame() ranks; of streams only those among `tracks`, if there are any.
std::vector<CausedGaps> gaps_of(const CauseAnalysis& analysis, const GapList::Filter& filter, bool whole_gpu,
                                const std::vector<TrackId>& tracks);

/// "aten::item", "(python) train.py(12): step", "(nothing recorded)".
std::string blamed_name(const Trace& trace, const OperatorRow& row);

/// The places of one row of a ranking in the order of time, to be walked through.
class GapRoute {
 public:
  void set(std::vector<BlamedPlace> places);
  void clear() { places_.clear(); }
  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }
  /// Index of the place at `gap`, or size().
  std::size_t find(GapRef gap) const;
  /// The place after (`direction` > 0) or before the one at `gap`, or the moment `from` where that
  /// is no place of the route; null at the end.
  const BlamedPlace* step(GapRef gap, Nanos from, int direction) const;
  const std::vector<BlamedPlace>& places() const { return places_; }

 private:
  std::vector<BlamedPlace> places_;  // ascending by start
};

}  // namespace lacuna

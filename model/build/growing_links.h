#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/build/flow_linking.h"
#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The links of a recording under way, kept up from one trace of it to the next. Slices that are settled
/// (Lane::settled) are looked at once: a launch and its activity are joined for good when both are settled, likewise
/// the two ends of a flow. What is not settled is linked anew for each trace. Of one recording, whose traces come in
/// their order. One thread at a time.
///
/// Some recordings cannot be kept up: flows of which an id comes again, calls that share the correlation of earlier
/// ones, places that are given up. Then it starts over, a few times, and after that gives no answers any more.
class GrowingLinks {
 public:
  struct Result {
    PageVector<FlowArrow> flows;    ///< as link_flows(), in the order of Links::flows()
    LaunchLinks launches;           ///< as link_launches(), both tables in their order
    std::vector<SliceId> unlinked;  ///< activities without a call of their correlation, in no order
  };
  /// Nothing: to be linked afresh. `runs`: all flows of the recording so far, in the order in which they came.
  /// O(slices newly settled + slices not settled + links), where a link costs what copying it does.
  std::optional<Result> update(const Trace& trace, const std::vector<FlowRun>& runs, ImportReport& report);
  /// Launches and flows that were joined for good.
  std::size_t kept() const;

 private:
  enum class Outcome : std::uint8_t { kMade, kAfresh, kStartOver };
  /// A lane as traces to come have it, too: their ids of lanes change when a track gets another row.
  struct Place {
    std::uint32_t attempt = 0;  ///< Lane::attempt
    std::uint32_t counted = 0;  ///< slices that were settled when they were looked at
    LaneId lane;                ///< in this trace
  };
  struct Slice {
    std::uint32_t place = 0;
    std::uint32_t index = 0;
  };
  struct Call {
    std::uint64_t correlation = 0;
    std::uint32_t index = 0;
    std::uint32_t place = 0;
    bool starts_work = false;
    bool is_linked = false;
  };
  struct Activity {
    std::uint64_t correlation = 0;
    Slice slice;
    std::uint32_t source = 0;
  };
  /// The other end of a link of the slice `index` of some place.
  struct Link {
    std::uint32_t index = 0;
    Slice other;
  };
  struct Arrow {
    std::uint32_t index = 0;  ///< where it comes from
    std::uint32_t category = 0;
    Slice to;
    Nanos from_time = 0;
    Nanos to_time = 0;
  };
  struct TailCall {
    std::uint64_t correlation = 0;
    std::uint64_t file_offset = 0;
    SliceId slice;
    bool starts_work = false;
    bool is_linked = false;
  };
  struct Tail;
  using FlowThread = std::tuple<SourceId, StringId, StringId>;

  bool find_places(const Trace& trace);
  SliceId slice_of(Slice slice) const { return {places_[slice.place].lane, slice.index}; }
  bool settle_calls(const Trace& trace);
  void settle_activities(const Trace& trace);
  void link_settled();
  /// False: a call that is not settled may have what was given to another one.
  bool link_tail(const Trace& trace, Tail& tail, ImportReport& report);
  bool take_flows(const std::vector<FlowRun>& runs);
  void link_flow_ends(const Trace& trace, PageVector<FlowArrow>& tail, ImportReport& report);
  Outcome take(const Trace& trace, const std::vector<FlowRun>& runs, Result& result, ImportReport& report);
  void put_together(const Trace& trace, Tail& tail, Result& result) const;
  void put_flows_together(const Trace& trace, PageVector<FlowArrow>& tail, PageVector<FlowArrow>& flows) const;
  bool starts_work(const Trace& trace, StringId name);
  void start_over();

  std::map<std::tuple<TrackId, std::uint32_t, std::uint32_t>, std::uint32_t> place_index_;  // by nest and depth, too
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_lane_;  // of this trace; kNoIndex: nothing of it is settled
  // By source: calls that are settled, ascending by correlation, of one correlation the first in the file first.
  std::vector<std::vector<Call>> calls_;
  std::vector<Activity> open_;                // settled ones without a call that is settled
  std::vector<std::vector<Link>> by_launch_;  // by place; ascending by index
  std::vector<std::vector<Link>> by_activity_;
  std::uint64_t activities_ = 0;     // that are settled
  std::uint64_t idle_calls_ = 0;     // that are settled, start work, and have no settled activity
  std::uint64_t shared_calls_ = 0;   // activities whose correlation several calls have
  std::vector<signed char> starts_;  // by name; -1: not asked yet

  std::vector<std::shared_ptr<const PageVector<FlowEvent>>> seen_;  // runs that were taken
  std::map<FlowThread, std::vector<FlowEnd>> ends_;                 // that are not paired yet
  std::vector<std::vector<Arrow>> arrows_;                          // by place; ascending by (index, to_time)
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::unordered_map<std::uint64_t, std::uint64_t>>
      paired_;  // ids of these, by source and category; a bit for each of 64
  std::uint32_t starts_over_ = 0;
};

}  // namespace lacuna

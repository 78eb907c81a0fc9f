#include "model/build/growing_links.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"
#include "model/build/growing_table.h"
#include "model/build/launch_linking.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kMostStartsOver = 8;

bool is_before_launch(const LaunchLink& a, const LaunchLink& b) {
  return a.launch != b.launch ? a.launch < b.launch : a.activity < b.activity;
}
bool is_before_activity(const LaunchLink& a, const LaunchLink& b) {
  return a.activity < b.activity;
}

/// Adds `more` to a sorted table. What comes later mostly belongs near the end.
template <class T, class Less>
void merge_into(std::vector<T>& table, std::vector<T>& more, Less less) {
  if (more.empty()) return;
  std::stable_sort(more.begin(), more.end(), less);
  const auto from = std::upper_bound(table.begin(), table.end(), more.front(), less) - table.begin();
  const auto middle = static_cast<std::ptrdiff_t>(table.size());
  table.insert(table.end(), more.begin(), more.end());
  if (from < middle) std::inplace_merge(table.begin() + from, table.begin() + middle, table.end(), less);
  more.clear();
}

bool may_have_calls(const Trace& trace, const Lane& lane) {
  return traits_of(trace.track(lane.track).kind).is_work;
}

bool is_call(const Trace& trace, const Lane& lane, std::uint32_t i) {
  return is_correlation(lane.correlation(i)) && trace.category_class(lane.category(i)) == CategoryClass::kRuntime;
}

std::uint32_t source_of(const Trace& trace, const Lane& lane) {
  return trace.process(trace.track(lane.track).process).source.value;
}

}  // namespace

/// What is kept up; made anew to start over.
class GrowingLinks::State {
 public:
  enum class Outcome : std::uint8_t { kMade, kAfresh, kStartOver };
  Outcome take(const Trace& trace, const std::vector<FlowRun>& runs, Links& links, ImportReport& report);
  std::size_t kept() const;

 private:
  /// A lane as traces to come have it, too: their ids of lanes change when a track gets another row.
  struct Place {
    std::uint32_t generation = 0;  ///< Lane::generation
    std::uint32_t counted = 0;     ///< slices that were sealed when they were looked at
    LaneId lane;                   ///< in this trace
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
  struct TailCall {
    std::uint64_t correlation = 0;
    std::uint64_t file_offset = 0;
    SliceId slice;
    bool starts_work = false;
    bool is_linked = false;
  };
  struct Tail;

  bool find_places(const Trace& trace);
  void move_tables(const std::vector<LaneId>& lanes_before);
  SliceId slice_of(Slice slice) const { return {places_[slice.place].lane, slice.index}; }
  bool seal_calls(const Trace& trace);
  void seal_activities(const Trace& trace);
  void link_sealed();
  /// False: a call that is not sealed may have what was given to another one.
  bool link_tail(const Trace& trace, Tail& tail, ImportReport& report);
  bool take_flows(const std::vector<FlowRun>& runs);
  void link_flow_ends(const Trace& trace, PageVector<FlowArrow>& tail, ImportReport& report);
  template <class T, class OwnEnd, class Less>
  LinkTable<T> put_together(const std::vector<GrowingTable<T>>& sealed, std::vector<T>& tail, OwnEnd own_end,
                            Less less) const;
  bool starts_work(const Trace& trace, StringId name);
  std::map<std::tuple<TrackId, std::uint32_t, std::uint32_t>, std::uint32_t> place_index_;  // by nest and depth, too
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_lane_;  // of this trace; kNoIndex: nothing of it is sealed
  // By source: calls that are sealed, ascending by correlation, of one correlation the first in the file first.
  std::vector<std::vector<Call>> calls_;
  std::vector<Activity> open_;                       // sealed ones without a call that is sealed
  std::vector<GrowingTable<LaunchLink>> by_launch_;  // by place; ids of lanes are those of this trace
  std::vector<GrowingTable<LaunchLink>> by_activity_;
  std::uint64_t activities_ = 0;     // that are sealed
  std::uint64_t idle_calls_ = 0;     // that are sealed, start work, and have no sealed activity
  std::uint64_t shared_calls_ = 0;   // activities whose correlation several calls have
  std::vector<signed char> starts_;  // by name; -1: not asked yet

  std::vector<std::shared_ptr<const PageVector<FlowEvent>>> seen_;  // runs that were taken
  std::map<FlowThread, std::vector<FlowEnd>> ends_;                 // that are not paired yet
  std::vector<GrowingTable<FlowArrow>> arrows_;                     // by place of where they come from
  std::vector<GrowingTable<FlowArrow>> arrows_by_to_;               // … and go to
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::unordered_map<std::uint64_t, std::uint64_t, SeededHash>>
      paired_;  // ids of these, by source and category; a bit for each of 64
};

/// What is linked for one trace alone.
struct GrowingLinks::State::Tail {
  std::vector<std::vector<TailCall>> calls;  // by source; by (correlation, offset in the file)
  std::vector<LaunchLink> links;
  std::vector<SliceId> unlinked;
  std::uint64_t activities = 0;
  PageVector<FlowArrow> flows;
};

bool GrowingLinks::State::find_places(const Trace& trace) {
  const auto lanes = trace.lanes();
  place_of_lane_.assign(lanes.size(), kNoIndex);
  std::vector<LaneId> lanes_before;  // by place
  for (const Place& place : places_) lanes_before.push_back(place.lane);
  std::size_t found = 0;
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    if (lane.sealed == 0) continue;
    const auto [it, is_new] =
        place_index_.try_emplace({lane.track, lane.nest, lane.depth}, static_cast<std::uint32_t>(places_.size()));
    if (is_new) {
      places_.push_back({lane.generation, 0, {}});
      by_launch_.emplace_back();
      by_activity_.emplace_back();
      arrows_.emplace_back();
      arrows_by_to_.emplace_back();
    }
    Place& place = places_[it->second];
    if (place.generation != lane.generation || place.counted > lane.sealed) return false;
    place.lane = LaneId{l};
    place_of_lane_[l] = it->second;
    ++found;
  }
  if (found != places_.size()) return false;
  move_tables(lanes_before);
  return true;
}

void GrowingLinks::State::move_tables(const std::vector<LaneId>& lanes_before) {
  std::vector<LaneId> now;  // by the lane before
  bool has_moved = false;
  for (std::size_t p = 0; p < lanes_before.size(); ++p) {
    const std::size_t lane = lanes_before[p].value;
    if (now.size() <= lane) now.resize(lane + 1);
    now[lane] = places_[p].lane;
    has_moved = has_moved || places_[p].lane != lanes_before[p];
  }
  if (!has_moved) return;
  const auto move_link = [&](LaunchLink& link) {
    link.launch.lane = now[link.launch.lane.value];
    link.activity.lane = now[link.activity.lane.value];
  };
  const auto move_arrow = [&](FlowArrow& arrow) {
    arrow.from.lane = now[arrow.from.lane.value];
    arrow.to.lane = now[arrow.to.lane.value];
  };
  for (GrowingTable<LaunchLink>& table : by_launch_) table.change(move_link, is_before_launch);
  for (GrowingTable<LaunchLink>& table : by_activity_) table.change(move_link, is_before_activity);
  for (GrowingTable<FlowArrow>& table : arrows_) table.change(move_arrow, Links::is_before_from);
  for (GrowingTable<FlowArrow>& table : arrows_by_to_) table.change(move_arrow, Links::is_before_to);
}

bool GrowingLinks::State::starts_work(const Trace& trace, StringId name) {
  if (starts_.size() <= name.value) starts_.resize(name.value + 1, -1);
  signed char& answer = starts_[name.value];
  if (answer < 0) answer = starts_gpu_work(trace.text(name)) ? 1 : 0;
  return answer == 1;
}

bool GrowingLinks::State::seal_calls(const Trace& trace) {
  const auto lanes = trace.lanes();
  calls_.resize(trace.sources().size());
  std::vector<std::vector<Call>> fresh(calls_.size());
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    const std::uint32_t p = place_of_lane_[l];
    if (p == kNoIndex || !lane.has_ids() || !may_have_calls(trace, lane)) continue;
    std::vector<Call>& calls = fresh[source_of(trace, lane)];
    for (std::uint32_t i = places_[p].counted; i < lane.sealed; ++i) {
      if (!is_call(trace, lane, i)) continue;
      const bool starts = starts_work(trace, lane.name(i));
      idle_calls_ += starts;
      calls.push_back({lane.correlation(i), i, p, starts, false});
    }
  }
  const auto offset = [&](const Call& call) { return trace.lane(places_[call.place].lane).file_offset(call.index); };
  const auto before = [&](const Call& a, const Call& b) {
    return a.correlation != b.correlation ? a.correlation < b.correlation : offset(a) < offset(b);
  };
  for (std::size_t s = 0; s < calls_.size(); ++s) {
    if (!calls_[s].empty())
      for (const Call& call : fresh[s]) {
        if (call.correlation > calls_[s].back().correlation) continue;
        const auto known = std::ranges::lower_bound(calls_[s], call.correlation, {}, &Call::correlation);
        for (auto same = known; same != calls_[s].end() && same->correlation == call.correlation; ++same)
          if (same->is_linked) return false;
      }
    merge_into(calls_[s], fresh[s], before);
  }
  return true;
}

void GrowingLinks::State::seal_activities(const Trace& trace) {
  const auto lanes = trace.lanes();
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    const std::uint32_t p = place_of_lane_[l];
    if (p == kNoIndex) continue;
    Place& place = places_[p];
    if (trace.track(lane.track).kind == TrackKind::kGpuStream)
      for (std::uint32_t i = place.counted; i < lane.sealed; ++i) {
        if (!is_gpu_activity(trace.category_class(lane.category(i)))) continue;
        ++activities_;
        open_.push_back({lane.correlation(i), {p, i}, source_of(trace, lane)});
      }
    place.counted = lane.sealed;
  }
}

void GrowingLinks::State::link_sealed() {
  std::vector<std::vector<LaunchLink>> by_launch(places_.size());
  std::vector<std::vector<LaunchLink>> by_activity(places_.size());
  std::erase_if(open_, [&](const Activity& activity) {
    if (!is_correlation(activity.correlation)) return false;
    std::vector<Call>& calls = calls_[activity.source];
    const auto found = std::ranges::lower_bound(calls, activity.correlation, {}, &Call::correlation);
    if (found == calls.end() || found->correlation != activity.correlation) return false;
    const auto next = found + 1;
    shared_calls_ += next != calls.end() && next->correlation == activity.correlation;
    idle_calls_ -= found->starts_work && !found->is_linked;
    found->is_linked = true;
    const LaunchLink link{slice_of({found->place, found->index}), slice_of(activity.slice)};
    by_launch[found->place].push_back(link);
    by_activity[activity.slice.place].push_back(link);
    return true;
  });
  for (std::size_t p = 0; p < places_.size(); ++p) {
    std::ranges::sort(by_launch[p], is_before_launch);
    std::ranges::sort(by_activity[p], is_before_activity);
    by_launch_[p].add(by_launch[p], is_before_launch);
    by_activity_[p].add(by_activity[p], is_before_activity);
  }
}

bool GrowingLinks::State::link_tail(const Trace& trace, Tail& tail, ImportReport& report) {
  const auto lanes = trace.lanes();
  tail.calls.resize(calls_.size());
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    if (!lane.has_ids() || !may_have_calls(trace, lane)) continue;
    std::vector<TailCall>& calls = tail.calls[source_of(trace, lane)];
    for (std::uint32_t i = lane.sealed; i < lane.size(); ++i)
      if (is_call(trace, lane, i))
        calls.push_back({lane.correlation(i), lane.file_offset(i), {LaneId{l}, i}, starts_work(trace, lane.name(i))});
  }
  for (std::size_t s = 0; s < tail.calls.size(); ++s) {
    std::ranges::sort(tail.calls[s], {},
                      [](const TailCall& call) { return std::pair(call.correlation, call.file_offset); });
    for (const TailCall& call : tail.calls[s]) {
      const auto known = std::ranges::lower_bound(calls_[s], call.correlation, {}, &Call::correlation);
      if (known != calls_[s].end() && known->correlation == call.correlation && known->is_linked) return false;
    }
  }

  std::uint64_t shared = shared_calls_;
  std::vector<const Call*> linked;  // sealed ones, by something that is not
  const auto link = [&](std::uint64_t correlation, std::uint32_t source, SliceId activity) {
    if (!is_correlation(correlation)) return tail.unlinked.push_back(activity);
    const std::vector<Call>& calls = calls_[source];
    std::vector<TailCall>& newer = tail.calls[source];
    const auto call = std::ranges::lower_bound(calls, correlation, {}, &Call::correlation);
    const auto later = std::ranges::lower_bound(newer, correlation, {}, &TailCall::correlation);
    const bool has_call = call != calls.end() && call->correlation == correlation;
    const bool has_later = later != newer.end() && later->correlation == correlation;
    if (!has_call && !has_later) return tail.unlinked.push_back(activity);
    const bool is_shared = (has_call && has_later) ||
                           (has_call && call + 1 != calls.end() && (call + 1)->correlation == correlation) ||
                           (has_later && later + 1 != newer.end() && (later + 1)->correlation == correlation);
    shared += is_shared;
    const SliceId sealed = has_call ? slice_of({call->place, call->index}) : SliceId{};
    const bool takes_later =
        !has_call || (has_later && later->file_offset < trace.lane(sealed).file_offset(sealed.index));
    if (takes_later) {
      later->is_linked = true;
    } else if (call->starts_work && !call->is_linked) {
      linked.push_back(&*call);
    }
    tail.links.push_back({takes_later ? later->slice : sealed, activity});
  };
  for (const Activity& activity : open_) link(activity.correlation, activity.source, slice_of(activity.slice));
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    if (trace.track(lane.track).kind != TrackKind::kGpuStream) continue;
    for (std::uint32_t i = lane.sealed; i < lane.size(); ++i) {
      if (!is_gpu_activity(trace.category_class(lane.category(i)))) continue;
      ++tail.activities;
      link(lane.correlation(i), source_of(trace, lane), {LaneId{l}, i});
    }
  }
  std::ranges::sort(linked);
  linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
  std::uint64_t idle = idle_calls_ - linked.size();
  for (const std::vector<TailCall>& calls : tail.calls)
    for (const TailCall& call : calls) idle += call.starts_work && !call.is_linked;
  report.add(Finding::kSeveralLaunches, ImportReport::kNoOffset, {}, shared);
  report.add(Finding::kLaunchWithoutActivity, ImportReport::kNoOffset, {}, idle);
  return true;
}

bool GrowingLinks::State::take_flows(const std::vector<FlowRun>& runs) {
  if (runs.size() < seen_.size()) return false;
  for (std::size_t k = 0; k < seen_.size(); ++k)
    if (runs[k].events != seen_[k]) return false;
  for (std::size_t k = seen_.size(); k < runs.size(); ++k) {
    const FlowRun& run = runs[k];
    std::vector<FlowEnd>& ends = ends_[{run.source, run.pid, run.tid}];
    for (const FlowEvent& event : *run.events) {
      ends.push_back(to_end(event, run.source, *run.remap));
      const FlowEnd& end = ends.back();
      const auto of_category = paired_.find({end.source, end.category});
      if (of_category == paired_.end()) continue;
      const auto bits = of_category->second.find(end.id.value() / 64);
      if (bits != of_category->second.end() && (bits->second >> end.id.value() % 64 & 1) != 0) return false;
    }
    seen_.push_back(run.events);
  }
  return true;
}

void GrowingLinks::State::link_flow_ends(const Trace& trace, PageVector<FlowArrow>& tail, ImportReport& report) {
  struct Known {
    std::uint64_t id;
    FlowEnd* end;
    bool is_certain;
  };
  std::vector<Known> known;
  const std::map<FlowThread, std::vector<TrackId>> tracks = tracks_by_thread(trace);
  for (auto& [thread, ends] : ends_) {
    if (ends.empty()) continue;
    const auto found = tracks.find(thread);
    const std::span<const TrackId> own = found == tracks.end() ? std::span<const TrackId>() : found->second;
    if (!std::ranges::is_sorted(ends, {}, &FlowEnd::time)) std::ranges::stable_sort(ends, {}, &FlowEnd::time);
    // All of a track that starts up to the last start of what is sealed is sealed, but for what runs.
    Nanos edge = kMaxNanos;
    for (const TrackId id : own) {
      Nanos last = kMinNanos;
      bool has_slices = false;
      for (const Lane& lane : trace.lanes_of(trace.track(id))) {
        has_slices = has_slices || lane.size() > 0;
        if (lane.sealed > 0) last = std::max(last, lane.start(lane.sealed - 1));
      }
      if (has_slices) edge = std::min(edge, last);
    }
    bind_ends_of_thread(trace, own, ends);
    for (FlowEnd& end : ends) {
      const bool is_certain = end.slice.valid() && end.time <= edge && end.slice.index < trace.lane(end.slice).sealed;
      known.push_back({end.id.value(), &end, is_certain});
    }
  }
  const auto group = [](const Known& k) { return std::tuple(k.id, k.end->source, k.end->category); };
  std::ranges::sort(known, [&](const Known& a, const Known& b) {
    if (group(a) != group(b)) return group(a) < group(b);
    return std::tie(a.end->time, a.end->file_offset) < std::tie(b.end->time, b.end->file_offset);
  });
  std::vector<std::vector<FlowArrow>> fresh(places_.size());
  std::vector<std::vector<FlowArrow>> fresh_by_to(places_.size());
  std::vector<FlowEnd> ends;
  std::vector<SortKey> indices;
  const auto place_of = [&](SliceId slice) { return place_of_lane_[slice.lane.value]; };
  for (std::size_t begin = 0, end = 0; begin < known.size(); begin = end) {
    while (end < known.size() && group(known[end]) == group(known[begin])) ++end;
    const FlowEnd& first = *known[begin].end;
    const bool is_pair = end - begin == 2 && known[begin].is_certain && known[begin + 1].is_certain &&
                         (first.phase == 's') != (known[begin + 1].end->phase == 's') && first.phase != 't' &&
                         known[begin + 1].end->phase != 't';
    if (is_pair) {
      FlowEnd& a = *known[begin].end;
      FlowEnd& b = *known[begin + 1].end;
      const FlowEnd& from = a.phase == 's' ? a : b;
      const FlowEnd& to = a.phase == 's' ? b : a;
      const FlowArrow arrow{from.slice, to.slice, from.time, to.time, CategoryId{from.category}};
      fresh[place_of(arrow.from)].push_back(arrow);
      fresh_by_to[place_of(arrow.to)].push_back(arrow);
      paired_[{a.source, a.category}][a.id.value() / 64] |= std::uint64_t{1} << a.id.value() % 64;
      a.phase = b.phase = '\0';  // done
      continue;
    }
    ends.clear();
    indices.clear();
    for (std::size_t k = begin; k < end; ++k) {
      indices.push_back({known[k].id, static_cast<std::uint32_t>(ends.size())});
      ends.push_back(*known[k].end);
    }
    chain_ends(ends, indices, tail, report);
  }
  for (auto& [thread, list] : ends_) std::erase_if(list, [](const FlowEnd& end) { return end.phase == '\0'; });
  for (std::size_t p = 0; p < places_.size(); ++p) {
    std::ranges::sort(fresh[p], Links::is_before_from);
    std::ranges::sort(fresh_by_to[p], Links::is_before_to);
    arrows_[p].add(fresh[p], Links::is_before_from);
    arrows_by_to_[p].add(fresh_by_to[p], Links::is_before_to);
  }
}

/// What is sealed, and the tail among it, in the order of lanes.
template <class T, class OwnEnd, class Less>
LinkTable<T> GrowingLinks::State::put_together(const std::vector<GrowingTable<T>>& sealed, std::vector<T>& tail,
                                               OwnEnd own_end, Less less) const {
  std::ranges::sort(tail, less);
  LinkTable<T> table;
  std::size_t parts = place_of_lane_.size() + 2 * tail.size() / GrowingTable<T>::kPart;
  for (const GrowingTable<T>& of_place : sealed) parts += of_place.part_count();
  table.reserve_parts(parts);
  std::span<const T> next = tail;
  for (std::uint32_t l = 0; l < place_of_lane_.size(); ++l) {
    std::size_t own = 0;
    while (own < next.size() && std::invoke(own_end, next[own]).lane == LaneId{l}) ++own;
    const GrowingTable<T> none;
    (place_of_lane_[l] != kNoIndex ? sealed[place_of_lane_[l]] : none).put_into(table, next.first(own), less);
    next = next.subspan(own);
  }
  return table;
}

std::size_t GrowingLinks::State::kept() const {
  std::size_t count = 0;
  for (const GrowingTable<LaunchLink>& links : by_activity_) count += links.size();
  for (const GrowingTable<FlowArrow>& arrows : arrows_) count += arrows.size();
  return count;
}

GrowingLinks::State::Outcome GrowingLinks::State::take(const Trace& trace, const std::vector<FlowRun>& runs,
                                                       Links& links, ImportReport& report) {
  if (!find_places(trace) || !take_flows(runs) || !seal_calls(trace)) return Outcome::kStartOver;
  seal_activities(trace);
  link_sealed();
  ImportReport found;
  Tail tail;
  if (!link_tail(trace, tail, found)) return Outcome::kAfresh;
  link_flow_ends(trace, tail.flows, found);
  std::vector<FlowArrow> flows(tail.flows.begin(), tail.flows.end());
  links.flows_ = put_together(arrows_, flows, &FlowArrow::from, Links::is_before_from);
  links.arrows_by_to_ = put_together(arrows_by_to_, flows, &FlowArrow::to, Links::is_before_to);
  const std::vector<LaunchLink> by_flows = link_by_flows(trace, links, tail.unlinked, found);
  tail.links.insert(tail.links.end(), by_flows.begin(), by_flows.end());
  links.by_launch_ = put_together(by_launch_, tail.links, &LaunchLink::launch, is_before_launch);
  links.by_activity_ = put_together(by_activity_, tail.links, &LaunchLink::activity, is_before_activity);
  links.gpu_activities = activities_ + tail.activities;
  links.linked = links.by_launch_.size();
  report.merge(found);
  return Outcome::kMade;
}

GrowingLinks::GrowingLinks() : state_(std::make_unique<State>()) {}
GrowingLinks::~GrowingLinks() = default;

std::size_t GrowingLinks::kept() const {
  return state_->kept();
}

std::optional<Links> GrowingLinks::update(const Trace& trace, const std::vector<FlowRun>& runs, ImportReport& report) {
  while (starts_over_ <= kMostStartsOver) {
    Links links;
    const State::Outcome outcome = state_->take(trace, runs, links, report);
    if (outcome == State::Outcome::kMade) return links;
    if (outcome == State::Outcome::kAfresh) return std::nullopt;
    state_ = std::make_unique<State>();
    ++starts_over_;
  }
  return std::nullopt;
}

}  // namespace lacuna

#include "model/build/launch_linking.h"

#include <algorithm>
#include <map>
#include <vector>

#include "model/base/radix_sort.h"
#include "model/build/dialects.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

/// The calls of one source that carry a correlation.
class Calls {
 public:
  void add(SliceId slice, std::uint64_t correlation) {
    keys_.push_back({correlation, static_cast<std::uint32_t>(slices_.size())});
    slices_.push_back(slice);
  }

  /// Call once, before find(). Of the calls of one correlation, the first in the file comes first.
  void sort(const Trace& trace) {
    PageVector<SortKey> scratch;
    radix_sort(keys_, scratch);
    const auto offset = [&](const SortKey& k) {
      return trace.lane(slices_[k.index]).file_offset(slices_[k.index].index);
    };
    for (std::size_t begin = 0; begin < keys_.size();) {
      std::size_t end = begin + 1;
      while (end < keys_.size() && keys_[end].key == keys_[begin].key) ++end;
      if (end - begin > 1)
        std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(begin), keys_.begin() + static_cast<std::ptrdiff_t>(end),
                  [&](const SortKey& a, const SortKey& b) { return offset(a) < offset(b); });
      begin = end;
    }
  }

  /// Position of the first call with this correlation; size() if none. Gallops from the last answer:
  /// activities of a stream follow the order of their launches.
  std::size_t find(std::uint64_t correlation) {
    std::size_t low = 0;
    std::size_t high = keys_.size();
    if (last_ < high && keys_[last_].key <= correlation) {
      low = last_;
      std::size_t step = 1;
      for (; low + step < high && keys_[low + step].key < correlation; step *= 2) low += step;
      high = std::min(high, low + step);
    }
    const SortKey* const keys = keys_.data();
    last_ = static_cast<std::size_t>(std::ranges::lower_bound(keys + low, keys + high, correlation, {}, &SortKey::key) -
                                     keys);
    return last_ < keys_.size() && keys_[last_].key == correlation ? last_ : size();
  }
  bool is_shared(std::size_t position) const {
    return position + 1 < keys_.size() && keys_[position + 1].key == keys_[position].key;
  }
  bool has_shared() const {
    return std::adjacent_find(keys_.begin(), keys_.end(),
                              [](const SortKey& a, const SortKey& b) { return a.key == b.key; }) != keys_.end();
  }

  std::size_t size() const { return keys_.size(); }
  /// In the order in which calls were added.
  std::uint32_t index(std::size_t position) const { return keys_[position].index; }
  SliceId slice(std::size_t index) const { return slices_[index]; }

 private:
  PageVector<SliceId> slices_;
  PageVector<SortKey> keys_;
  std::size_t last_ = 0;
};

/// Joins the slices of one source; its lanes are given in their order.
class SourceLinker {
 public:
  SourceLinker(const Trace& trace, std::span<const LaneId> lanes, LaunchLinks& links, ImportReport& report)
      : trace_(trace), lanes_(lanes), links_(links), report_(report) {}

  void link() {
    for (const LaneId id : lanes_) {
      const Lane& lane = trace_.lane(id);
      if (!lane.has_ids()) continue;
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (is_correlation(lane.correlation(i)) && trace_.category_class(lane.category(i)) == CategoryClass::kRuntime)
          calls_.add({id, i}, lane.correlation(i));
    }
    calls_.sort(trace_);
    if (calls_.has_shared()) find_callers();
    first_of_call_.assign(calls_.size() + 1, 0);
    const std::size_t begin = links_.by_activity.size();
    for (const LaneId id : lanes_)
      if (trace_.track(trace_.lane(id).track).kind == TrackKind::kGpuStream) link_activities(id);
    add_by_launch(begin);
    report_idle_launches();
  }

 private:
  static constexpr std::size_t kMostCallers = 128;  // calls of one correlation that are looked at

  ProcessId process_of(SliceId slice) const { return trace_.track_of(slice).process; }

  /// Files of several ranks that were put into one have each correlation once for each of them. The calls of a GPU's
  /// process are those of the process whose calls lie nearest to its work in the file, mostly.
  void find_callers() {
    std::map<ProcessId, std::map<ProcessId, std::uint64_t>> votes;
    for (const LaneId id : lanes_) {
      const Lane& lane = trace_.lane(id);
      const Track& track = trace_.track(lane.track);
      if (track.kind != TrackKind::kGpuStream) continue;
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const std::size_t found =
            is_correlation(lane.correlation(i)) ? calls_.find(lane.correlation(i)) : calls_.size();
        if (found != calls_.size()) ++votes[track.process][process_of(call_at(nearest(found, lane.file_offset(i))))];
      }
    }
    for (const auto& [process, of_caller] : votes) {
      std::uint64_t all = 0;
      for (const auto& [caller, count] : of_caller) all += count;
      for (const auto& [caller, count] : of_caller)
        if (count >= all - all / 4) caller_of_[process] = caller;
    }
  }

  SliceId call_at(std::size_t position) const { return calls_.slice(calls_.index(position)); }

  /// Of the calls of one correlation, from `first` on: the one nearest in the file.
  std::size_t nearest(std::size_t first, std::uint64_t offset) const {
    const auto distance = [&](std::size_t position) {
      const SliceId call = call_at(position);
      const std::uint64_t other = trace_.lane(call).file_offset(call.index);
      return std::max(offset, other) - std::min(offset, other);
    };
    std::size_t best = first;
    for (std::size_t p = first; calls_.is_shared(p) && p < first + kMostCallers; ++p)
      if (distance(p + 1) < distance(best)) best = p + 1;
    return best;
  }

  /// Of the calls of one correlation, from `first` on: the first in the file of the process that calls for this one.
  std::size_t chosen(std::size_t first, ProcessId process) const {
    const auto caller = caller_of_.find(process);
    if (caller == caller_of_.end()) return first;
    for (std::size_t p = first; p < first + kMostCallers; ++p) {
      if (process_of(call_at(p)) == caller->second) return p;
      if (!calls_.is_shared(p)) break;
    }
    return first;
  }

  void link_activities(LaneId id) {
    const Lane& lane = trace_.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (!is_gpu_activity(trace_.category_class(lane.category(i)))) continue;
      ++links_.gpu_activities;
      const std::uint64_t correlation = lane.correlation(i);
      const std::size_t found = is_correlation(correlation) ? calls_.find(correlation) : calls_.size();
      if (found == calls_.size()) {
        continue;  // link_by_flows() says so
      }
      if (calls_.is_shared(found)) report_.add(Finding::kSeveralLaunches, lane.file_offset(i));
      const std::uint32_t call = calls_.index(chosen(found, trace_.track(lane.track).process));
      links_.by_activity.push_back({calls_.slice(call), {id, i}});
      call_of_link_.push_back(call);
      ++first_of_call_[call + 1];
    }
  }

  /// Calls were added in the order of their slices, so counting sorts the links by launch.
  void add_by_launch(std::size_t begin) {
    const std::size_t count = links_.by_activity.size() - begin;
    std::vector<std::uint32_t> at(first_of_call_.begin(), first_of_call_.end());
    for (std::size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    links_.by_launch.resize(begin + count);
    for (std::size_t i = 0; i < count; ++i)
      links_.by_launch[begin + at[call_of_link_[i]]++] = links_.by_activity[begin + i];
  }

  void report_idle_launches() {
    std::vector<signed char> starts(trace_.strings().size(), -1);  // by name; -1: not asked yet
    for (std::size_t call = 0; call < calls_.size(); ++call) {
      if (first_of_call_[call + 1] != 0) continue;
      const SliceId slice = calls_.slice(call);
      signed char& answer = starts[trace_.lane(slice).name(slice.index).value];
      if (answer < 0) answer = starts_gpu_work(trace_.name(slice)) ? 1 : 0;
      if (answer == 1) report_.add(Finding::kLaunchWithoutActivity, trace_.lane(slice).file_offset(slice.index));
    }
  }

  const Trace& trace_;
  const std::span<const LaneId> lanes_;
  LaunchLinks& links_;
  ImportReport& report_;
  Calls calls_;
  std::map<ProcessId, ProcessId> caller_of_;  // by the GPU's process
  PageVector<std::uint32_t> first_of_call_;   // [call + 1] = activities of the call
  PageVector<std::uint32_t> call_of_link_;
};

}  // namespace

namespace {

/// Where torch_npu's arrow to a task comes from: the call that handed it to the device.
constexpr std::string_view kHandedToDevice = "HostToDevice";

SliceId caller_by_flow(const Trace& trace, const Links& links, SliceId activity) {
  for (const FlowArrow& arrow : links.flows_to(activity)) {
    if (trace.track(trace.lane(arrow.from).track).kind != TrackKind::kThread) continue;
    const std::string_view category = trace.category_name(arrow.category);
    if (category == kHandedToDevice ||
        (is_launch_arrow(category) && trace.category_class(arrow.from) == CategoryClass::kRuntime))
      return arrow.from;
  }
  return {};
}

}  // namespace

bool starts_gpu_work(std::string_view name) {
  for (std::string_view part : {"LaunchKernel", "GraphLaunch", "MemcpyAsync", "MemsetAsync"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

LaunchLinks link_launches(const Trace& trace, ImportReport& report) {
  std::vector<std::vector<LaneId>> lanes(trace.sources().size());
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Track& track = trace.track(trace.lanes()[l].track);
    if (traits_of(track.kind).is_work) lanes[trace.process(track.process).source.value].push_back(LaneId{l});
  }
  LaunchLinks links;
  for (const auto& of_source : lanes) SourceLinker(trace, of_source, links, report).link();
  return links;
}

void link_by_flows(const Trace& trace, const Links& links, LaunchLinks& launches, ImportReport& report) {
  if (launches.by_activity.size() == launches.gpu_activities) return;
  const std::size_t linked = launches.by_activity.size();
  const auto is_linked = [&](SliceId activity) {
    const auto begin = launches.by_activity.begin(), end = begin + static_cast<std::ptrdiff_t>(linked);
    const auto found =
        std::lower_bound(begin, end, activity, [](const LaunchLink& link, SliceId id) { return link.activity < id; });
    return found != end && found->activity == activity;
  };
  const auto by_activity = [](const LaunchLink& a, const LaunchLink& b) { return a.activity < b.activity; };
  if (!std::is_sorted(launches.by_activity.begin(), launches.by_activity.end(), by_activity))
    std::sort(launches.by_activity.begin(), launches.by_activity.end(), by_activity);
  std::vector<SliceId> unlinked;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lanes()[l];
    if (trace.track(lane.track).kind != TrackKind::kGpuStream) continue;
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const SliceId activity{LaneId{l}, i};
      if (is_gpu_activity(trace.category_class(lane.category(i))) && !is_linked(activity)) unlinked.push_back(activity);
    }
  }
  const std::vector<LaunchLink> more = link_by_flows(trace, links, unlinked, report);
  launches.by_activity.insert(launches.by_activity.end(), more.begin(), more.end());
  launches.by_launch.insert(launches.by_launch.end(), more.begin(), more.end());
}

std::vector<LaunchLink> link_by_flows(const Trace& trace, const Links& links, std::span<const SliceId> unlinked,
                                      ImportReport& report) {
  std::vector<LaunchLink> found;
  for (const SliceId activity : unlinked) {
    const SliceId call = caller_by_flow(trace, links, activity);
    if (call.valid()) {
      found.push_back({call, activity});
    } else {
      report.add(Finding::kGpuActivityUnlinked, trace.lane(activity).file_offset(activity.index));
    }
  }
  return found;
}

}  // namespace lacuna

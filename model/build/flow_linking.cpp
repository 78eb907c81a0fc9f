#include "model/build/flow_linking.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/base/radix_sort.h"
#include "model/build/flow_ends.h"

namespace lacuna {
namespace {

/// All ends, bound, thread by thread. Lets go of each run once it is copied.
PageVector<FlowEnd> bind_ends(const Trace& trace, std::vector<FlowRun> runs, unsigned threads,
                              const std::atomic<bool>* cancel) {
  struct Thread {
    std::vector<std::uint32_t> runs;
    std::span<const TrackId> tracks;
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  const std::map<FlowThread, std::vector<TrackId>> tracks = tracks_by_thread(trace);
  std::map<FlowThread, Thread> by_key;
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    Thread& thread = by_key[{runs[i].source, runs[i].pid, runs[i].tid}];
    thread.runs.push_back(i);
    thread.count += runs[i].events->size();
  }
  std::vector<Thread> list;
  std::size_t total = 0;
  for (auto& [key, thread] : by_key) {
    thread.begin = std::exchange(total, total + thread.count);
    if (const auto found = tracks.find(key); found != tracks.end()) thread.tracks = found->second;
    list.push_back(std::move(thread));
  }
  std::ranges::sort(list, std::greater{}, &Thread::count);

  PageVector<FlowEnd> ends(total);
  parallel_for(list.size(), threads, [&](std::size_t k) {
    const Thread& thread = list[k];
    FlowEnd* at = ends.data() + thread.begin;
    for (const std::uint32_t r : thread.runs) {
      FlowRun& run = runs[r];
      for (const FlowEvent& event : *run.events) *at++ = to_end(event, run.source, *run.remap);
      run.events.reset();
    }
    const std::span<FlowEnd> own(ends.data() + thread.begin, thread.count);
    if (!std::ranges::is_sorted(own, {}, &FlowEnd::time)) std::ranges::sort(own, {}, &FlowEnd::time);
    FlowBinder binder(trace, thread.tracks);
    CancelCheck gives_up(cancel);
    for (FlowEnd& end : own) {
      if (gives_up()) return;
      end.slice = binder.slice_at(end);
    }
  });
  return ends;
}

}  // namespace

PageVector<FlowArrow> link_flows(const Trace& trace, std::vector<FlowRun> runs, unsigned threads, ImportReport& report,
                                 const std::atomic<bool>* cancel) {
  const PageVector<FlowEnd> ends = bind_ends(trace, std::move(runs), threads, cancel);
  if (is_cancelled(cancel)) return {};
  PageVector<SortKey> keys;
  keys.reserve(ends.size());
  std::size_t starts = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    keys.push_back({ends[i].id.value(), static_cast<std::uint32_t>(i)});
    starts += ends[i].phase == 's';
  }
  {
    PageVector<SortKey> scratch;
    radix_sort(keys, scratch);
  }

  const auto group = [&](const SortKey& k) { return std::tie(ends[k.index].source, ends[k.index].category); };
  FlowChains chains(report);
  chains.arrows.reserve(ends.size() - starts);
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].key == keys[begin].key) ++end;
    const std::span<SortKey> same_id(keys.data() + begin, end - begin);
    std::ranges::sort(same_id, [&](const SortKey& a, const SortKey& b) {
      if (group(a) != group(b)) return group(a) < group(b);
      return std::tie(ends[a.index].time, ends[a.index].file_offset) <
             std::tie(ends[b.index].time, ends[b.index].file_offset);
    });
    for (std::size_t first = 0, last = 0; first < same_id.size(); first = last) {
      while (last < same_id.size() && group(same_id[last]) == group(same_id[first])) ++last;
      chains.add(ends, same_id.subspan(first, last - first));
    }
  }
  return std::move(chains.arrows);
}

}  // namespace lacuna

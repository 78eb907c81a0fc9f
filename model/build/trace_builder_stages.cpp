// The stages of TraceBuilder::finish(), in the order in which they run.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/build/growing_links.h"
#include "model/build/launch_linking.h"
#include "model/build/pairing.h"
#include "model/build/trace_builder_state.h"
#include "model/trace/import_finding.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {

Nanos TraceBuilder::State::last_time() const {
  Nanos last = kMinNanos;
  for (const PendingTrack& p : pending) {
    if (p.sealed) last = std::max(last, p.sealed->last_end());
    for (const SliceRun& run : p.runs)
      for (const SliceRecord& slice : *run.slices)
        last = std::max(last, saturating_add(saturating_add(slice.start, slice.duration),
                                             run.remap == nullptr ? 0 : run.remap->shift_ns));
    for (const BeginEndEvent& e : p.begin_ends) last = std::max(last, e.time);
    for (const Instant& i : p.track.instants) last = std::max(last, i.time);
    for (const auto& sample : p.samples) last = std::max(last, sample.time);
  }
  for (const auto& [source, e] : asyncs) last = std::max(last, e.time);
  return last;
}

void TraceBuilder::State::pair_events() {
  const bool has_begins = std::ranges::any_of(pending, [](const PendingTrack& p) { return !p.begin_ends.empty(); });
  if (!has_begins && asyncs.empty()) return;
  const Nanos trace_end = last_time();
  // Begins and ends of one (source, pid, tid) belong together even if only the begin says, by its
  // category, that it is GPU work; the slice then goes to the track of the begin.
  std::map<std::tuple<SourceId, StringId, StringId>, std::vector<std::uint32_t>> threads;
  for (std::uint32_t i = 0; i < pending.size(); ++i) {
    const PendingTrack& p = pending[i];
    if (!p.begin_ends.empty())
      threads[{p.source, trace.processes_[p.track.process.value].pid, p.track.tid}].push_back(i);
  }
  for (const auto& [thread, members] : threads) {
    std::vector<BeginEndEvent> events;
    std::unordered_map<std::uint64_t, std::uint32_t> home;  // begin's file offset -> pending track
    for (const std::uint32_t i : members) {
      if (members.size() > 1)
        for (const BeginEndEvent& e : pending[i].begin_ends) home[e.file_offset] = i;
      append_moved(events, std::move(pending[i].begin_ends));
    }
    std::vector<SliceRecord> slices;
    const SourceId source = std::get<0>(thread);
    pair_begin_ends(std::move(events), trace_end, slices, trace.sources_[source.value].report);
    std::map<std::uint32_t, std::vector<SliceRecord>> by_track;
    for (const SliceRecord& slice : slices)
      by_track[members.size() > 1 ? home[slice.file_offset] : members.front()].push_back(slice);
    for (auto& [i, list] : by_track) add_run(pending[i], std::move(list));
  }

  std::ranges::stable_sort(asyncs, {}, [](const auto& e) { return e.first; });
  for (std::size_t begin = 0; begin < asyncs.size();) {
    const SourceId source = asyncs[begin].first;
    std::vector<AsyncEvent> events;
    for (; begin < asyncs.size() && asyncs[begin].first == source; ++begin) events.push_back(asyncs[begin].second);
    const AsyncResult made = pair_asyncs(std::move(events), trace_end, trace.sources_[source.value].report);
    const auto async_track = [&](StringId pid, StringId root) -> PendingTrack& {
      TrackKey key;
      key.pid = pid;
      key.kind = TrackKind::kAsync;
      return track(source, key, root);
    };
    std::map<std::ptrdiff_t, std::vector<SliceRecord>> by_track;
    for (const AsyncSlice& a : made.slices) {
      const PendingTrack& to = async_track(a.pid, a.root_name);  // first: it may move what is pending
      by_track[&to - pending.data()].push_back(a.slice);
    }
    for (auto& [i, list] : by_track) add_run(pending[static_cast<std::size_t>(i)], std::move(list));
    for (const AsyncStep& step : made.steps)
      async_track(step.pid, step.root_name).track.instants.push_back(step.instant);
  }
  asyncs.clear();
}

void TraceBuilder::State::apply_metadata() {
  // In file order, so that the last one counts, whichever thread read it.
  std::ranges::sort(metadata, [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.file_offset) < std::tie(b.first, b.second.file_offset);
  });
  std::map<std::tuple<SourceId, StringId, StringId>, std::vector<std::uint32_t>> threads;
  for (std::uint32_t i = 0; i < pending.size(); ++i) {
    const PendingTrack& p = pending[i];
    if (traits_of(p.track.kind).has_tid)
      threads[{p.source, trace.processes_[p.track.process.value].pid, p.track.tid}].push_back(i);
  }
  using What = MetadataEvent::What;
  for (const auto& [source, e] : metadata) {
    if (e.what == What::kThreadName || e.what == What::kThreadSortIndex || e.what == What::kSamplePeriod) {
      auto& members = threads[{source, e.pid, e.tid}];
      if (members.empty()) {  // a thread that has a name and no events is still a thread
        TrackKey key;
        key.pid = e.pid;
        key.tid = e.tid;
        key.kind = kind_of_named_thread(trace.strings_.get(e.tid));
        track(source, key);
        members.push_back(static_cast<std::uint32_t>(pending.size() - 1));
      }
      for (const std::uint32_t i : members) {
        if (e.what == What::kThreadName) {
          pending[i].track.name = e.text;
          pending[i].track.name_is_given = true;
        } else if (e.what == What::kThreadSortIndex) {
          pending[i].track.sort_index = e.number;
        } else {
          pending[i].track.sample_period = std::max<Nanos>(0, e.number);
        }
      }
      continue;
    }
    Process& p = trace.processes_[process(source, e.pid).value];
    if (e.what == What::kProcessName) p.name = e.text;
    if (e.what == What::kProcessLabels) p.labels = e.text;
    if (e.what == What::kProcessRank) p.rank = e.number;
    if (e.what == What::kProcessSortIndex) {
      p.sort_index = e.number;
      p.sort_index_is_given = true;
    }
  }
  metadata.clear();
}

void TraceBuilder::State::build_lanes(unsigned threads, const std::atomic<bool>* cancel) {
  std::vector<std::size_t> sizes(pending.size(), 0);
  for (std::uint32_t i = 0; i < pending.size(); ++i) {
    if (pending[i].sealed) sizes[i] += pending[i].sealed->size();
    for (const SliceRun& run : pending[i].runs) sizes[i] += run.size();
  }
  std::vector<std::uint32_t> largest_first(pending.size());
  std::iota(largest_first.begin(), largest_first.end(), 0u);
  std::ranges::sort(largest_first, std::greater{}, [&](std::uint32_t i) { return sizes[i]; });
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::vector<NestedRows> rows(pending.size());
  parallel_for(pending.size(), threads, [&](std::size_t k) {
    PendingTrack& p = pending[largest_first[k]];
    const NestMode mode = traits_of(p.track.kind).nests ? NestMode::kNested : NestMode::kFlat;
    std::optional<NestedRows> sealed;
    if (p.sealed && !(sealed = p.sealed->finish(p.runs))) give_up_sealed(p);
    // As many as its part of all slices is of the threads, so that one large track does not end alone.
    const auto helpers =
        static_cast<unsigned>((sizes[largest_first[k]] * threads + total - 1) / std::max(total, std::size_t{1}));
    rows[largest_first[k]] = sealed ? std::move(*sealed) : nest_slices(std::move(p.runs), mode, helpers, cancel);
    p.sealed = nullptr;
    std::ranges::sort(p.track.instants, {}, [](const Instant& i) { return std::tie(i.time, i.file_offset); });
  });

  trace.span_ = TimeSpan::nothing();
  for (std::uint32_t i = 0; i < pending.size(); ++i) {
    Track& track = pending[i].track;
    track.id = TrackId{i};
    track.first_lane = LaneId{static_cast<std::uint32_t>(trace.lanes_.size())};
    track.lane_count = static_cast<std::uint32_t>(rows[i].lanes.size());
    track.nest_count = rows[i].nest_count;
    for (Lane& lane : rows[i].lanes) {
      lane.track = track.id;
      track.slice_count += lane.size();
      track.span = track.span.unite({lane.start(0), lane.end(lane.size() - 1)});
      trace.lanes_.push_back(std::move(lane));
    }
    if (!track.instants.empty())
      track.span = track.span.unite({track.instants.front().time, track.instants.back().time});
    auto& report = trace.sources_[pending[i].source.value].report;
    if (!traits_of(track.kind).nests) {
      report.add(Finding::kConcurrentKernels, ImportReport::kNoOffset, {}, rows[i].spilled);
    } else if (track.kind != TrackKind::kAsync) {
      report.add(Finding::kCrossingSlices, ImportReport::kNoOffset, {}, rows[i].spilled);
    }
    trace.slice_count_ += track.slice_count;
  }
}

namespace {

bool is_cpu_work(CategoryClass category) {
  switch (category) {
    case CategoryClass::kCpuOperator:
    case CategoryClass::kCpuAnnotation:
    case CategoryClass::kPythonFunction:
    case CategoryClass::kRuntime:
      return true;
    default:
      return false;
  }
}

}  // namespace

void TraceBuilder::State::part_cpu_threads() {
  std::map<ProcessId, ProcessId> beside;  // GPU -> its CPU threads
  for (PendingTrack& p : pending) {
    Track& track = p.track;
    if (track.kind != TrackKind::kThread || track.lane_count == 0 || !trace.processes_[track.process.value].is_gpu)
      continue;
    // What shares its tid with a stream belongs to the stream.
    const bool has_stream = std::ranges::any_of(pending, [&](const PendingTrack& other) {
      return other.track.process == track.process && other.track.tid == track.tid &&
             traits_of(other.track.kind).is_on_gpu;
    });
    const Lane& lane = trace.lanes_[track.first_lane.value];
    if (has_stream || !is_cpu_work(trace.category_class(lane.category(0)))) continue;
    const ProcessId next{static_cast<std::uint32_t>(trace.processes_.size())};
    const auto [it, is_new] = beside.try_emplace(track.process, next);
    if (is_new) {
      Process made = trace.processes_[track.process.value];
      made.id = next;
      made.labels = kEmptyString;  // "GPU 0"
      made.sort_index_is_given = false;
      made.is_gpu = false;
      trace.processes_.push_back(made);
    }
    track.process = it->second;
  }
}

void TraceBuilder::State::build_counters() {
  for (PendingTrack& p : pending) {
    if (p.samples.empty()) continue;
    std::ranges::stable_sort(p.samples, {}, [](const auto& sample) { return sample.time; });
    CounterSeries& series = p.track.counter;
    series.times.reserve(p.samples.size());
    series.values.reserve(p.samples.size());
    series.min = series.max = p.samples.front().value;
    for (const auto& [time, value, offset] : p.samples) {
      series.times.push_back(time);
      series.values.push_back(value);
      series.min = std::min(series.min, value);
      series.max = std::max(series.max, value);
    }
    series.extremes.extend(series.values);
    p.track.span = p.track.span.unite({series.times.front(), series.times.back()});
  }
}

void TraceBuilder::State::link(unsigned threads, const std::atomic<bool>* cancel, GrowingLinks* growing) {
  ImportReport found[2];
  std::optional<Links> grown;
  if (growing != nullptr) grown = growing->update(trace, flows, found[0]);
  if (grown) {
    trace.links_ = std::move(*grown);
  } else {
    // Tables are made of tables, each once and filled at once: to keep all of them takes no more than the largest ones
    // do.
    const PageReuse reuse(std::numeric_limits<std::uint32_t>::max());
    BoundFlows bound;
    LaunchLinks launches;
    parallel_for(2, threads, [&](std::size_t i) {
      if (i == 0) {
        bound = bind_flows(trace, std::move(flows), threads, cancel);
      } else {
        launches = link_launches(trace, found[1]);
      }
    });
    std::vector<PageVector<FlowArrow>> arrows;
    if (!is_cancelled(cancel)) arrows = chain_flows(std::exchange(bound, {}), threads, found[0], cancel);
    trace.links_.set_flows(std::move(arrows));
    link_by_flows(trace, trace.links_, launches, found[1]);
    trace.links_.set_launches(std::move(launches));
  }
  for (const TraceSource& source : trace.sources_) trace.report_.merge(source.report);
  for (const ImportReport& report : found) trace.report_.merge(report);
}

}  // namespace lacuna

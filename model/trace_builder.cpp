#include "model/trace_builder.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "model/flow_linking.h"
#include "model/id_remap.h"
#include "model/launch_linking.h"
#include "model/naming.h"
#include "model/nesting.h"
#include "model/cancel.h"
#include "model/pairing.h"
#include "model/parallel.h"

namespace lacuna {
namespace {

struct PendingTrack {
  Track track;
  SourceId source;
  std::vector<SliceRun> runs;
  std::vector<BeginEndEvent> begin_ends;
  std::vector<std::pair<Nanos, double>> samples;  // counters
};

struct PendingKey {
  std::uint32_t source, pid, tid, device, stream, name;
  TrackKind kind;
  auto operator<=>(const PendingKey&) const = default;
};

template <class T>
void append_moved(std::vector<T>& to, std::vector<T>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

template <class Record>
std::shared_ptr<const PageVector<Record>> shared(PageVector<Record>&& records) {
  return std::make_shared<const PageVector<Record>>(std::move(records));
}

}  // namespace

struct TraceBuilder::State {
  Trace trace;
  std::vector<PendingTrack> pending;
  std::map<PendingKey, std::uint32_t> pending_index;
  std::map<std::pair<SourceId, StringId>, ProcessId> process_index;
  std::unordered_map<std::uint32_t, std::uint16_t> category_index;  // by StringId
  std::vector<std::pair<SourceId, AsyncEvent>> asyncs;
  std::vector<FlowRun> flows;
  std::vector<std::pair<SourceId, MetadataEvent>> metadata;

  ProcessId process(SourceId source, StringId pid) {
    const ProcessId next{static_cast<std::uint32_t>(trace.processes_.size())};
    const auto [it, is_new] = process_index.try_emplace({source, pid}, next);
    if (is_new) {
      Process& process = trace.processes_.emplace_back();
      process.id = next;
      process.source = source;
      process.pid = pid;
    }
    return it->second;
  }

  PendingTrack& track(SourceId source, const TrackKey& key, StringId name = kEmptyString) {
    const PendingKey full{source.value,     key.pid.value, key.tid.value, key.device.value,
                          key.stream.value, name.value,    key.kind};
    const auto [it, is_new] = pending_index.try_emplace(full, static_cast<std::uint32_t>(pending.size()));
    if (is_new) {
      PendingTrack& made = pending.emplace_back();
      made.source = source;
      made.track.kind = key.kind;
      made.track.process = process(source, key.pid);
      made.track.tid = key.tid;
      made.track.device = key.device;
      made.track.stream = key.stream;
      made.track.name = name;
      if (key.kind == TrackKind::kGpuStream) trace.processes_[made.track.process.value].is_gpu = true;
    }
    return pending[it->second];
  }

  std::uint16_t category(StringId name) {
    constexpr std::size_t kMost = IdRemap::kNoCategory;
    auto& categories = trace.categories_;
    const auto next = static_cast<std::uint16_t>(std::min(categories.size(), kMost - 1));
    const auto [it, is_new] = category_index.try_emplace(name.value, next);
    if (is_new && categories.size() < kMost)
      categories.push_back({name, classify_category(trace.strings_.get(name)), 0});
    return it->second;
  }

  std::shared_ptr<const IdRemap> remap(const EventBatch& batch, Nanos shift_ns) {
    auto map = std::make_shared<IdRemap>();
    map->shift_ns = shift_ns;
    map->strings.reserve(batch.strings.size());
    for (std::uint32_t id = 0; id < batch.strings.size(); ++id)
      map->strings.push_back(trace.strings_.intern(batch.strings.get(StringId{id})));
    for (std::size_t c = 0; c < batch.categories.size(); ++c) {
      const std::uint16_t global = category((*map)(batch.categories[c]));
      trace.categories_[global].events += batch.category_counts[c];
      map->categories.push_back(global);
    }
    return map;
  }

  std::unique_ptr<State> clone() const;
  Nanos last_time() const;
  /// Slices made here, in terms of the trace.
  static void add_run(PendingTrack& track, std::vector<SliceRecord> slices) {
    std::ranges::sort(slices, lies_before);
    track.runs.push_back({shared(PageVector<SliceRecord>(slices.begin(), slices.end())), nullptr});
  }
  void pair_events();
  void apply_metadata();
  void build_lanes(unsigned threads, const std::atomic<bool>* cancel);
  void build_counters();
  void link(unsigned threads, const std::atomic<bool>* cancel);
};

std::unique_ptr<TraceBuilder::State> TraceBuilder::State::clone() const {
  auto copy = std::make_unique<State>();
  copy->trace.strings_ = trace.strings_.clone();
  copy->trace.sources_ = trace.sources_;
  copy->trace.processes_ = trace.processes_;
  copy->trace.categories_ = trace.categories_;
  copy->pending = pending;
  copy->pending_index = pending_index;
  copy->process_index = process_index;
  copy->category_index = category_index;
  copy->asyncs = asyncs;
  copy->flows = flows;
  copy->metadata = metadata;
  return copy;
}

TraceBuilder::TraceBuilder() : state_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;

SourceId TraceBuilder::add_source(TraceSource source) {
  state_->trace.sources_.push_back(std::move(source));
  return SourceId{static_cast<std::uint32_t>(state_->trace.sources_.size() - 1)};
}

TraceSource& TraceBuilder::source(SourceId id) { return state_->trace.sources_[id.value]; }

void TraceBuilder::add(SourceId source_id, EventBatch batch) {
  batch.seal();
  State& s = *state_;
  TraceSource& source = s.trace.sources_[source_id.value];
  const auto map = s.remap(batch, source.shift_ns);
  const IdRemap& m = *map;
  source.report.merge(batch.report);
  source.without_category += batch.without_category;
  for (std::size_t p = 0; p < batch.phase_counts.size(); ++p) source.phase_counts[p] += batch.phase_counts[p];

  for (EventBatch::TrackEvents& from : batch.tracks) {
    const TrackKey key{m(from.key.pid), m(from.key.tid), m(from.key.device), m(from.key.stream), from.key.kind};
    PendingTrack& to = s.track(source_id, key);
    if (!from.sealed_slices.empty()) to.runs.push_back({shared(std::move(from.sealed_slices)), map});
    for (BeginEndEvent& e : from.begin_ends) {
      e.time = saturating_add(e.time, m.shift_ns);
      e.name = m(e.name);
      e.category = m(e.category);
    }
    append_moved(to.begin_ends, std::move(from.begin_ends));
    for (Instant& i : from.instants) {
      i.time = saturating_add(i.time, m.shift_ns);
      i.name = m(i.name);
      i.category = CategoryId{m(static_cast<std::uint16_t>(i.category.value))};
    }
    append_moved(to.track.instants, std::move(from.instants));
  }
  for (AsyncEvent e : batch.asyncs) {
    e.time = saturating_add(e.time, m.shift_ns);
    e.pid = m(e.pid);
    e.tid = m(e.tid);
    e.id = m(e.id);
    e.name = m(e.name);
    e.category = m(e.category);
    s.asyncs.emplace_back(source_id, e);
  }
  for (EventBatch::ThreadFlows& from : batch.flows) {
    if (from.sealed_events.empty()) continue;
    s.flows.push_back({source_id, m(from.pid), m(from.tid), shared(std::move(from.sealed_events)), map});
  }
  for (const CounterSample& c : batch.counters) {
    std::string name(s.trace.strings_.get(m(c.name)));
    const std::string_view series = s.trace.strings_.get(m(c.series));
    if (!series.empty() && series != name) name.append(name.empty() ? "" : " · ").append(series);
    TrackKey key;
    key.pid = m(c.pid);
    key.kind = TrackKind::kCounter;
    s.track(source_id, key, s.trace.strings_.intern(name))
        .samples.emplace_back(saturating_add(c.time, m.shift_ns), c.value);
  }
  for (MetadataEvent e : batch.metadata) {
    e.pid = m(e.pid);
    e.tid = m(e.tid);
    e.text = m(e.text);
    s.metadata.emplace_back(source_id, e);
  }
}

Nanos TraceBuilder::State::last_time() const {
  Nanos last = kMinNanos;
  for (const PendingTrack& p : pending) {
    for (const SliceRun& run : p.runs)
      for (const SliceRecord& slice : *run.slices)
        last = std::max(last, saturating_add(saturating_add(slice.start, slice.duration), run.remap->shift_ns));
    for (const BeginEndEvent& e : p.begin_ends) last = std::max(last, e.time);
    for (const Instant& i : p.track.instants) last = std::max(last, i.time);
    for (const auto& [time, value] : p.samples) last = std::max(last, time);
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
    for (const AsyncSlice& a : made.slices)
      by_track[&async_track(a.pid, a.root_name) - pending.data()].push_back(a.slice);
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
    if (p.track.kind != TrackKind::kAsync && p.track.kind != TrackKind::kCounter)
      threads[{p.source, trace.processes_[p.track.process.value].pid, p.track.tid}].push_back(i);
  }
  using What = MetadataEvent::What;
  for (const auto& [source, e] : metadata) {
    if (e.what == What::kThreadName || e.what == What::kThreadSortIndex) {
      auto& members = threads[{source, e.pid, e.tid}];
      if (members.empty()) {  // a thread that has a name and no events is still a thread
        TrackKey key;
        key.pid = e.pid;
        key.tid = e.tid;
        track(source, key);
        members.push_back(static_cast<std::uint32_t>(pending.size() - 1));
      }
      for (const std::uint32_t i : members) {
        if (e.what == What::kThreadName) {
          pending[i].track.name = e.text;
          pending[i].track.name_is_given = true;
        } else {
          pending[i].track.sort_index = e.number;
        }
      }
      continue;
    }
    Process& p = trace.processes_[process(source, e.pid).value];
    if (e.what == What::kProcessName) p.name = e.text;
    if (e.what == What::kProcessLabels) p.labels = e.text;
    if (e.what == What::kProcessSortIndex) {
      p.sort_index = e.number;
      p.sort_index_is_given = true;
    }
  }
  metadata.clear();
}

void TraceBuilder::State::build_lanes(unsigned threads, const std::atomic<bool>* cancel) {
  std::vector<std::size_t> sizes(pending.size(), 0);
  for (std::uint32_t i = 0; i < pending.size(); ++i)
    for (const SliceRun& run : pending[i].runs) sizes[i] += run.slices->size();
  std::vector<std::uint32_t> largest_first(pending.size());
  std::iota(largest_first.begin(), largest_first.end(), 0u);
  std::ranges::sort(largest_first, std::greater{}, [&](std::uint32_t i) { return sizes[i]; });
  std::vector<NestedRows> rows(pending.size());
  parallel_for(pending.size(), threads, [&](std::size_t k) {
    PendingTrack& p = pending[largest_first[k]];
    const NestMode mode = p.track.kind == TrackKind::kGpuStream ? NestMode::kFlat : NestMode::kNested;
    rows[largest_first[k]] = nest_slices(std::move(p.runs), mode, cancel);
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
    if (track.kind == TrackKind::kGpuStream) {
      report.add(Finding::kConcurrentKernels, ImportReport::kNoOffset, {}, rows[i].spilled);
    } else if (track.kind != TrackKind::kAsync) {
      report.add(Finding::kCrossingSlices, ImportReport::kNoOffset, {}, rows[i].spilled);
    }
    trace.slice_count_ += track.slice_count;
  }
}

void TraceBuilder::State::build_counters() {
  for (PendingTrack& p : pending) {
    if (p.samples.empty()) continue;
    std::ranges::stable_sort(p.samples, {}, [](const auto& sample) { return sample.first; });
    CounterSeries& series = p.track.counter;
    series.times.reserve(p.samples.size());
    series.values.reserve(p.samples.size());
    series.min = series.max = p.samples.front().second;
    for (const auto& [time, value] : p.samples) {
      series.times.push_back(time);
      series.values.push_back(value);
      series.min = std::min(series.min, value);
      series.max = std::max(series.max, value);
    }
    series.extremes.extend(series.values);
    p.track.span = p.track.span.unite({series.times.front(), series.times.back()});
  }
}

void TraceBuilder::State::link(unsigned threads, const std::atomic<bool>* cancel) {
  ImportReport found[2];
  parallel_for(2, threads, [&](std::size_t i) {
    if (i == 0) {
      trace.links_.set_flows(link_flows(trace, std::move(flows), threads, found[0], cancel));
    } else {
      trace.links_.set_launches(link_launches(trace, found[1]));
    }
  });
  for (const TraceSource& source : trace.sources_) trace.report_.merge(source.report);
  for (const ImportReport& report : found) trace.report_.merge(report);
}

Trace TraceBuilder::finish(unsigned threads, const std::atomic<bool>* cancel) {
  State& s = *state_;
  s.pair_events();
  s.apply_metadata();
  threads = std::max(1u, threads);
  s.build_lanes(threads, cancel);
  s.build_counters();

  Trace& trace = s.trace;
  for (PendingTrack& p : s.pending) {
    trace.tracks_.push_back(std::move(p.track));
    trace.span_ = trace.span_.unite(trace.tracks_.back().span);
  }
  if (trace.span_ == TimeSpan::nothing()) trace.span_ = {};
  name_tracks(trace.tracks_, trace.processes_, trace.strings_);
  name_processes(trace, trace.processes_, trace.strings_);
  order_tracks(trace.processes_, trace.tracks_, trace.strings_);
  trace.process_order_ = order_processes(trace.processes_, trace.strings_);
  if (!is_cancelled(cancel)) s.link(threads, cancel);
  return std::move(trace);
}

Trace TraceBuilder::snapshot(unsigned threads, const std::atomic<bool>* cancel) const {
  TraceBuilder copy;
  copy.state_ = state_->clone();
  return copy.finish(threads, cancel);
}

}  // namespace lacuna

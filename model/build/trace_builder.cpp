#include "model/build/trace_builder.h"

#include <algorithm>
#include <string>

#include "model/base/cancel.h"
#include "model/build/naming.h"
#include "model/build/rank_sources.h"
#include "model/build/trace_builder_state.h"

namespace lacuna {

std::unique_ptr<TraceBuilder::State> TraceBuilder::State::clone() const {
  auto copy = std::make_unique<State>();
  copy->trace.strings_ = trace.strings_.clone();
  copy->trace.sources_ = trace.sources_;
  copy->trace.processes_ = trace.processes_;
  copy->trace.categories_ = trace.categories_;
  copy->pending = pending;
  for (PendingTrack& track : copy->pending)
    if (track.sealed) track.sealed = track.sealed->copy();
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

TraceSource& TraceBuilder::source(SourceId id) {
  return state_->trace.sources_[id.value];
}

void TraceBuilder::add(SourceId source_id, EventBatch batch) {
  batch.seal();
  State& s = *state_;
  TraceSource& source = s.trace.sources_[source_id.value];
  const auto map = s.remap(source_id, batch);
  const IdRemap& m = *map;
  source.report.merge(batch.report);
  source.without_category += batch.without_category;
  for (const auto& [name, count] : batch.skipped) source.skipped[std::string(batch.strings.get(name))] += count;
  for (std::size_t p = 0; p < batch.phase_counts.size(); ++p) source.phase_counts[p] += batch.phase_counts[p];

  for (EventBatch::TrackEvents& from : batch.tracks) {
    const TrackKey key{m(from.key.pid), m(from.key.tid), m(from.key.device), m(from.key.stream), from.key.kind};
    PendingTrack& to = s.track(source_id, key);
    if (!from.sealed_slices.empty()) to.runs.push_back({from.sealed_slices.memory(), map});
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
    s.flows.push_back({source_id, m(from.pid), m(from.tid), from.sealed_events.memory(), map});
  }
  for (const CounterSample& c : batch.counters) {
    std::string name(s.trace.strings_.get(m(c.name)));
    const std::string_view series = s.trace.strings_.get(m(c.series));
    if (!series.empty() && series != name) name.append(name.empty() ? "" : " · ").append(series);
    TrackKey key;
    key.pid = m(c.pid);
    key.kind = TrackKind::kCounter;
    s.track(source_id, key, s.trace.strings_.intern(name))
        .samples.push_back({saturating_add(c.time, m.shift_ns), c.value, c.file_offset});
  }
  for (MetadataEvent e : batch.metadata) {
    e.pid = m(e.pid);
    e.tid = m(e.tid);
    e.text = m(e.text);
    s.metadata.emplace_back(source_id, e);
  }
}

void TraceBuilder::shift(SourceId source, Nanos shift_ns) {
  State& s = *state_;
  Nanos& now = s.trace.sources_[source.value].shift_ns;
  const Nanos by = saturating_sub(shift_ns, now);
  if (by == 0) return;
  now = shift_ns;
  for (auto& [of, map] : s.remaps)
    if (of == source) map->shift_ns = shift_ns;
  const auto move = [by](Nanos& time) { time = saturating_add(time, by); };
  for (PendingTrack& track : s.pending) {
    if (track.source != source) continue;
    for (BeginEndEvent& event : track.begin_ends) move(event.time);
    for (Instant& instant : track.track.instants) move(instant.time);
    for (auto& sample : track.samples) move(sample.time);
  }
  for (auto& [of, event] : s.asyncs)
    if (of == source) move(event.time);
}

Trace TraceBuilder::finish(unsigned threads, const std::atomic<bool>* cancel, GrowingLinks* links) {
  State& s = *state_;
  s.pair_events();
  s.apply_metadata();
  s.apply_dialects();
  threads = std::max(1u, threads);
  s.build_lanes(threads, cancel);
  s.part_cpu_threads();
  s.build_counters();

  Trace& trace = s.trace;
  for (PendingTrack& p : s.pending) {
    trace.tracks_.push_back(std::move(p.track));
    trace.span_ = trace.span_.unite(trace.tracks_.back().span);
  }
  if (trace.span_ == TimeSpan::nothing()) trace.span_ = {};
  if (!is_cancelled(cancel)) s.link(threads, cancel, links);  // by file: ranks may share what they link
  split_by_rank(trace.sources_, trace.processes_);
  name_tracks(trace.tracks_, trace.processes_, trace.strings_);
  name_processes(trace, trace.processes_, trace.strings_);
  order_tracks(trace.processes_, trace.tracks_, trace.strings_);
  trace.process_order_ = order_processes(trace.processes_, trace.strings_);
  return std::move(trace);
}

Trace TraceBuilder::snapshot(unsigned threads, const std::atomic<bool>* cancel) const {
  TraceBuilder copy;
  copy.state_ = state_->clone();
  return copy.finish(threads, cancel);
}

std::unique_ptr<TraceBuilder> TraceBuilder::copy() const {
  auto made = std::make_unique<TraceBuilder>();
  made->state_ = state_->clone();
  return made;
}

}  // namespace lacuna

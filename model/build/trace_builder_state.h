#pragma once
// Private to trace_builder*.cpp: the data of a TraceBuilder, and the stages of finish().

#include <atomic>
#include <compare>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/build/flow_linking.h"
#include "model/build/id_remap.h"
#include "model/build/nesting.h"
#include "model/build/sealed_rows.h"
#include "model/build/trace_builder.h"

namespace lacuna {

/// A track under construction.
struct PendingTrack {
  Track track;
  SourceId source;
  std::vector<SliceRun> runs;
  std::shared_ptr<SealedRows> sealed;  // slices before those of the runs; null: none
  std::uint32_t attempts = 0;          // number of times that `sealed` was given up
  std::uint64_t given_up = 0;          // total number of slices given up
  std::vector<BeginEndEvent> begin_ends;
  struct Sample {
    Nanos time = 0;
    double value = 0;
    std::uint64_t file_offset = 0;
  };
  std::vector<Sample> samples;  // samples of a counter
};

/// Identifies the track of an event; ids of the trace.
struct PendingKey {
  std::uint32_t source, pid, tid, device, stream, name;
  TrackKind kind;
  auto operator<=>(const PendingKey&) const = default;
};

/// Appends; moves instead of copying when `to` is empty.
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

struct TraceBuilder::State {
  Trace trace;
  std::vector<PendingTrack> pending;
  std::map<PendingKey, std::uint32_t> pending_index;
  std::map<std::pair<SourceId, StringId>, ProcessId> process_index;
  std::unordered_map<std::uint32_t, std::uint16_t> category_index;  // by StringId
  std::vector<std::pair<SourceId, AsyncEvent>> asyncs;
  std::vector<FlowRun> flows;
  std::vector<std::pair<SourceId, MetadataEvent>> metadata;
  std::vector<std::pair<SourceId, std::shared_ptr<IdRemap>>> remaps;  // of batches that have runs, for shift()
  std::size_t many_remaps = 64;                                       // at this size unused ones are freed

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

  std::shared_ptr<const IdRemap> remap(SourceId source, const EventBatch& batch) {
    auto map = std::make_shared<IdRemap>();
    map->shift_ns = trace.sources_[source.value].shift_ns;
    if (remaps.size() >= many_remaps) {
      std::erase_if(remaps, [](const auto& remap) { return remap.second.use_count() == 1; });
      many_remaps = std::max<std::size_t>(64, 2 * remaps.size());
    }
    remaps.emplace_back(source, map);
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

  std::shared_ptr<GrowingMemory> growing;  // memory for sealed slices; created by seal()

  std::unique_ptr<State> clone() const;
  /// Turns the sealed slices of the track into unplaced ones.
  static void give_up_sealed(PendingTrack& track);
  Nanos last_time() const;
  /// Adds slices made here, with ids and times of the trace.
  static void add_run(PendingTrack& track, std::vector<SliceRecord> slices) {
    std::ranges::sort(slices, lies_before);
    track.runs.push_back({shared(PageVector<SliceRecord>(slices.begin(), slices.end())), nullptr});
  }
  void pair_events();
  void apply_metadata();
  /// Call after apply_metadata(): names identify the lanes of dialects (dialects.h).
  void apply_dialects();
  struct Dialects;
  void build_lanes(unsigned threads, const std::atomic<bool>* cancel);
  /// Moves CPU threads with the pid of a GPU to a process of their own. Call after build_lanes().
  void part_cpu_threads();
  void build_counters();
  void link(unsigned threads, const std::atomic<bool>* cancel, GrowingLinks* growing);
};

}  // namespace lacuna

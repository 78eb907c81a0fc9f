#include "model/formats/perfetto/flow_arrows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "model/base/seeded_hash.h"
#include "model/formats/perfetto/slice_pairs.h"

namespace lacuna {
namespace {

/// When slices begin, by track: for flows that bind to the next one.
class SliceStarts {
 public:
  explicit SliceStarts(const TraceIndex& index) {
    for (const IndexedEvent& event : index.events) {
      if (event.kind == IndexedEvent::Kind::kBegin || event.kind == IndexedEvent::Kind::kComplete)
        starts_[event.track].push_back(event.time);
    }
    for (auto& [track, times] : starts_) std::ranges::sort(times);
  }
  std::optional<Nanos> next(TrackTable::Index track, Nanos time) const {
    const auto known = starts_.find(track);
    if (known == starts_.end()) return std::nullopt;
    const auto next = std::ranges::lower_bound(known->second, time);
    return next == known->second.end() ? std::nullopt : std::optional(*next);
  }

 private:
  std::map<TrackTable::Index, std::vector<Nanos>> starts_;
};

}  // namespace

void ArrowWriter::write(std::string_view category, const ArrowEnd& from, const ArrowEnd& to) {
  const std::uint64_t id = ++arrows_;
  sink_.flow(true, category, from.thread, from.time, id);
  sink_.end();
  sink_.flow(false, category, to.thread, to.time, id);
  sink_.end();
}

SinkThread place_of(const PerfettoTrack& track) {
  return track.queue ? SinkThread{track.queue->device, track.queue->stream} : track.place;
}

void write_flows(const TraceIndex& index, std::span<const std::uint32_t> partners, ArrowWriter& arrows) {
  if (index.flows.empty()) return;
  std::vector<std::uint32_t> order(index.flows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return index.flows[i].time; });
  std::optional<SliceStarts> starts;
  std::unordered_map<std::uint64_t, ArrowEnd, SeededHash> open;
  for (const std::uint32_t number : order) {
    const IndexedFlow& flow = index.flows[number];
    ArrowEnd here{place_of(index.tracks.at(flow.track)), flow.time};
    if (flow.binds_next) {
      if (!starts) starts.emplace(index);
      const auto next = starts->next(flow.track, flow.time);
      if (!next) continue;
      here.time = *next;
    } else if (flow.has_event && index.events[flow.event].kind == IndexedEvent::Kind::kEnd &&
               partners[flow.event] != kNoPartner) {
      here.time = index.events[partners[flow.event]].time;
    }
    using Role = IndexedFlow::Role;
    const auto from = open.find(flow.id);
    if (from != open.end() && flow.role != Role::kStart) arrows.write("flow", from->second, here);
    if (flow.role == Role::kLast) {
      if (from != open.end()) open.erase(from);
    } else if (flow.role != Role::kEnd) {
      open[flow.id] = here;
    }
  }
}

}  // namespace lacuna

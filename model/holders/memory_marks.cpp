#include "model/holders/memory_marks.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/trace/operators_at.h"

namespace lacuna {
namespace {

/// Where a mark that begins at `begin` below a slice must end: with the slice, or where its next child begins.
Nanos room_below(const Trace& trace, SliceId below, Nanos begin) {
  Nanos end = trace.span(below).end;
  const Track& track = trace.track_of(below);
  const std::uint32_t row = below.lane.value - track.first_lane.value;
  if (row + 1 >= track.lane_count) return end;
  const Lane& children = trace.lane(LaneId{below.lane.value + 1});
  const std::uint32_t next = children.first_starting_from(begin);
  if (next < children.size()) end = std::min(end, children.start(next));
  return end;
}

/// Whether the process has counters of memory in its file already, as recordings of ours have.
bool has_memory_counter(const Trace& trace, ProcessId process) {
  return std::ranges::any_of(trace.process(process).tracks, [&](TrackId id) {
    const Track& track = trace.track(id);
    return track.kind == TrackKind::kCounter &&
           trace.text(track.name).find("allocated bytes") != std::string_view::npos;
  });
}

CounterSeries series_of(const std::vector<Nanos>& times, const std::vector<std::int64_t>& values) {
  CounterSeries series;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!series.times.empty() && series.times.back() == times[i]) {
      series.values.back() = std::max(series.values.back(), value);
    } else {
      series.times.push_back(times[i]);
      series.values.push_back(value);
    }
  }
  for (const double value : series.values) {
    series.min = std::min(series.min, value);
    series.max = std::max(series.max, value);
  }
  series.extremes.extend(series.values);
  return series;
}

}  // namespace

MemoryMarks::MemoryMarks(const Trace& trace, std::vector<std::shared_ptr<const MemoryHistory>> histories)
    : histories_(std::move(histories)), needs_row_(trace.tracks().size()) {
  OperatorsAt running(trace);
  for (std::uint32_t h = 0; h < histories_.size(); ++h) {
    const MemoryTable& table = histories_[h]->table;
    for (std::uint32_t p = 0; p < table.pieces.size(); ++p) {
      const MemoryPiece& piece = table.pieces[p];
      const SliceId by = histories_[h]->allocated_by(piece).slice;
      if (!by.valid()) continue;
      const Nanos begin = table.time_of(piece.begin);
      const SliceId innermost = running.innermost(trace.track_of(by).id, begin);
      const SliceId below = innermost.valid() ? innermost : by;
      if (below.index == kNoIndex) continue;  // it is on another machine, and not in the picture
      const Nanos freed = piece.end == MemoryPiece::kNever ? kMaxNanos : table.time_of(piece.end);
      marks_.push_back({{begin, std::max(begin, std::min(freed, room_below(trace, below, begin)))}, below, h, p});
    }
  }
  std::ranges::stable_sort(marks_, [](const Mark& a, const Mark& b) {
    return a.below.lane != b.below.lane ? a.below.lane.value < b.below.lane.value : a.span.begin < b.span.begin;
  });
  for (std::size_t i = 0; i + 1 < marks_.size(); ++i)
    if (marks_[i].below.lane == marks_[i + 1].below.lane)
      marks_[i].span.end = std::min(marks_[i].span.end, marks_[i + 1].span.begin);
  first_of_lane_.assign(trace.lanes().size() + 1, 0);
  for (const Mark& mark : marks_) {
    ++first_of_lane_[mark.below.lane.value + 1];
    const Track& track = trace.track_of(mark.below);
    if (mark.below.lane.value - track.first_lane.value + 1 == track.lane_count) needs_row_[track.id.value] = true;
  }
  make_lanes(trace);
  for (std::size_t lane = 1; lane < first_of_lane_.size(); ++lane) first_of_lane_[lane] += first_of_lane_[lane - 1];
}

void MemoryMarks::make_lanes(const Trace& trace) {
  for (const auto& history : histories_) {
    const auto* recorded = dynamic_cast<const TraceHistory*>(history.get());
    if (recorded == nullptr) continue;
    const TraceMemory& memory = recorded->memory();
    std::unordered_map<std::uint32_t, std::size_t> count;  // allocations by track
    TrackId most;
    for (const TraceAllocation& allocation : memory.allocations) {
      const std::size_t now = ++count[allocation.track.value];
      if (!most.valid() || now > count[most.value]) most = allocation.track;
    }
    if (!most.valid() || has_memory_counter(trace, trace.track(most).process)) continue;
    lanes_.push_back({most, memory.name() + " allocated", series_of(memory.times, memory.active)});
    if (memory.peak_reserved > 0)
      lanes_.push_back({most, memory.name() + " reserved", series_of(memory.times, memory.reserved)});
  }
}

std::span<const MemoryMarks::Mark> MemoryMarks::on_lane(LaneId lane) const {
  if (lane.value + 1 >= first_of_lane_.size()) return {};
  return std::span(marks_).subspan(first_of_lane_[lane.value],
                                   first_of_lane_[lane.value + 1] - first_of_lane_[lane.value]);
}

bool MemoryMarks::needs_row(TrackId track) const {
  return track.value < needs_row_.size() && needs_row_[track.value];
}

}  // namespace lacuna

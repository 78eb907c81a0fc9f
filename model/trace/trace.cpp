#include "model/trace/trace.h"

#include <numeric>

#include "model/trace/kept_with_trace.h"

namespace lacuna {

Trace::Trace() : arguments_place_(std::make_shared<KeptPlace>()) {}

std::string_view describe(Alignment alignment) {
  switch (alignment) {
    case Alignment::kSingle:
      return "";
    case Alignment::kBaseTime:
      return "by their baseTimeNanoseconds";
    case Alignment::kAbsoluteTime:
      return "by their times, which are absolute";
    case Alignment::kStart:
      return "by their first events, because a file says neither a base nor an absolute time";
    case Alignment::kRaw:
      return "not at all: each file's own times, as asked";
    case Alignment::kGiven:
      return "by the ends of the collectives that their ranks have in common";
  }
  return "";
}

SliceId Trace::parent(SliceId s) const {
  const std::uint32_t index = lane(s).parent(s.index);
  return index == Lane::kNoParent ? SliceId{} : SliceId{LaneId{s.lane.value - 1}, index};
}

Nanos Trace::self_time(SliceId s) const {
  Nanos self = lane(s).duration(s.index);
  for_each_child(s, [&](SliceId child) { self -= lane(child).duration(child.index); });
  return self;
}

SliceId Trace::innermost_at(const Track& track, Nanos t) const {
  SliceId best;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& row = lane(id);
    // The last slice that starts at or before t; zero-length ones count where they stand.
    const std::uint32_t next = t == kMaxNanos ? row.size() : row.first_starting_from(t + 1);
    if (next == 0) continue;
    const std::uint32_t i = next - 1;
    if (row.end(i) <= t && row.start(i) != t) continue;
    // Deeper rows of a nest come later and start later: ">=" prefers them.
    if (!best.valid() || row.start(i) >= lane(best).start(best.index)) best = {id, i};
  }
  return best;
}

namespace {

/// Order along a track: by start, then outer rows first.
bool before(const Trace& trace, SliceId a, SliceId b) {
  const Nanos start_a = trace.span(a).begin;
  const Nanos start_b = trace.span(b).begin;
  return start_a != start_b ? start_a < start_b : a < b;
}

}  // namespace

SliceId Trace::next_on_track(SliceId s) const {
  const Track& track = track_of(s);
  const Nanos start = span(s).begin;
  SliceId best;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& row = lane(id);
    for (std::uint32_t i = row.first_starting_from(start); i < row.size(); ++i) {
      const SliceId candidate{id, i};
      if (!before(*this, s, candidate)) continue;  // among equal starts only
      if (!best.valid() || before(*this, candidate, best)) best = candidate;
      break;
    }
  }
  return best;
}

SliceId Trace::previous_on_track(SliceId s) const {
  const Track& track = track_of(s);
  const Nanos start = span(s).begin;
  SliceId best;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& row = lane(id);
    std::uint32_t i = start == kMaxNanos ? row.size() : row.first_starting_from(start + 1);
    while (i-- > 0) {
      const SliceId candidate{id, i};
      if (!before(*this, candidate, s)) continue;
      if (!best.valid() || before(*this, best, candidate)) best = candidate;
      break;
    }
  }
  return best;
}

std::uint64_t Trace::event_count() const {
  std::uint64_t sum = 0;
  for (const TraceSource& source : sources_)
    sum = std::accumulate(source.phase_counts.begin(), source.phase_counts.end(), sum);
  return sum;
}

std::size_t Trace::memory_bytes() const {
  std::size_t sum = strings_.memory_bytes() + links_.memory_bytes();
  for (const Lane& row : lanes_) sum += row.memory_bytes();
  for (const Track& track : tracks_) {
    sum += sizeof(Track) + track.instants.capacity() * sizeof(Instant) +
           track.counter.times.capacity() * sizeof(Nanos) + track.counter.values.capacity() * sizeof(double);
  }
  for (const TraceSource& source : sources_) {
    if (source.bytes) sum += source.bytes->memory_bytes();
    if (source.side_data) sum += source.side_data->memory_bytes();
  }
  return sum + arguments_place_->memory_bytes();
}

}  // namespace lacuna

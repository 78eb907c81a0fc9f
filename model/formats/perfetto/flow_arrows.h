#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/formats/perfetto/trace_index.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// One end of an arrow: the slice around `time` on that thread or stream.
struct ArrowEnd {
  SinkThread thread;
  Nanos time = 0;
};

/// Writes each arrow between two slices as a flow of its own. One thread.
class ArrowWriter {
 public:
  explicit ArrowWriter(TraceSink& sink) : sink_(sink) {}
  void write(std::string_view category, const ArrowEnd& from, const ArrowEnd& to);

 private:
  TraceSink& sink_;
  std::uint64_t arrows_ = 0;
};

/// Returns where the events of a track are shown: its thread, or its GPU queue.
SinkThread place_of(const PerfettoTrack& track);

/// Writes the flows of an index whose tracks have been placed. `partners`: the result of pair_slices().
void write_flows(const TraceIndex& index, std::span<const std::uint32_t> partners, ArrowWriter& arrows);

}  // namespace lacuna

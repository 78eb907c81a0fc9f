#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/formats/perfetto/trace_index.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// An end of an arrow: on that thread or stream, in the slice around that time.
struct ArrowEnd {
  SinkThread thread;
  Nanos time = 0;
};

/// Gives each arrow between two slices a flow of its own. One thread.
class ArrowWriter {
 public:
  explicit ArrowWriter(TraceSink& sink) : sink_(sink) {}
  void write(std::string_view category, const ArrowEnd& from, const ArrowEnd& to);

 private:
  TraceSink& sink_;
  std::uint64_t arrows_ = 0;
};

/// Where events of a track stand: its thread, or its queue of a GPU.
SinkThread place_of(const PerfettoTrack& track);

/// Draws the flows of an index whose tracks have their places. `partners`: of pair_slices().
void write_flows(const TraceIndex& index, std::span<const std::uint32_t> partners, ArrowWriter& arrows);

}  // namespace lacuna

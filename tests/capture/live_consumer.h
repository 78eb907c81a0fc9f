#pragma once
// Consumes a running recording like a window, without one.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "capture/session/live_source.h"
#include "model/build/trace_builder.h"

namespace lacuna {

/// Receives everything that a recording delivers, and builds its trace.
struct LiveConsumer {
  TraceBuilder builder;
  SourceId source;
  std::size_t most_running = 0;
  std::uint64_t running_events = 0;  ///< number of events of running ranges, which count nowhere else
  std::uint64_t deliveries = 0;
  std::uint64_t forgotten = 0;
  bool is_over = false;

  explicit LiveConsumer(const LiveSource& recording) {
    TraceSource described;
    described.bytes = recording.bytes();
    source = builder.add_source(described);
  }
  void take(LiveSource& recording) {
    LiveDelivery delivery;
    if (!recording.take(delivery, 100)) return;
    ++deliveries;
    for (EventBatch& batch : delivery.batches) builder.add(source, std::move(batch));
    std::size_t running = 0;
    for (const auto& track : delivery.running.tracks) running += track.slices.size() + track.sealed_slices.size();
    most_running = std::max(most_running, running);
    running_events += delivery.running.event_count();
    forgotten += builder.forget(source, delivery.forget_below, "limit");
    is_over = delivery.is_last;
  }
};

}  // namespace lacuna

#pragma once

#include <utility>

#include "model/memory/category_timeline.h"
#include "model/memory/snapshot.h"
#include "model/trace/kept_with_trace.h"

namespace lacuna {

/// The contents of a memory file, kept with the trace made from it, so that it is read once.
/// Immutable; any thread.
struct KeptSnapshot final : KeptWithTrace {
  explicit KeptSnapshot(MemorySnapshot read) : snapshot(std::move(read)) {}
  std::size_t memory_bytes() const override { return snapshot.memory_bytes(); }
  const MemorySnapshot snapshot;
};

/// The contents of a file of export_memory_timeline.
struct KeptTimeline final : KeptWithTrace {
  explicit KeptTimeline(CategoryTimeline read) : timeline(std::move(read)) {}
  std::size_t memory_bytes() const override { return timeline.memory_bytes(); }
  const CategoryTimeline timeline;
};

}  // namespace lacuna

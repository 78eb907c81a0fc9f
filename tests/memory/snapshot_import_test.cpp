#include <string>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "model/import/snapshot_events.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

TEST_CASE("a snapshot opens as a trace: counters, the largest allocations, a mark where memory ran out") {
  std::string events = event_opcodes("segment_alloc", 65536, 2048, 0);
  for (int i = 0; i < 300; ++i)
    events += event_opcodes("alloc", 100'000 + 4096ull * static_cast<unsigned>(i), 512 + static_cast<unsigned>(i), 1,
                            frame_opcodes("f", 1));
  events += event_opcodes("free_requested", 100'000, 512, 4) + event_opcodes("free_completed", 100'000, 512, 5) +
            event_opcodes("oom", 10, 1 << 20, 6);
  const Result<Trace> trace =
      import_json(snapshot_opcodes(events, block_opcodes(4096, 4096, "active_allocated")), "a.pickle");
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == kAllocationsDrawn);
  CHECK(trace->sources().front().format == "allocator snapshot of PyTorch");
  std::size_t counters = 0;
  std::size_t marks = 0;
  for (const Track& track : trace->tracks()) {
    marks += track.instants.size();
    if (track.kind != TrackKind::kCounter) continue;
    ++counters;
  }
  CHECK(counters >= 1);
  CHECK(marks == 1);
  const auto& process = trace->process(trace->tracks().front().process);
  CHECK(trace->text(process.name) == "GPU memory");
  CHECK(trace->span().end == 6000);
}

TEST_CASE("a snapshot without a history, and another pickle, say so") {
  const auto empty = import_json(snapshot_opcodes("", block_opcodes(4096, 4096, "inactive")), "a.pickle");
  REQUIRE_FALSE(empty.has_value());
  CHECK(empty.error().message().find("without a history") != std::string::npos);
  const auto other = import_json(pickle_of(list_opcodes("K" + le(1, 1))), "b.pickle");
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().message() == "b.pickle: a Python pickle, but not of an allocator snapshot: it holds a list");
}

}  // namespace
}  // namespace lacuna

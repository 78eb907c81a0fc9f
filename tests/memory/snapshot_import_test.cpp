#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/formats/snapshot/snapshot_events.h"
#include "model/holders/memory_history.h"
#include "model/import/importer.h"
#include "model/memory/out_of_memory.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

TEST_CASE("sizes of memory in words: the largest unit that they fill") {
  CHECK(describe_size(0) == "0 B");
  CHECK(describe_size(1023) == "1023 B");
  CHECK(describe_size(1024) == "1.00 KiB");
  CHECK(describe_size(1024 * 1024 - 1024) == "1023.00 KiB");
  CHECK(describe_size(1024 * 1024) == "1.00 MiB");
  CHECK(describe_size(1536ull << 20) == "1.50 GiB");
  CHECK(describe_size(1ull << 60) == "1.00 EiB");
}

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

TEST_CASE("of allocations of one size those are drawn that were held longest") {
  std::string events;
  const int steps = 2 * static_cast<int>(kAllocationsDrawn);
  for (int step = 0; step < steps; ++step) {
    events += event_opcodes("alloc", 4096, 1024, step, frame_opcodes("step", 1));
    events += event_opcodes("free_requested", 4096, 1024, step) + event_opcodes("free_completed", 4096, 1024, step);
  }
  events += event_opcodes("alloc", 8192, 1024, steps, frame_opcodes("weights", 1));
  const Result<Trace> trace =
      import_json(snapshot_opcodes(events, block_opcodes(8192, 1024, "active_allocated")), "a.pickle");
  REQUIRE(trace.has_value());
  bool is_drawn = false;
  for (const Lane& lane : trace->lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      is_drawn |= trace->text(lane.name(i)).find("weights") != std::string_view::npos;
  CHECK(is_drawn);
}

TEST_CASE("counters of a snapshot stand above its allocations") {
  const std::string events = event_opcodes("alloc", 4096, 1024, 2, frame_opcodes("f", 1));
  const Result<Trace> trace =
      import_json(snapshot_opcodes(events, block_opcodes(4096, 1024, "active_allocated")), "a.pickle");
  REQUIRE(trace.has_value());
  bool saw_allocations = false;
  for (const TrackId id : trace->processes().front().tracks) {
    const Track& track = trace->track(id);
    CHECK((track.kind == TrackKind::kCounter) != (track.slice_count > 0));
    saw_allocations |= track.slice_count > 0;
    if (track.kind == TrackKind::kCounter) CHECK_FALSE(saw_allocations);
  }
  CHECK(saw_allocations);
}

TEST_CASE("a snapshot and the trace of the same run are joined by time") {
  // Microseconds since 1970, as the allocator writes them, and a trace that counts from its base.
  constexpr std::int64_t kBase = 1'700'000'000'000'000'000;
  const auto event_at = [](std::string_view action, std::int64_t time_us) {
    return dict_opcodes(text_opcode("action") + text_opcode(action) + text_opcode("addr") + number_opcode(4096) +
                        text_opcode("size") + number_opcode(1024) + text_opcode("stream") + "K" + le(0, 1) +
                        text_opcode("time_us") + number_opcode(static_cast<std::uint64_t>(time_us)) +
                        text_opcode("frames") + list_opcodes(""));
  };
  const PickleFile json("beside.json", R"({"baseTimeNanoseconds":1700000000000000000,"traceEvents":[)"
                                       R"({"ph":"X","pid":1,"tid":1,"name":"aten::empty","ts":500,"dur":10}]})");
  const PickleFile pickle("beside.pickle", snapshot_opcodes(event_at("alloc", kBase / 1000 + 505) +
                                                                event_at("free_completed", kBase / 1000 + 900),
                                                            block_opcodes(4096, 1024, "inactive")));
  for (const bool snapshot_first : {false, true}) {
    const std::vector<std::string> paths =
        snapshot_first ? std::vector{pickle.path(), json.path()} : std::vector{json.path(), pickle.path()};
    const Result<Trace> trace = import_files(paths);
    REQUIRE(trace.has_value());
    Nanos empty = 0, alloc = 0;
    for (const Track& track : trace->tracks()) {
      if (track.slice_count == 0) continue;
      const SliceId slice{track.first_lane, 0};
      (trace->name(slice) == "aten::empty" ? empty : alloc) = trace->span(slice).begin;
    }
    CHECK(alloc - empty == 5'000);
    const auto histories = read_memory_histories(*trace);
    REQUIRE(histories.has_value());
    REQUIRE(histories->size() == 1);
    CHECK(histories->front()->table.times.front() == alloc);
  }
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

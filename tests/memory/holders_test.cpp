// Who holds memory over time: of [memory] records and of snapshots, by what, and as areas.
#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "model/formats/snapshot/snapshot_reader.h"
#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"
#include "model/holders/trace_holders.h"
#include "model/import/importer.h"
#include "model/input/bytes.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

std::string memory_record(int ts, long long bytes, long long total, int address) {
  return R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + std::to_string(ts) + R"(,"args":{"Bytes":)" +
         std::to_string(bytes) + R"(,"Device Type":1,"Device Id":0,"Addr":)" + std::to_string(address) +
         R"(,"Total Allocated":)" + std::to_string(total) + "}},";
}
std::string operator_slice(const char* name, const char* category, int ts, int duration) {
  return std::string(R"({"ph":"X","pid":1,"tid":1,"cat":")") + category + R"(","name":")" + name + R"(","ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(duration) + "},";
}

/// A forward pass that keeps 400 bytes for the backward pass, and a temporary of 50.
std::string trace_with_memory() {
  return R"({"traceEvents":[)" + operator_slice("nn.Module: Net_0", "python_function", 0, 40) +
         operator_slice("aten::linear", "cpu_op", 5, 25) + operator_slice("aten::mm", "cpu_op", 10, 10) +
         memory_record(12, 400, 1400, 7) + memory_record(14, 50, 1450, 8) + memory_record(16, -50, 1400, 8) +
         operator_slice("autograd::engine: MmBackward0", "cpu_op", 60, 30) +
         operator_slice("aten::mul", "cpu_op", 65, 10) + memory_record(70, 300, 1700, 9) +
         memory_record(80, -400, 1300, 7) + R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})";
}

std::vector<std::shared_ptr<const MemoryHistory>> histories_of(const Trace& trace) {
  auto read = read_memory_histories(trace);
  REQUIRE(read.has_value());
  return *read;
}

TEST_CASE("[memory] records as pieces: who allocated, what it is, how long nothing used it") {
  const Result<Trace> trace = import_json(trace_with_memory(), "a.json");
  REQUIRE(trace.has_value());
  const auto all = histories_of(*trace);
  REQUIRE(all.size() == 1);
  const MemoryHistory& history = *all.front();
  CHECK(history.name == "GPU 0");
  CHECK(history.table.active == std::vector<std::int64_t>{1000, 1400, 1450, 1400, 1700, 1300});
  CHECK(history.table.peak() == 4);
  CHECK(history.table.moment_at(15'000) == 2);
  CHECK(history.table.time_of(4) == 70'000);
  REQUIRE(history.table.pieces.size() == 3);
  const MemoryPiece& kept = history.table.pieces[0];
  CHECK(history.table.labels[kept.label] == "aten::mm");
  CHECK(history.stack(kept) == std::vector<std::string>{"aten::mm", "aten::linear", "nn.Module: Net_0"});
  CHECK(kept.unused == 30'000);  // aten::linear ends at 30, the backward operator begins at 60
  CHECK(trace->name(history.freed_by(kept).slice) == "autograd::engine: MmBackward0");
  CHECK(history.table.pieces[1].unused == 0);
  CHECK(history.table.pieces[2].unused == -1);  // never freed
  std::vector<std::string> names;
  const auto category = history.groups(HolderGroup::kCategory, names);
  CHECK(names[category[0]] == "activation");
  CHECK(names[category[1]] == "temporary");
  CHECK(names[category[2]] == "gradient");
  names.clear();
  const auto module = history.groups(HolderGroup::kModule, names);
  CHECK(names[module[0]] == "nn.Module: Net_0");
  CHECK(names[module[2]] == "(in no module)");
  CHECK(history.has_group(HolderGroup::kModule));
  CHECK_FALSE(history.has_group(HolderGroup::kFrame));
}

TEST_CASE("the first moment with most memory in a range, against looking at each") {
  std::uint32_t random = 1;
  const auto roll = [&](std::uint32_t below) { return (random = random * 1'664'525 + 1'013'904'223) / 65'536 % below; };
  for (const std::uint32_t count : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 4'095u, 4'096u, 4'097u, 9'000u}) {
    MemoryTable table;
    for (std::uint32_t m = 0; m < count; ++m) table.active.push_back(roll(50));
    table.finish();
    for (int round = 0; round < 200; ++round) {
      const std::uint32_t first = roll(count), last = first + roll(round % 2 == 0 ? 200 : count);
      const auto begin = table.active.begin() + first;
      const auto end = table.active.begin() + std::min(last + 1, count);
      REQUIRE(table.peak(first, last) ==
              static_cast<std::uint32_t>(std::max_element(begin, end) - table.active.begin()));
    }
  }
}

TEST_CASE("areas: the groups that hold most alone, the others together, their sum what is held") {
  const Result<Trace> trace = import_json(trace_with_memory(), "a.json");
  REQUIRE(trace.has_value());
  const auto all = histories_of(*trace);
  const MemoryHistory& history = *all.front();
  const HolderAreas areas = make_holder_areas(history, HolderGroup::kCategory);
  REQUIRE(areas.areas.size() == 3);
  CHECK(areas.areas[0].name == "activation");
  CHECK(areas.areas[0].most == 400);
  CHECK(areas.areas[0].at(0) == 0);
  CHECK(areas.areas[0].at(4) == 400);
  CHECK(areas.areas[0].at(5) == 0);
  CHECK(areas.areas[areas.area_of[1]].at(2) == 50);
  const HolderAreas few = make_holder_areas(history, HolderGroup::kCategory, 1);
  REQUIRE(few.areas.size() == 2);
  CHECK(few.others == 2);
  CHECK(few.areas[1].name == "2 others");
  // One other is as good as its name.
  CHECK(make_holder_areas(history, HolderGroup::kCategory, 2).areas.size() == 3);
  CHECK(make_holder_areas(history, HolderGroup::kCategory, 2).others == 0);
  for (std::uint32_t moment = 0; moment < history.table.moments(); ++moment) {
    std::uint64_t all_areas = 0, few_areas = 0;
    for (const HolderArea& area : areas.areas) all_areas += area.at(moment);
    for (const HolderArea& area : few.areas) few_areas += area.at(moment);
    CHECK(all_areas == few_areas);
    CHECK(all_areas + 1000 == static_cast<std::uint64_t>(history.table.active[moment]));
  }
}

TEST_CASE("bytes by stack, at a moment and since another") {
  const Result<Trace> trace = import_json(trace_with_memory(), "a.json");
  REQUIRE(trace.has_value());
  const auto all = histories_of(*trace);
  const ByteTree now = make_byte_tree(*all.front(), 4);
  CHECK(now.nodes.front().bytes == 700);
  REQUIRE(now.nodes.front().children.size() == 2);
  CHECK(now.nodes[now.nodes.front().children[0]].name == "nn.Module: Net_0");
  CHECK(now.nodes[now.nodes.front().children[0]].bytes == 400);
  const std::uint32_t before = 1;
  const ByteTree change = make_byte_tree(*all.front(), 5, &before);
  CHECK(change.nodes.front().change() == -100);
  for (const std::uint32_t child : change.nodes.front().children)
    CHECK(change.nodes[child].change() == (change.nodes[child].name == "nn.Module: Net_0" ? -400 : 300));
}

TEST_CASE("the peak of any range is found as if every moment were looked at") {
  MemoryTable table;
  std::uint32_t random = 1;
  for (int i = 0; i < 10'000; ++i) {
    random = random * 1664525 + 1013904223;
    table.active.push_back(random >> 20);
    if (i > 0) table.times.push_back(i);
  }
  table.finish();
  for (int i = 0; i < 500; ++i) {
    random = random * 1664525 + 1013904223;
    std::uint32_t first = (random >> 8) % 10'000;
    random = random * 1664525 + 1013904223;
    std::uint32_t last = (random >> 8) % 10'000;
    if (first > last) std::swap(first, last);
    const auto expected = std::max_element(table.active.begin() + first, table.active.begin() + last + 1);
    CHECK(table.peak(first, last) == static_cast<std::uint32_t>(expected - table.active.begin()));
  }
}

TEST_CASE("a snapshot: pieces by frame, segments as pieces of their own") {
  const std::string events =
      event_opcodes("segment_alloc", 4096, 4096, 1) + event_opcodes("alloc", 4096, 1024, 2, frame_opcodes("f", 1)) +
      event_opcodes("alloc", 5120, 512, 3, frame_opcodes("g", 2)) + event_opcodes("free_requested", 4096, 1024, 4) +
      event_opcodes("free_completed", 4096, 1024, 6);
  const PickleFile file("holders.pickle", snapshot_opcodes(events, block_opcodes(4096, 1024, "inactive") +
                                                                       block_opcodes(5120, 512, "active_allocated")));
  const std::vector<std::string> paths{file.path()};
  const Result<Trace> trace = import_files(paths);
  REQUIRE(trace.has_value());
  const auto all = histories_of(*trace);
  REQUIRE(all.size() == 1);
  const auto& history = dynamic_cast<const SnapshotHistory&>(*all.front());
  REQUIRE(history.table.pieces.size() == 2);
  CHECK(history.table.active == std::vector<std::int64_t>{0, 0, 1024, 1536, 1536, 512});
  CHECK(history.table.pieces[0].unused == 2000);  // asked to be freed at 4, freed at 6
  CHECK(history.table.labels[history.table.pieces[1].label] == "g  /a/b.py:2");
  CHECK(history.segments().active == std::vector<std::int64_t>{0, 4096, 4096, 4096, 4096, 4096});
  REQUIRE(history.segments().pieces.size() == 1);
  CHECK(history.segments().labels[0] == "small, stream 0");
}

TEST_CASE("a snapshot of random events: what is held at each moment is what its pieces add up to") {
  std::mt19937 random(14);
  const auto roll = [&](std::uint32_t below) { return random() % below; };
  for (int round = 0; round < 30; ++round) {
    std::string events, blocks;
    std::vector<bool> is_held(6);
    int time = 1;
    for (std::uint64_t i = 0; i < 40; ++i) {
      time += static_cast<int>(roll(4));
      const std::uint64_t slot = roll(6), address = 4096 + 512 * slot;
      if (roll(6) == 0) events += event_opcodes("segment_alloc", 65536 + 4096 * i, 512 * (1 + roll(8)), time);
      if (is_held[slot]) {
        events += event_opcodes("free_requested", address, 512, time);
        time += static_cast<int>(roll(3));
        events += event_opcodes("free_completed", address, 512, time);
      } else {
        events += event_opcodes("alloc", address, 512, time, frame_opcodes("f", 1 + static_cast<int>(roll(3))));
      }
      is_held[slot] = !is_held[slot];
    }
    for (std::uint64_t slot = 0; slot < is_held.size(); ++slot)
      blocks += block_opcodes(4096 + 512 * slot, 512, is_held[slot] ? "active_allocated" : "inactive");
    auto read = read_snapshot(*make_memory_bytes(snapshot_opcodes(events, blocks)), "test");
    REQUIRE(read.has_value());
    const auto snapshot = std::make_shared<const MemorySnapshot>(std::move(*read));
    constexpr Nanos kShift = 5;
    const SnapshotHistory history(snapshot, snapshot->devices[0], kShift);
    const std::size_t count = snapshot->devices[0].event_count;
    REQUIRE(history.table.moments() == count + 1);
    REQUIRE(history.segments().active.size() == count + 1);
    for (std::uint32_t m = 0; m <= count; ++m) {
      std::int64_t held = 0, reserved = 0;
      for (const MemoryPiece& piece : history.table.pieces)
        if (piece.begin <= m && m < piece.end) held += static_cast<std::int64_t>(piece.bytes);
      for (const MemoryPiece& piece : history.segments().pieces)
        if (piece.begin <= m && m < piece.end) reserved += static_cast<std::int64_t>(piece.bytes);
      CHECK(history.table.active[m] == held);
      CHECK(history.segments().active[m] == reserved);
      const std::size_t event = m == 0 ? 0 : m - 1;
      CHECK(history.table.time_of(m) == snapshot->event(snapshot->devices[0], event).time_us * 1000 + kShift);
    }
    for (Nanos t = 0; t < (time + 2) * 1000; t += 500) {
      std::uint32_t passed = 0;
      for (const Nanos at : history.table.times) passed += at <= t;
      CHECK(history.table.moment_at(t) == passed);
    }
    for (std::size_t p = 0; p < history.table.pieces.size(); ++p) {
      const MemoryPiece& piece = history.table.pieces[p];
      const Allocation& allocation = history.memory().allocations[piece.index];
      CHECK(piece.bytes == allocation.size);
      CHECK(piece.unused == (allocation.end == Allocation::kNever ? -1
                                                                  : history.table.time_of(allocation.end) -
                                                                        history.table.time_of(allocation.requested)));
      if (p > 0) CHECK(history.table.pieces[p - 1].begin <= piece.begin);
      if (p > 0)
        CHECK(history.table.pieces[history.table.by_size[p - 1]].bytes >=
              history.table.pieces[history.table.by_size[p]].bytes);
    }
  }
}

}  // namespace
}  // namespace lacuna

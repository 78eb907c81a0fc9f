// Allocations of [memory] records as marks below the slices that they were made in.
#include "model/holders/memory_marks.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/import/importer.h"

namespace lacuna {
namespace {

std::string record_of(int ts, int bytes, int total, int address, int device_type = 1) {
  return R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + std::to_string(ts) + R"(,"args":{"Bytes":)" +
         std::to_string(bytes) + R"(,"Device Type":)" + std::to_string(device_type) + R"(,"Device Id":0,"Addr":)" +
         std::to_string(address) + R"(,"Total Allocated":)" + std::to_string(total) + R"(,"Total Reserved":4096}},)";
}
std::string op(const char* name, int ts, int duration) {
  return std::string(R"({"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":")") + name + R"(","ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(duration) + "},";
}

/// aten::linear [0, 50) us calls aten::mm [10, 20) and aten::add [40, 45).
Trace marked_trace() {
  auto trace =
      import_json(R"({"traceEvents":[)" + op("aten::linear", 0, 50) + op("aten::mm", 10, 10) + op("aten::add", 40, 5) +
                      record_of(12, 400, 400, 7) + record_of(14, 50, 450, 8) + record_of(16, -50, 400, 8) +
                      record_of(25, 100, 500, 9) + record_of(30, -100, 400, 9) + record_of(32, 60, 460, 10) +
                      record_of(60, -400, 60, 7) + R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})",
                  "marks.json");
  REQUIRE(trace.has_value());
  return std::move(*trace);
}

TEST_CASE("an allocation lies below the innermost slice, until its free, the next one or what is called next") {
  const Trace trace = marked_trace();
  const auto histories = read_memory_histories(trace);
  REQUIRE(histories.has_value());
  const MemoryMarks marks(trace, *histories);
  REQUIRE(marks.size() == 4);
  const Track& track = trace.tracks().front();
  REQUIRE(track.lane_count == 2);
  const auto below_linear = marks.on_lane(track.first_lane);
  const auto below_mm = marks.on_lane(LaneId{track.first_lane.value + 1});
  REQUIRE(below_linear.size() == 2);
  REQUIRE(below_mm.size() == 2);
  CHECK(below_mm[0].span == TimeSpan{12'000, 14'000});      // where the next one begins
  CHECK(below_mm[1].span == TimeSpan{14'000, 16'000});      // its free
  CHECK(below_linear[0].span == TimeSpan{25'000, 30'000});  // its free
  CHECK(below_linear[1].span == TimeSpan{32'000, 40'000});  // aten::add begins
  CHECK(trace.name(below_mm[0].below) == "aten::mm");
  CHECK(marks.piece(below_mm[0]).bytes == 400);
  CHECK(marks.needs_row(track.id));  // below aten::mm is no lane
  CHECK(marks.on_lane(LaneId{99}).empty());
  CHECK(marks[marks.index_of(below_mm[1])].span == below_mm[1].span);
}

TEST_CASE("of allocations at one moment the last recorded has the room, the others are moments") {
  auto trace = import_json(R"({"traceEvents":[)" + op("aten::linear", 0, 50) + record_of(12, 400, 400, 7) +
                               record_of(12, 50, 450, 8) + record_of(12, 60, 510, 9) + record_of(20, -60, 450, 9) +
                               R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})",
                           "moments.json");
  REQUIRE(trace.has_value());
  const auto histories = read_memory_histories(*trace);
  REQUIRE(histories.has_value());
  const MemoryMarks marks(*trace, *histories);
  const auto below = marks.on_lane(trace->tracks().front().first_lane);
  REQUIRE(below.size() == 3);
  CHECK(marks.piece(below[0]).bytes == 400);
  CHECK(marks.piece(below[1]).bytes == 50);
  CHECK(marks.piece(below[2]).bytes == 60);
  CHECK(below[0].span == TimeSpan{12'000, 12'000});
  CHECK(below[1].span == TimeSpan{12'000, 12'000});
  CHECK(below[2].span == TimeSpan{12'000, 20'000});
}

TEST_CASE("lanes of what a device has: allocated and reserved, below the thread that allocates") {
  const Trace trace = marked_trace();
  const auto histories = read_memory_histories(trace);
  REQUIRE(histories.has_value());
  const MemoryMarks marks(trace, *histories);
  REQUIRE(marks.lanes().size() == 2);
  const MemoryMarks::Lane& allocated = marks.lanes()[0];
  CHECK(allocated.title == "gpu:0 allocated");
  CHECK(allocated.below == trace.tracks().front().id);
  CHECK(allocated.series.values == std::vector<double>{400, 450, 400, 500, 400, 460, 60});
  CHECK(allocated.series.max == 500);
  CHECK(marks.lanes()[1].title == "gpu:0 reserved");
  CHECK(marks.lanes()[1].series.max == 4096);
}

TEST_CASE("a file with counters of its own gets no lanes of them") {
  auto trace = import_json(R"({"traceEvents":[)" + op("aten::mm", 0, 50) + record_of(12, 400, 400, 7) +
                               R"({"ph":"C","pid":1,"name":"GPU 0 memory","ts":12,"args":{"allocated bytes":400}}]})",
                           "counted.json");
  REQUIRE(trace.has_value());
  const auto histories = read_memory_histories(*trace);
  REQUIRE(histories.has_value());
  const MemoryMarks marks(*trace, *histories);
  CHECK(marks.size() == 1);
  CHECK(marks.lanes().empty());
}

TEST_CASE("memory by phase of the program: ranges of its own, the optimizer, what has no name") {
  auto trace = import_json(
      R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"cat":"user_annotation","name":"## forward ##","ts":0,"dur":20},)" +
          op("aten::mm", 5, 5) + record_of(6, 10, 10, 1) +
          R"({"ph":"X","pid":1,"tid":1,"cat":"user_annotation","name":"Optimizer.step#SGD.step","ts":30,"dur":20},)" +
          op("aten::add", 35, 5) + record_of(36, 20, 30, 2) + op("aten::empty", 60, 5) + record_of(61, 30, 60, 3) +
          R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":100,"dur":1}]})",
      "phases.json");
  REQUIRE(trace.has_value());
  const auto histories = read_memory_histories(*trace);
  REQUIRE(histories.has_value());
  const MemoryHistory& history = *histories->front();
  CHECK(history.has_group(HolderGroup::kPhase));
  std::vector<std::string> names;
  const auto phase = history.groups(HolderGroup::kPhase, names);
  REQUIRE(phase.size() == 3);
  CHECK(names[phase[0]] == "forward");
  CHECK(names[phase[1]] == "optimizer");
  CHECK(names[phase[2]] == "(phase not known)");
}

}  // namespace
}  // namespace lacuna

// Allocations on the timeline: where they are drawn, what stands for many, what the mouse finds.
#include <cmath>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "model/holders/memory_marks.h"
#include "model/import/importer.h"
#include "tests/render/scene.h"

namespace lacuna {
namespace {

/// aten::mm [0, 100) us allocates 4 KiB at 10 us, freed at 60, and `more` of 512 B within the microsecond from 90 us
/// on.
Trace allocating_trace(int more) {
  std::string json = R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::mm","ts":0,"dur":100},)";
  const auto record = [&](const std::string& ts, int bytes, int address) {
    json += R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + ts + R"(,"args":{"Bytes":)" +
            std::to_string(bytes) + R"(,"Device Type":1,"Device Id":0,"Addr":)" + std::to_string(address) + "}},";
  };
  record("10", 4096, 1);
  record("60", -4096, 1);
  for (int i = 0; i < more; ++i) record("90." + std::to_string(100 + i), 512, 10 + i);
  auto trace = import_json(json + R"({"ph":"X","pid":1,"tid":2,"name":"other","ts":0,"dur":100}]})", "drawn.json");
  REQUIRE(trace.has_value());
  return std::move(*trace);
}

struct MemoryScene : Scene {
  explicit MemoryScene(Trace made) : Scene(std::move(made)) {
    auto histories = read_memory_histories(trace);
    REQUIRE(histories.has_value());
    marks = std::make_unique<MemoryMarks>(trace, std::move(*histories));
    input.data.memory = marks.get();
  }
  std::unique_ptr<MemoryMarks> marks;
};

TEST_CASE("an allocation is drawn in the row below its operator, as long as it is held") {
  MemoryScene scene(allocating_trace(0));
  const TimelineDrawList& list = scene.frame();
  const DrawSlice* mm = scene.drawn("aten::mm");
  REQUIRE(mm != nullptr);
  REQUIRE(list.memory_marks.size() == 1);
  const DrawMemoryMark& mark = list.memory_marks[0];
  CHECK(mark.y0 > mm->y1 - 1);
  CHECK(mark.x0 == doctest::Approx(100).epsilon(0.01));
  CHECK(mark.x1 == doctest::Approx(600).epsilon(0.01));
  CHECK(mark.label == "+4.00 KiB");
  CHECK(mark.folded == 1);
  const Hit hit = hit_test(list, 300, (mark.y0 + mark.y1) / 2);
  CHECK(hit.kind == Hit::Kind::kMemory);
  CHECK(hit.index == 0);
  CHECK(hit_test(list, 800, (mark.y0 + mark.y1) / 2).kind != Hit::Kind::kMemory);
}

TEST_CASE("the row is there only where it is needed, and not on collapsed tracks") {
  MemoryScene scene(allocating_trace(0));
  const float with = scene.frame().content_height;
  scene.input.data.memory = nullptr;
  const float without = scene.frame().content_height;
  CHECK(with > without);
  CHECK(with < without + 2 * scene.input.view.metrics.row);
  scene.input.data.memory = scene.marks.get();
  scene.input.arrangement.tracks.assign(scene.trace.tracks().size(), {});
  for (TrackState& state : scene.input.arrangement.tracks) state.is_collapsed = true;
  CHECK(scene.frame().memory_marks.empty());
}

TEST_CASE("what is narrower than a pixel is drawn together, and nothing is lost") {
  MemoryScene scene(allocating_trace(300));
  const TimelineDrawList& list = scene.frame();
  std::size_t told = 0;
  for (const DrawMemoryMark& mark : list.memory_marks) told += mark.folded;
  CHECK(told == 301);
  CHECK(list.memory_marks.size() < 20);
  scene.show({90'000, 90'400});
  CHECK(scene.frame().memory_marks.size() == 300);
}

TEST_CASE("a device's memory is a lane of its own, found by the mouse apart from the other one") {
  MemoryScene scene(allocating_trace(0));
  for (const MemoryMarks::Lane& lane : scene.marks->lanes())
    scene.input.arrangement.extra_counters.push_back({lane.below, &lane.series, lane.title, true});
  scene.input.arrangement.extra_counters.push_back(scene.input.arrangement.extra_counters.front());
  scene.input.arrangement.extra_counters.back().title = "second";
  const TimelineDrawList& list = scene.frame();
  const DrawHeader* first = scene.header("gpu:0 allocated");
  const DrawHeader* second = scene.header("second");
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(first->detail == "at most 4.00 KiB");
  const auto extra_at = [&](const DrawHeader* header) {
    const Hit hit = hit_test(list, 300, (header->y0 + header->y1) / 2);
    REQUIRE(hit.kind == Hit::Kind::kCounter);
    return list.counter_steps[hit.index].extra;
  };
  CHECK(extra_at(first) == 0);
  CHECK(extra_at(second) == 1);
}

}  // namespace
}  // namespace lacuna

#include "render/wait_layout.h"

#include "render/counter_text.h"
#include "tests/render/scene.h"

namespace lacuna {
namespace {

TEST_CASE("the selected kernel shows the way from its launch in parts") {
  Scene scene(TrackMaker()
                  .thread("1", "1")
                  .slice("launch a", 0, 10, "cuda_runtime", 1)
                  .slice("launch b", 100, 100, "cuda_runtime", 2)
                  .stream("0", "7")
                  .slice("a", 150, 450, "kernel", 1)
                  .slice("b", 800, 200, "kernel", 2)
                  .make());
  CHECK(scene.frame().waits.empty());
  scene.input.emphasis.selected = scene.slice("b");
  scene.frame();
  REQUIRE(scene.list.waits.size() == 2);
  const DrawWait& queued = scene.list.waits[0];
  const DrawWait& latency = scene.list.waits[1];
  CHECK(queued.is_queued);
  CHECK(queued.label == "queued behind 1 activity for 400 ns");
  CHECK(queued.x0 == doctest::Approx(200));
  CHECK(queued.x1 == doctest::Approx(600));
  CHECK_FALSE(latency.is_queued);
  CHECK(latency.label == "launch latency 200 ns");
  CHECK(latency.x1 == doctest::Approx(800));
  scene.input.emphasis.selected = scene.slice("launch b");
  CHECK(scene.frame().waits.empty());
}

TEST_CASE("dead windows of annotations are brackets below them") {
  Scene scene(TrackMaker()
                  .thread("1", "1")
                  .slice("ProfilerStep#0", 0, 500, "user_annotation")
                  .slice("aten::mm", 300, 100)
                  .slice("ProfilerStep#1", 500, 500, "user_annotation")
                  .slice("aten::mm", 510, 400)
                  .make());
  scene.frame();
  REQUIRE(scene.list.dead_windows.size() == 1);  // 10 ns of 500 are nothing to speak of
  const DrawDead& dead = scene.list.dead_windows[0];
  CHECK(dead.x0 == doctest::Approx(0));
  CHECK(dead.x1 == doctest::Approx(300));
  CHECK(dead.label == "300 ns before the first operator");
  const DrawSlice* step = scene.drawn("ProfilerStep#0");
  REQUIRE(step != nullptr);
  CHECK(dead.y0 == step->y1);
}

TEST_CASE("GPUs tell the causes of their gaps in view, the widest first; the longest gap is marked") {
  Scene scene(TrackMaker().stream("0", "7").slice("a", 0, 100).slice("b", 300, 100).slice("c", 900, 100).make());
  std::vector<SharedVector<GapDiagnosis>> diagnoses(1);
  GapDiagnosis short_one, long_one;
  short_one.cause = GapCause::kSynchronisation;
  long_one.cause = GapCause::kDataLoading;
  diagnoses[0].push_back(short_one);
  diagnoses[0].push_back(long_one);
  scene.input.data.diagnoses = &diagnoses;
  scene.frame();
  const DrawHeader* gpu = nullptr;
  for (const DrawHeader& h : scene.list.headers)
    if (h.kind == DrawHeader::Kind::kProcess) gpu = &h;
  REQUIRE(gpu != nullptr);
  REQUIRE(gpu->causes.size() == 2);
  CHECK(gpu->causes[0].cause == GapCause::kDataLoading);
  CHECK(gpu->causes[1].cause == GapCause::kSynchronisation);
  REQUIRE(scene.list.gaps.size() == 2);
  CHECK_FALSE(scene.list.gaps[0].is_longest);
  CHECK(scene.list.gaps[1].is_longest);
}

TEST_CASE("values of counters have separators and units") {
  CHECK(counter_text("Total Allocated", 3e9, 2147483648.0) == "2.00 GiB");
  CHECK(counter_text("gpu_utilization", 100, 97) == "97 %");
  CHECK(counter_text("tokens", 1e6, 123456) == "123,456");
  CHECK(counter_text("memory (MiB)", 5000, 4096) == "4096");
  CHECK(counter_text("Memory clock", 5000, 4096) == "4096");
  CHECK(counter_text("allocated", 12, 7) == "7");
}

}  // namespace
}  // namespace lacuna

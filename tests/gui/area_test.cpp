#include <random>

#include <doctest/doctest.h>

#include "app/gui/core/area_tracks.h"
#include "app/gui/models/area/snap.h"
#include "app/gui/models/minimap/activity_overview.h"
#include "app/gui/workspace/workspace.h"
#include "tests/render/scene.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

Trace two_threads() {
  return TrackMaker()
      .thread("1", "10")
      .slice("outer", 0, 1000)
      .slice("inner", 100, 200)
      .thread("1", "11")
      .slice("other", 300, 400)
      .stream("0", "7")
      .slice("gemm", 200, 300)
      .slice("gemm", 900, 50)
      .make();
}

TEST_CASE("a rectangle touches the tracks between its edges") {
  Scene scene(two_threads());
  scene.frame();
  const auto between = [&](float y0, float y1) { return tracks_between(scene.input, scene.vertical, y0, y1); };
  const TrackPlace first = scene.vertical.tracks[0];
  const TrackPlace second = scene.vertical.tracks[1];
  CHECK(between(first.y0 + 1, first.y0 + 2) == std::vector{first.track});
  CHECK(between(first.y0 + 1, second.y0 + 1) == std::vector{first.track, second.track});
  CHECK(between(second.y0 + 1, first.y0 + 1) == std::vector{first.track, second.track});
  CHECK(between(-10, 1e6f).size() == 3);
  CHECK(between(1, 2).empty());  // the title of the process
  // Of a collapsed process: all that are not hidden.
  scene.input.arrangement.collapsed_processes.assign(scene.trace.processes().size(), 1);
  scene.input.arrangement.tracks.resize(scene.trace.tracks().size());
  scene.input.arrangement.tracks[second.track.value].is_hidden = true;
  scene.frame();
  CHECK(between(1, 2) == std::vector{first.track});
}

TEST_CASE("edges in the row under the mouse attract, then those of its track, then markers") {
  Scene scene(two_threads());
  scene.show({0, 1000});  // a nanosecond a pixel
  scene.frame();
  Markers markers;
  markers.add({650, 650});
  const auto snap = [&](double x, float y) { return find_snap(scene.input, scene.list, markers, x, y, 7); };
  const DrawSlice& inner = *scene.drawn("inner");
  const DrawSlice& outer = *scene.drawn("outer");
  REQUIRE(snap(104, inner.y0 + 2));
  CHECK(snap(104, inner.y0 + 2)->time == 100);
  CHECK(snap(296, inner.y0 + 2)->time == 300);
  CHECK(!snap(200, inner.y0 + 2));
  CHECK(snap(104, outer.y0 + 2)->time == 100);  // of the row below, in the same track
  CHECK(snap(646, outer.y0 + 2)->time == 650);
  const DrawSlice& gemm = *scene.drawn("gemm");
  CHECK(snap(897, gemm.y0 + 2)->time == 900);
  CHECK(snap(503, gemm.y0 + 2)->time == 500);
  CHECK(!snap(107.5, inner.y0 + 2));
}

TEST_CASE("the overview says what part of each moment the GPUs are busy") {
  std::mt19937 random(3);
  TraceMaker make;
  constexpr Nanos kEnd = 4'096'000;
  std::vector<std::vector<bool>> busy(2, std::vector<bool>(static_cast<std::size_t>(kEnd / 1000)));
  for (int i = 0; i < 300; ++i) {
    const Nanos start = static_cast<Nanos>(random() % 4000) * 1000;
    const Nanos length = static_cast<Nanos>(1 + random() % 40) * 1000;
    const Nanos end = std::min(kEnd, start + length);
    const std::size_t device = random() % 2;
    make.kernel("k", start, end, 0, random() % 2 == 0 ? "7" : "8", device == 0 ? "0" : "1");
    for (Nanos t = start; t < end; t += 1000) busy[device][static_cast<std::size_t>(t / 1000)] = true;
  }
  make.thread("all", 0, kEnd);
  const DocumentPtr document = make_document(make.build(), {"x"});
  const ActivityOverview overview = make_overview(*document);
  REQUIRE(overview.kind == ActivityOverview::Kind::kGpu);
  REQUIRE(overview.bins.size() == 4096);
  CHECK(overview.processes.size() == 2);
  for (std::size_t i = 0; i < 4096; ++i) {
    const float expected = ((busy[0][i] ? 1.0f : 0.0f) + (busy[1][i] ? 1.0f : 0.0f)) / 2;
    CHECK(overview.bins[i] == doctest::Approx(expected));
  }
  CHECK(overview.mean(0, 1, 4096) == doctest::Approx(overview.bins[0]));
  CHECK(overview.mean(0, 1, 2048) == doctest::Approx((overview.bins[0] + overview.bins[1]) / 2));
  CHECK(overview.mean(-5, 1e9, 10) <= 1);
}

TEST_CASE("without a GPU the overview shows the threads, without slices nothing") {
  TraceMaker make;
  make.thread("a", 0, 1'000'000).thread("b", 3'000'000, 4'000'000);
  const ActivityOverview cpu = make_overview(*make_document(make.build(), {"x"}));
  CHECK(cpu.kind == ActivityOverview::Kind::kCpu);
  CHECK(cpu.mean(0, 20, 100) == doctest::Approx(1).epsilon(0.01));
  CHECK(cpu.mean(30, 70, 100) == doctest::Approx(0));
  TraceMaker plain;  // of a program that says nothing of itself: when its threads ran
  plain.state("running", 0, 25'000, "7")
      .state("waiting: sleep", 25'000, 75'000, "7")
      .state("running", 75'000, 100'000, "7");
  const ActivityOverview ran = make_overview(*make_document(plain.build(), {"x"}));
  CHECK(ran.kind == ActivityOverview::Kind::kCpu);
  CHECK(ran.mean(0, 20, 100) == doctest::Approx(1));
  CHECK(ran.mean(30, 70, 100) == doctest::Approx(0));
  CHECK(make_overview(Document{}).kind == ActivityOverview::Kind::kNothing);
}

TEST_CASE("a selection of tracks: counted alone, taken out, taken in") {
  TraceMaker make;
  make.thread("op", 0, 100'000).kernel("gemm", 10'000, 20'000).kernel("copy", 30'000, 32'000, 0, "8");
  BackgroundJobs jobs;
  Workspace w{jobs};
  w.view().resize(1000, 400, 1);
  w.open(make_document(make.build(), {"x"}));
  TrackId seven;
  for (const Track& t : w.trace().tracks())
    if (t.kind == TrackKind::kGpuStream && w.trace().text(t.stream) == "7") seven = t.id;
  w.set_area({5'000, 50'000}, {seven});
  w.settle();
  REQUIRE(w.statistics().rows.size() == 1);
  CHECK(w.statistics().rows[0].total == 10'000);
  CHECK(w.statistics().rows[0].p50 == 10'000);
  REQUIRE(w.range_analysis()->streams.size() == 2);
  CHECK(w.range_analysis()->streams[0].busy == 10'000);
  w.toggle_in_area(seven);
  CHECK(w.counted_tracks() == std::vector{seven});  // the last one stays
  w.set_area({5'000, 50'000}, {});
  w.toggle_in_area(seven);
  w.settle();
  CHECK(w.counted_tracks().size() == 2);
  CHECK(w.statistics().rows.size() == 2);
  w.toggle_in_area(seven);
  w.settle();
  CHECK(w.statistics().rows.size() == 3);
  w.clear_selection();
  CHECK(w.counted_tracks().empty());
  // Of the whole trace, percentiles come when somebody asks.
  w.ask_percentiles();
  w.settle();
  for (const StatisticsRow& row : w.statistics().rows) CHECK(row.p99 >= row.p50);
}

TEST_CASE("folding time follows the tracks that are shown") {
  TraceMaker make;
  make.thread("all", 0, 10'000'000).kernel("gemm", 10'000, 20'000).kernel("gemm", 9'000'000, 9'010'000);
  BackgroundJobs jobs;
  Workspace w{jobs};
  w.view().set_animated(false);
  w.view().resize(1000, 400, 1);
  w.open(make_document(make.build(), {"x"}));
  w.set_fold_time(true);
  w.settle();
  CHECK(!w.has_time_folds());  // the thread is busy all the time
  for (const Track& t : w.trace().tracks())
    if (t.kind == TrackKind::kThread) w.view().arrange([&](TrackArrangement& a) { a.set_hidden(t.id, true); });
  w.update();
  w.settle();
  REQUIRE(w.has_time_folds());
  CHECK(w.view().input().view.time_folds->stretches().size() == 1);
  CHECK(w.view().visible().begin <= 10'000);
  CHECK(w.view().visible().end >= 9'010'000);
  w.set_fold_time(false);
  CHECK(!w.has_time_folds());
  CHECK(w.view().visible().end >= 9'010'000);
}

}  // namespace
}  // namespace lacuna

#include <cmath>

#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

Trace two_processes() {
  return TrackMaker()
      .thread("1", "10")
      .slice("op", 0, 1000)
      .slice("inner", 100, 100)
      .thread("1", "11")
      .slice("other", 0, 500)
      .stream("0", "7")
      .slice("gemm", 200, 300)
      .stream("0", "8")
      .slice("copy", 600, 100, "gpu_memcpy")
      .counter("1", "memory", {{0, 1.0}, {500, 2.0}})
      .make();
}

void collapse(Scene& scene, TrackId track) {
  scene.input.arrangement.tracks.resize(scene.trace.tracks().size());
  scene.input.arrangement.tracks[track.value].is_collapsed = true;
}

void collapse(Scene& scene, ProcessId process) {
  scene.input.arrangement.collapsed_processes.resize(scene.trace.processes().size());
  scene.input.arrangement.collapsed_processes[process.value] = 1;
}

}  // namespace

TEST_CASE("processes and tracks lie below each other without holes") {
  Scene scene(two_processes());
  scene.frame();
  const VerticalLayout& v = scene.vertical;
  REQUIRE(v.processes.size() == 2);
  REQUIRE(v.tracks.size() == 5);
  CHECK(v.processes[0].y0 == 0);
  CHECK(v.processes[0].y1 == 26);
  CHECK(v.tracks[0].y0 == 26);
  CHECK(v.tracks[0].rows == 2);
  CHECK(v.tracks[0].y1 - v.tracks[0].y0 == 2 * 18 + 6);
  CHECK(v.tracks[1].y0 == v.tracks[0].y1);
  CHECK(v.tracks[1].y1 - v.tracks[1].y0 == 24 + 6);  // min_track
  CHECK(v.tracks[2].y1 - v.tracks[2].y0 == 40 + 6);  // counter
  CHECK(v.processes[0].bottom == v.tracks[2].y1);
  CHECK(v.processes[1].y0 == v.processes[0].bottom);
  CHECK(v.height == v.tracks.back().y1);
  CHECK(scene.list.content_height == v.height);
  for (const TrackPlace& place : v.tracks) {
    CHECK(v.find(place.track) == &place);
    CHECK(place.lanes_y0 >= place.y0);
    CHECK(place.lanes_y0 + static_cast<float>(place.rows) * place.row_px <= place.y1);
  }
  CHECK(v.find(scene.trace.process_order()[1]) == &v.processes[1]);
  CHECK(v.find(TrackId{}) == nullptr);
}

TEST_CASE("tracks and processes without content get no place") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("op", 0, 1000)
                  .thread_name("1", "99", "idle thread")
                  .thread_name("5", "50", "idle process")
                  .make());
  scene.frame();
  CHECK(scene.vertical.tracks.size() == 1);
  CHECK(scene.vertical.processes.size() == 1);
  CHECK(scene.vertical.find(scene.track("idle thread")) == nullptr);
}

TEST_CASE("a collapsed process is its header with a thin overview of its fullest tracks") {
  TrackMaker maker;
  for (int t = 0; t < 7; ++t) {
    maker.thread("1", std::to_string(10 + t));
    for (int i = 0; i <= t; ++i) maker.slice("op", i * 100, 50);
  }
  Scene scene(maker.make());
  collapse(scene, scene.trace.process_order()[0]);
  scene.frame();
  CHECK(scene.vertical.height == 26);
  REQUIRE(scene.vertical.tracks.size() == 4);
  float y = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const TrackPlace& place = scene.vertical.tracks[i];
    CHECK(place.is_overview);
    CHECK(place.rows == 1);
    CHECK(place.y0 >= y);
    CHECK(place.y1 <= 26);
    CHECK(scene.trace.text(scene.trace.track(place.track).tid) == std::to_string(13 + i));
    y = place.y1;
  }
  CHECK(scene.list.headers.size() == 1);  // tracks have no header there
  CHECK(scene.list.headers[0].is_collapsed);
  CHECK(scene.list.rows.size() == 4);
}

TEST_CASE("a collapsed track keeps four low rows") {
  TrackMaker maker;
  maker.thread("1", "10");
  for (int depth = 0; depth < 10; ++depth) maker.slice("d", depth, 1000 - 2 * depth);
  Scene scene(maker.make());
  collapse(scene, scene.track("thread 10"));
  scene.frame();
  const TrackPlace& place = *scene.vertical.find(scene.track("thread 10"));
  CHECK(place.rows == 4);
  CHECK(place.row_px == 5);
  CHECK(place.y1 - place.y0 == 24 + 6);
}

TEST_CASE("a strip for instants lies above the lanes") {
  Scene scene(TrackMaker().thread("1", "10").slice("op", 0, 1000).slice("in", 1, 10).instant("i", 5).make());
  scene.frame();
  const TrackPlace& place = scene.vertical.tracks[0];
  CHECK(place.lanes_y0 == place.y0 + 3 + 7);
}

TEST_CASE("heights follow the scale in whole pixels") {
  Scene scene(two_processes());
  scene.input.view.metrics.scale = 1.25f;
  scene.frame();
  CHECK(scene.vertical.processes[0].y1 == 33);  // 32.5
  CHECK(scene.vertical.tracks[0].row_px == 23);
  for (const TrackPlace& place : scene.vertical.tracks) {
    CHECK(place.y0 == std::round(place.y0));
    CHECK(place.lanes_y0 == std::round(place.lanes_y0));
  }
}

TEST_CASE("a slice has a height wherever it is folded away") {
  TrackMaker maker;
  maker.thread("1", "10");
  for (int depth = 0; depth < 10; ++depth) maker.slice("d" + std::to_string(depth), depth, 1000 - 2 * depth);
  for (int t = 0; t < 5; ++t) maker.thread("1", std::to_string(20 + t)).slice("x", 0, 1).slice("y", 2, 1);
  maker.thread("1", "30").slice("lonely", 0, 1);
  Scene scene(maker.make());
  scene.frame();
  float y0 = 0;
  float y1 = 0;
  const auto place = [&] { return *scene.vertical.find(scene.track("thread 10")); };
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("d7"), y0, y1));
  CHECK(y0 == place().lanes_y0 + 7 * 18);
  CHECK(y1 == y0 + 18);

  collapse(scene, scene.track("thread 10"));
  scene.frame();
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("d7"), y0, y1));
  CHECK(y0 == place().lanes_y0 + 3 * 5);

  collapse(scene, scene.trace.process_order()[0]);
  scene.frame();
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("d7"), y0, y1));
  CHECK(y0 == place().y0);
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("lonely"), y0, y1));  // not in the overview
  CHECK(y0 == 0);
  CHECK(y1 == 26);
}

TEST_CASE("an empty trace is an empty layout") {
  Scene scene(TrackMaker().make());
  scene.frame();
  CHECK(scene.vertical.height == 0);
  CHECK(scene.list.headers.empty());
  CHECK(scene.list.slices.empty());
  CHECK_FALSE(scene.list.ticks.empty());
}

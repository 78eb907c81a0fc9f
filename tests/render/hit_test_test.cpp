#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

Trace scene_trace() {
  TrackMaker maker;
  maker.thread("1", "10").slice("outer", 0, 1000).slice("inner", 200, 300).slice("thin", 700, 1);
  maker.instant("mark", 400);
  maker.stream("0", "7").slice("k1", 0, 100).slice("k2", 600, 1).slice("k3", 603, 397);
  maker.counter("1", "memory", {{0, 10.0}, {400, 20.0}, {900, 5.0}});
  return maker.make();
}

float middle_y(const DrawSlice& s) {
  return (s.y0 + s.y1) / 2;
}

}  // namespace

TEST_CASE("the slice under the point is hit, to the edge") {
  Scene scene(scene_trace());
  scene.frame();
  const DrawSlice& inner = *scene.drawn("inner");
  const Hit hit = hit_test(scene.list, 300, middle_y(inner));
  CHECK(hit.kind == Hit::Kind::kSlice);
  CHECK(hit.slice == scene.slice("inner"));
  CHECK(hit.track == scene.track("thread 10"));
  CHECK(hit.process == scene.trace.process_order()[0]);
  CHECK(&scene.list.slices[hit.index] == &inner);
  CHECK(hit_test(scene.list, 200.5f, inner.y0).slice == scene.slice("inner"));
  CHECK(hit_test(scene.list, 499.9f, inner.y1 - 0.1f).slice == scene.slice("inner"));
  CHECK(hit_test(scene.list, 199.5f, middle_y(inner)).kind == Hit::Kind::kTrack);
  CHECK(hit_test(scene.list, 501, middle_y(inner)).kind == Hit::Kind::kTrack);
  CHECK(hit_test(scene.list, 300, inner.y0 - 2).slice == scene.slice("outer"));
}

TEST_CASE("a thin slice is hit from two pixels beside it") {
  Scene scene(scene_trace());
  scene.frame();
  const float y = middle_y(*scene.drawn("thin"));
  for (const float x : {698.1f, 699.0f, 700.5f, 702.9f}) {
    CAPTURE(x);
    CHECK(hit_test(scene.list, x, y).slice == scene.slice("thin"));
  }
  CHECK(hit_test(scene.list, 697.5f, y).kind == Hit::Kind::kTrack);
  CHECK(hit_test(scene.list, 703.5f, y).kind == Hit::Kind::kTrack);
  CHECK(hit_test(scene.list, 696.5f, y, 2).slice == scene.slice("thin"));  // at scale 2
}

TEST_CASE("gaps are hit between activities; a thin one before the slices beside it") {
  Scene scene(scene_trace());
  scene.frame();
  const float y = middle_y(*scene.drawn("k1"));
  const Hit hit = hit_test(scene.list, 300, y);
  CHECK(hit.kind == Hit::Kind::kGap);
  CHECK(scene.list.gaps[hit.index].start == 100);
  CHECK(hit.track == scene.track("stream 7"));
  CHECK(hit_test(scene.list, 599, y).slice == scene.slice("k2"));  // the wide gap can be hit elsewhere
  CHECK(hit_test(scene.list, 602, y).kind == Hit::Kind::kGap);
  CHECK(hit_test(scene.list, 50, y).slice == scene.slice("k1"));
}

TEST_CASE("instants are hit in their strip, counters anywhere in their track") {
  Scene scene(scene_trace());
  scene.frame();
  const DrawInstant& mark = scene.list.instants[0];
  const Hit instant = hit_test(scene.list, 401, (mark.y0 + mark.y1) / 2);
  CHECK(instant.kind == Hit::Kind::kInstant);
  CHECK(instant.track == scene.track("thread 10"));
  CHECK(hit_test(scene.list, 405, (mark.y0 + mark.y1) / 2).kind == Hit::Kind::kTrack);
  CHECK(hit_test(scene.list, 401, middle_y(*scene.drawn("outer"))).kind == Hit::Kind::kSlice);

  const TrackPlace& place = *scene.vertical.find(scene.track("memory"));
  const Hit counter = hit_test(scene.list, 500, place.y0 + 1);
  CHECK(counter.kind == Hit::Kind::kCounter);
  CHECK(scene.list.counter_steps[counter.index].index == 1);
  CHECK(counter.track == scene.track("memory"));
}

TEST_CASE("headers are hit beside the drawing area and where nothing is drawn") {
  Scene scene(scene_trace());
  scene.frame();
  const Hit process = hit_test(scene.list, -50, 10);
  CHECK(process.kind == Hit::Kind::kProcess);
  CHECK(process.process == scene.trace.process_order()[0]);
  const Hit track = hit_test(scene.list, -50, middle_y(*scene.drawn("outer")));
  CHECK(track.kind == Hit::Kind::kTrack);
  CHECK(track.track == scene.track("thread 10"));
  CHECK(scene.list.headers[track.index].track == track.track);
  CHECK(hit_test(scene.list, 10, 10).kind == Hit::Kind::kProcess);
  CHECK(hit_test(scene.list, 10, 599).kind == Hit::Kind::kNothing);
  CHECK(hit_test(TimelineDrawList{}, 10, 10).kind == Hit::Kind::kNothing);
}

TEST_CASE("folds are hit with their count") {
  TrackMaker maker;
  maker.thread("1", "10").slice("frame", 0, 1'000'000);
  for (int i = 0; i < 10; ++i) maker.slice(i == 6 ? "longest" : "short", 100'000 + i * 100, i == 6 ? 90 : 40);
  Scene scene(maker.make());
  scene.frame();
  const Hit hit = hit_test(scene.list, 100.5f, middle_y(*scene.drawn("longest")));
  CHECK(hit.kind == Hit::Kind::kSlice);
  CHECK(hit.folded == 10);
  CHECK(hit.slice == scene.slice("longest"));
}

TEST_CASE("hits follow the scroll position") {
  Scene scene(scene_trace());
  scene.frame();
  const float y = middle_y(*scene.drawn("inner"));
  scene.input.view.scroll_y = 20;
  scene.frame();
  CHECK(hit_test(scene.list, 300, y - 20).slice == scene.slice("inner"));
}

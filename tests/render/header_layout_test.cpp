#include "render/header_layout.h"

#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

TEST_CASE("processes are titled by name, pid, rank and GPU model") {
  TrackMaker maker;
  maker.process_name("6583", "python").process_labels("6583", "CPU");
  maker.process_name("0", "python").process_labels("0", "GPU 0");
  maker.thread("6583", "6583").slice("op", 0, 100).stream("0", "7").slice("k", 0, 100);
  maker.source().rank = 0;
  maker.source().devices.push_back({.id = "0", .name = "NVIDIA B200"});
  Scene scene(maker.make());
  scene.frame();
  CHECK(scene.header("python 6583 \u00b7 rank 0") != nullptr);
  REQUIRE(scene.header("GPU 0 \u00b7 NVIDIA B200 \u00b7 rank 0") != nullptr);
  CHECK(scene.header("GPU 0 \u00b7 NVIDIA B200 \u00b7 rank 0")->is_gpu);
}

TEST_CASE("processes without metadata are titled, too") {
  Scene scene(TrackMaker()
                  .thread("42", "1")
                  .slice("op", 0, 100)
                  .thread("Spans", "x")
                  .slice("span", 0, 10)
                  .stream("3", "7")
                  .slice("k", 0, 10)
                  .make());
  scene.frame();
  CHECK(scene.header("process 42") != nullptr);
  CHECK(scene.header("Spans") != nullptr);
  CHECK(scene.header("GPU 3") != nullptr);
}

TEST_CASE("a GPU stream tells how busy it is in the visible range") {
  Scene scene(TrackMaker()
                  .stream("0", "7")
                  .slice("a", 0, 250'000)
                  .slice("b", 500'000, 250'000)
                  .slice("c", 950'000, 50'000)
                  .make());
  scene.frame();
  const DrawHeader* header = scene.header("stream 7");
  REQUIRE(header != nullptr);
  CHECK(header->detail == "55.0 % busy \u00b7 450 \u00b5s idle in view");
  CHECK(header->busy_share == doctest::Approx(0.55));
  CHECK(header->is_gpu);

  // While all that the report measures is in view, titles are about that.
  const std::vector<TimeSpan> measured{{250'000, 1'000'000}};
  scene.input.data.measured = &measured;
  scene.frame();
  CHECK(scene.header("stream 7")->detail == "40.0 % busy \u00b7 450 \u00b5s idle");

  scene.show({0, 500'000});
  scene.frame();
  CHECK(scene.header("stream 7")->detail == "50.0 % busy \u00b7 250 \u00b5s idle in view");
  scene.show({0, 200'000});
  scene.frame();
  CHECK(scene.header("stream 7")->detail == "100 % busy \u00b7 0 ns idle in view");
  scene.input.view.camera = Camera::at(2'000'000, 0, 100);
  scene.frame();
  CHECK(scene.header("stream 7")->detail == "no activity in view");
  CHECK(scene.header("stream 7")->busy_share < 0);
  scene.input.data.busy = nullptr;
  scene.frame();
  CHECK(scene.header("stream 7")->detail == "3 slices");
}

TEST_CASE("other tracks tell what they hold") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("op", 0, 1000)
                  .slice("op", 2000, 10)
                  .thread("1", "11")
                  .instant("i", 5)
                  .counter("1", "memory", {{0, 0.0}, {500, 1'234'567.0}})
                  .make());
  scene.frame();
  CHECK(scene.header("thread 10")->detail == "2 slices");
  CHECK(scene.header("thread 11")->detail == "1 instant");
  CHECK(scene.header("memory")->detail == "0 B \u2026 1.18 MiB");
  CHECK(scene.header("thread 10")->busy_share < 0);
  scene.input.data.is_thinned = true;
  scene.frame();
  CHECK(scene.header("thread 10")->detail.empty());
  CHECK(scene.header("thread 10")->indent == 1);
  CHECK_FALSE(scene.header("thread 10")->can_collapse);
}

TEST_CASE("with several files a process tells where it comes from") {
  TraceBuilder builder;
  for (const char* path : {"/data/rank0.json", "/data/rank1.json"}) {
    TraceSource source;
    source.path = path;
    const SourceId id = builder.add_source(std::move(source));
    EventBatch batch;
    const std::uint32_t track = batch.track(
        {batch.strings.intern("1"), batch.strings.intern("10"), kEmptyString, kEmptyString, TrackKind::kThread});
    SliceRecord slice;
    slice.duration = 10;
    slice.category = batch.category(batch.strings.intern("cpu_op"));
    batch.tracks[track].slices.push_back(slice);
    builder.add(id, std::move(batch));
  }
  Scene scene(builder.finish());
  scene.frame();
  REQUIRE(scene.list.headers.size() == 4);
  CHECK(scene.list.headers[0].detail == "rank0.json");
  CHECK(scene.list.headers[1].detail == "rank1.json");
}

TEST_CASE("headers alternate their shade and only those in view are made") {
  TrackMaker maker;
  for (int t = 0; t < 200; ++t) maker.thread("1", std::to_string(1000 + t)).slice("op", 0, 100);
  Scene scene(maker.make());
  scene.input.view.scroll_y = 3000;
  scene.frame();
  CHECK(scene.list.headers.size() <= 600 / 30 + 2);
  CHECK(scene.list.headers[0].kind == DrawHeader::Kind::kTrack);
  for (std::size_t i = 1; i < scene.list.headers.size(); ++i) {
    CHECK(scene.list.headers[i].is_odd != scene.list.headers[i - 1].is_odd);
    CHECK(scene.list.headers[i].y0 == scene.list.headers[i - 1].y1);
  }
}

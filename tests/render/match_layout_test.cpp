#include <doctest/doctest.h>

#include "model/search/slice_search.h"
#include "tests/render/scene.h"

using namespace lacuna;

namespace {

SliceMatches find(const Trace& trace, std::string_view text) {
  return find_matches(trace, make_filter(trace, NameSearch(trace.strings()), parse_query(text)));
}

}  // namespace

TEST_CASE("slices that the search found are highlighted, all others dimmed") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("one", 0, 100)
                  .slice("two", 200, 100)
                  .slice("one", 400, 100)
                  .stream("0", "7")
                  .slice("one", 600, 100, "kernel", 7)
                  .make());
  const SliceMatches matches = find(scene.trace, "one");
  scene.input.emphasis.matches = &matches;
  scene.frame();
  REQUIRE(scene.list.slices.size() == 4);
  for (const DrawSlice& s : scene.list.slices) {
    CHECK(s.is_highlighted == (scene.trace.name(s.slice) == "one"));
    CHECK(s.is_dimmed == !s.is_highlighted);
  }
  REQUIRE(scene.list.match_ticks.size() == 3);
  CHECK(scene.list.match_ticks[1] == doctest::Approx(scene.input.view.camera.x_of(400)));
}

TEST_CASE("a folded rectangle stands out when any slice in it was found") {
  TrackMaker make;
  make.thread("1", "10");
  for (int i = 0; i < 20'000; ++i) make.slice(i == 7'777 ? "needle" : "hay", i * 10, i == 7'777 ? 1 : 9);
  Scene scene(make.make());
  const SliceMatches matches = find(scene.trace, "needle");
  scene.input.emphasis.matches = &matches;
  scene.frame();
  int highlighted = 0;
  for (const DrawSlice& s : scene.list.slices) {
    if (!s.is_highlighted) continue;
    ++highlighted;
    CHECK(s.first <= 7'777);
    CHECK(7'777 < s.first + s.folded);
  }
  CHECK(highlighted == 1);
  REQUIRE(scene.list.match_ticks.size() == 1);
  CHECK(scene.list.match_ticks[0] == doctest::Approx(scene.input.view.camera.x_of(77'770)));
}

TEST_CASE("ticks: no more than the ruler has room for, only of what is in view, ascending") {
  TrackMaker make;
  make.thread("1", "10");
  for (int i = 0; i < 50'000; ++i) make.slice("op", i * 10, 9);
  Scene scene(make.make());
  const SliceMatches matches = find(scene.trace, "op");
  scene.input.emphasis.matches = &matches;
  scene.frame();
  CHECK(scene.list.match_ticks.size() > 400);
  CHECK(scene.list.match_ticks.size() <= 501);
  for (std::size_t i = 1; i < scene.list.match_ticks.size(); ++i)
    CHECK(scene.list.match_ticks[i] >= scene.list.match_ticks[i - 1] + 1.9f);
  scene.show({100'000, 101'000});
  scene.frame();
  CHECK(scene.list.match_ticks.size() == 100);
  scene.input.emphasis.matches = nullptr;
  scene.frame();
  CHECK(scene.list.match_ticks.empty());
}

// Outermost rows of a thread that are drawn as one.
#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

/// Three frames around two operators, one of which has another inside.
Trace framed() {
  return TrackMaker()
      .thread("1", "10")
      .slice("outer", 0, 1000, "python_function")
      .slice("middle", 1, 998, "python_function")
      .slice("inner", 2, 996, "python_function")
      .slice("aten::mm", 100, 200)
      .slice("cudaLaunchKernel", 150, 20, "cuda_runtime")
      .slice("aten::add", 500, 100)
      .make();
}

}  // namespace

TEST_CASE("outer rows: three frames take one row, and what is inside stands below it") {
  Scene scene(framed());
  scene.frame();
  const TrackId track = scene.trace.tracks()[0].id;
  CHECK(scene.vertical.find(track)->rows == 5);
  const std::vector<std::uint32_t> outer{3};
  scene.input.data.outer_rows = &outer;
  scene.frame();
  CHECK(scene.vertical.find(track)->rows == 3);
  CHECK(scene.input.data.row_of(scene.slice("outer")) == 0);
  CHECK(scene.input.data.row_of(scene.slice("inner")) == 0);
  CHECK(scene.input.data.row_of(scene.slice("aten::mm")) == 1);
  CHECK(scene.input.data.row_of(scene.slice("cudaLaunchKernel")) == 2);
  CHECK(scene.drawn("outer") == nullptr);
  CHECK(scene.drawn("middle") == nullptr);
  REQUIRE(scene.drawn("inner") != nullptr);
  CHECK(scene.drawn("inner")->outer == 3);
  REQUIRE(scene.drawn("aten::mm") != nullptr);
  CHECK(scene.drawn("aten::mm")->outer == 1);
  CHECK(scene.drawn("inner")->y1 <= scene.drawn("aten::mm")->y0);
  CHECK(scene.list.rows.size() == 3);
}

TEST_CASE("outer rows: any of the frames is selected where their row is") {
  Scene scene(framed());
  const std::vector<std::uint32_t> outer{3};
  scene.input.data.outer_rows = &outer;
  scene.input.emphasis.selected = scene.slice("outer");
  scene.frame();
  CHECK(scene.drawn("inner")->is_selected);
  float y0 = 0, y1 = 0;
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("middle"), y0, y1));
  CHECK(y0 == scene.vertical.find(scene.trace.tracks()[0].id)->lanes_y0);
}

#include "model/shown/shown_rows.h"

#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "render/timeline_layout.h"
#include "tests/render/scene.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Interpreter frames around operators, as torch.profiler writes them with with_stack.
Trace python_trace() {
  TraceMaker make;
  make.thread("main.py", 0, 1000, "python_function")
      .thread("module.py", 10, 900, "python_function")
      .thread("aten::linear", 20, 400)
      .thread("wrapper.py", 30, 390, "python_function")
      .thread("aten::addmm", 40, 380)
      .launch("cudaLaunchKernel", 50, 60, 1)
      .thread("aten::relu", 500, 600)
      .kernel("gemm", 100, 300, 1);
  return make.build();
}

HiddenSlices hide_category_of(const Scene& scene, std::string_view slice) {
  const SliceId id = scene.slice(slice);
  return {{scene.trace.lane(id).category(id.index)}, {}};
}

}  // namespace

TEST_CASE("rows close up over hidden slices; other tracks stay as they are") {
  Scene scene(python_trace());
  const ShownRows shown = ShownRows::make(scene.trace, hide_category_of(scene, "main.py"));
  CHECK(shown.hidden_count() == 3);
  const TrackId thread = scene.trace.track_of(scene.slice("main.py")).id;
  const TrackId stream = scene.trace.track_of(scene.slice("gemm")).id;
  CHECK(shown.changes(thread));
  CHECK(!shown.changes(stream));
  CHECK(shown.row_count(thread) == 3);
  CHECK(shown.row_of(scene.slice("aten::linear")) == 0);
  CHECK(shown.row_of(scene.slice("aten::addmm")) == 1);
  CHECK(shown.row_of(scene.slice("cudaLaunchKernel")) == 2);
  CHECK(shown.row_of(scene.slice("aten::relu")) == 0);
  CHECK(shown.is_hidden(scene.trace, scene.slice("wrapper.py")));
  CHECK(!shown.is_hidden(scene.trace, scene.slice("gemm")));

  scene.frame();
  const float before = scene.drawn("aten::linear")->y0;
  CHECK(scene.drawn("aten::linear")->y0 > scene.drawn("aten::relu")->y0 - 1);
  scene.input.data.shown = &shown;
  scene.input.emphasis.selected = scene.slice("aten::addmm");
  scene.frame();
  CHECK(scene.drawn("main.py") == nullptr);
  CHECK(scene.drawn("wrapper.py") == nullptr);
  REQUIRE(scene.drawn("aten::linear") != nullptr);
  CHECK(scene.drawn("aten::linear")->y0 < before);
  CHECK(scene.drawn("aten::linear")->slice == scene.slice("aten::linear"));
  CHECK(scene.drawn("aten::addmm")->is_selected);
  CHECK(!scene.drawn("aten::linear")->is_selected);
  float y0 = 0, y1 = 0;
  REQUIRE(find_slice_y(scene.input, scene.vertical, scene.slice("aten::relu"), y0, y1));
  CHECK(y0 == scene.drawn("aten::relu")->y0);
  CHECK(!find_slice_y(scene.input, scene.vertical, scene.slice("wrapper.py"), y0, y1));
  const Hit hit = hit_test(scene.list, scene.drawn("aten::relu")->x0 + 5, y0 + 2, 1);
  CHECK(hit.slice == scene.slice("aten::relu"));
}

TEST_CASE("a track of which everything is hidden has no row, in a collapsed process neither") {
  Scene scene(TraceMaker().thread("frame", 0, 100, "python_function").thread("op", 0, 50, "cpu_op", "2").build());
  const ShownRows shown = ShownRows::make(scene.trace, hide_category_of(scene, "frame"));
  scene.input.data.shown = &shown;
  for (const bool is_collapsed : {false, true}) {
    scene.input.arrangement.collapsed_processes.assign(scene.trace.processes().size(), is_collapsed ? 1 : 0);
    scene.frame();
    REQUIRE(scene.list.slices.size() == 1);
    CHECK(scene.drawn("op") != nullptr);
  }
}

TEST_CASE("steps over what is shown") {
  Scene scene(python_trace());
  const ShownRows shown = ShownRows::make(scene.trace, hide_category_of(scene, "main.py"));
  const Trace& trace = scene.trace;
  CHECK(shown.next_on_track(trace, scene.slice("aten::linear")) == scene.slice("aten::addmm"));
  CHECK(shown.previous_on_track(trace, scene.slice("aten::linear")) == SliceId{});
  CHECK(shown.parent(trace, scene.slice("aten::addmm")) == scene.slice("aten::linear"));
  CHECK(shown.parent(trace, scene.slice("aten::linear")) == SliceId{});
  CHECK(shown.first_child(trace, scene.slice("aten::linear")) == scene.slice("aten::addmm"));
  CHECK(shown.first_child(trace, scene.slice("aten::relu")) == SliceId{});
  // Of those that start at the same time the outer one is before the inner one.
  Scene same(TraceMaker()
                 .thread("frame", 0, 100, "python_function")
                 .thread("outer", 10, 90)
                 .thread("inner", 10, 80)
                 .thread("innermost", 10, 70)
                 .build());
  const ShownRows of_same = ShownRows::make(same.trace, hide_category_of(same, "frame"));
  CHECK(of_same.previous_on_track(same.trace, same.slice("innermost")) == same.slice("inner"));
  CHECK(of_same.previous_on_track(same.trace, same.slice("inner")) == same.slice("outer"));
  CHECK(of_same.previous_on_track(same.trace, same.slice("outer")) == SliceId{});
  CHECK(of_same.next_on_track(same.trace, same.slice("outer")) == same.slice("inner"));
  // From one that is hidden itself.
  CHECK(shown.parent(trace, scene.slice("wrapper.py")) == scene.slice("aten::linear"));
}

TEST_CASE("a name is hidden wherever it stands, and what is not there hides nothing") {
  Scene scene(python_trace());
  const ShownRows one = ShownRows::make(scene.trace, {{}, {scene.trace.strings().find("aten::linear")}});
  CHECK(one.hidden_count() == 1);
  CHECK(one.row_of(scene.slice("wrapper.py")) == 2);
  CHECK(one.row_of(scene.slice("main.py")) == 0);
  const ShownRows none = ShownRows::make(scene.trace, {{CategoryId{4711}}, {StringId{4711}}});
  CHECK(none.hidden_count() == 0);
  CHECK(!none.changes(scene.trace.track_of(scene.slice("main.py")).id));
}

TEST_CASE("random nests: each shown slice has one place, inside what contains it") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    TraceMaker make;
    int number = 0;
    const auto nest = [&](auto& self, Nanos begin, Nanos end, int depth) -> void {
      Nanos at = begin;
      while (at + 4 < end && number < 400) {
        const Nanos to = at + 2 + static_cast<Nanos>(random() % static_cast<unsigned>(end - at - 2));
        const std::string name = "s" + std::to_string(number++);
        make.thread(name, at, to, random() % 2 == 0 ? "python_function" : "cpu_op");
        if (depth < 8) self(self, at, to, depth + 1);
        at = to + static_cast<Nanos>(random() % 20);
      }
    };
    nest(nest, 0, 5000, 0);
    make.thread("frame", 5000, 5001, "python_function").thread("op", 5001, 5002);
    Scene scene(make.build());
    const ShownRows shown = ShownRows::make(scene.trace, hide_category_of(scene, "frame"));
    const Track& track = scene.trace.track_of(scene.slice("op"));
    std::map<SliceId, std::uint32_t> rows;
    for (std::uint32_t k = 0; k < shown.row_count(track.id); ++k) {
      const Lane& row = shown.row(track.id, k);
      for (std::uint32_t i = 0; i < row.size(); ++i) {
        const SliceId id = ShownRows::slice(row, i);
        REQUIRE(rows.emplace(id, k).second);
        REQUIRE(row.span(i) == scene.trace.span(id));
        REQUIRE(shown.row_of(id) == k);
        REQUIRE(shown.index_in(scene.trace, row, id) == i);
        const SliceId up = shown.parent(scene.trace, id);
        REQUIRE(rows.contains(up) == up.valid());
        if (up.valid()) REQUIRE(rows.at(up) == k - 1);
        if (!up.valid()) REQUIRE(k == 0);
      }
    }
    REQUIRE(rows.size() + shown.hidden_count() == scene.trace.slice_count());
  }
}

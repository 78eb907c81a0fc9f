// Hiding slices in an open trace, and GPU streams that stay in view.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/gui/application/app_state.h"
#include "app/gui/workspace/side_car.h"
#include "app/gui/workspace/workspace.h"
#include "render/timeline_layout.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Deep frames over operators, and a stream.
Trace deep_trace() {
  TraceMaker make;
  for (int i = 0; i < 30; ++i) make.thread("frame" + std::to_string(i), i, 10'000 - i, "python_function");
  make.thread("aten::mm", 100, 2000).launch("cudaLaunchKernel", 110, 120, 1);
  for (int i = 0; i < 20; ++i) make.thread("other", 0, 100, "cpu_op", std::to_string(100 + i));
  make.kernel("gemm", 500, 900, 1).kernel("gemm", 5000, 6000);
  return make.build();
}

struct HidingFixture {
  HidingFixture() : workspace(jobs) {
    workspace.view().set_animated(false);
    workspace.view().resize(1000, 400, 1);
    workspace.open(make_document(deep_trace(), {"literal"}));
  }
  float height() const { return workspace.view().vertical().height; }
  SliceId slice(std::string_view name) const { return find_longest(workspace.trace(), name); }

  BackgroundJobs jobs;
  Workspace workspace{jobs};
};

}  // namespace

TEST_CASE("a category is hidden, brought back and hidden again") {
  HidingFixture f;
  f.workspace.view().squeeze_frames(false);
  const float before = f.height();
  f.workspace.hide_category("python_function", true);
  CHECK(f.workspace.hidden_slice_count() == 30);
  CHECK(f.height() < before - 400);
  f.workspace.hide_name("aten::mm", true);
  CHECK(f.workspace.hidden_slice_count() == 31);
  f.workspace.undo_hiding();
  CHECK(f.workspace.hidden_slice_count() == 30);
  f.workspace.undo_hiding();
  CHECK(f.workspace.hidden_slice_count() == 0);
  CHECK(f.height() == before);
  CHECK(!f.workspace.can_undo_hiding());
  f.workspace.hide_category("python_function", true);
  f.workspace.set_hidden({});
  CHECK(f.height() == before);
}

TEST_CASE("steps pass over hidden slices; going to one shows its track") {
  HidingFixture f;
  f.workspace.hide_category("python_function", true);
  f.workspace.go_to(f.slice("aten::mm"));
  CHECK(!f.workspace.step_to_parent());
  CHECK(f.workspace.step_to_child());
  CHECK(f.workspace.selection().slice == f.slice("cudaLaunchKernel"));
  CHECK(f.workspace.step_to_parent());
  CHECK(f.workspace.step_on_track(1));
  CHECK(f.workspace.selection().slice == f.slice("cudaLaunchKernel"));
  f.workspace.go_to(f.slice("frame7"));
  CHECK(f.workspace.selection().slice == f.slice("frame7"));
}

TEST_CASE("what is hidden is kept with the trace, and survives a later document of the same files") {
  HidingFixture f;
  const std::uint64_t version = f.workspace.side_car_version();
  f.workspace.hide_category("python_function", true);
  f.workspace.hide_name("no \xFF such name", true);
  CHECK(f.workspace.side_car_version() != version);
  const std::string text = format_side_car(f.workspace);
  f.workspace.refresh(make_document(deep_trace(), {"literal"}));
  CHECK(f.workspace.hidden_slice_count() == 30);

  HidingFixture other;
  apply_side_car(text, other.workspace);
  CHECK(other.workspace.hidden().categories == std::vector<std::string>{"python_function"});
  CHECK(other.workspace.hidden_slice_count() == 30);
  apply_side_car(R"({"version": 1, "hiddenSlices": {"categories": 7, "names": [1, "x", null]}})", other.workspace);
  CHECK(other.workspace.hidden().names == std::vector<std::string>{"x"});
  // A new trace starts with everything shown.
  f.workspace.open(make_document(deep_trace(), {"other"}));
  CHECK(f.workspace.hidden().empty());
  CHECK(f.workspace.hidden_slice_count() == 0);
}

TEST_CASE("a search marks what it found where rows closed up, however many slices a rectangle stands for") {
  TraceMaker make;
  const auto is_needle = [](int i) { return i % 6'007 == 6'000; };
  for (int i = 0; i < 60'000; ++i) {
    const Nanos at = i * 1000;
    make.thread("frame", at, at + 900, "python_function").thread(is_needle(i) ? "needle" : "hay", at + 1, at + 800);
  }
  const Palette palette(true);
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().set_animated(false);
  workspace.view().set_palette(&palette);
  workspace.view().resize(1000, 400, 1);
  workspace.open(make_document(make.build(), {"literal"}));
  workspace.search_for("needle");
  workspace.hide_category("python_function", true);
  workspace.settle();
  const auto marked = [&] {
    TimelineDrawList list;
    layout_timeline(workspace.view().input(), workspace.view().vertical(), list);
    std::vector<const DrawSlice*> found;
    CHECK(list.slices.size() > 100);
    for (const DrawSlice& s : list.slices) {
      if (!s.is_highlighted) continue;
      CHECK(s.folded > 30);
      bool has_one = false;
      for (std::uint32_t i = s.first; i < s.first + s.folded; ++i) has_one |= is_needle(static_cast<int>(i));
      CHECK(has_one);
      found.push_back(&s);
    }
    return found.size();
  };
  CHECK(marked() == 9);
  // In whichever order.
  workspace.search_for({});
  CHECK(marked() == 0);
  workspace.search_for("needle");
  workspace.settle();
  CHECK(marked() == 9);
  workspace.search_for("frame");
  workspace.settle();
  CHECK(marked() == 0);
}

TEST_CASE("GPU streams stay in view while the tracks scroll, without a jump, and can be let go") {
  HidingFixture f;
  TimelineView& view = f.workspace.view();
  CHECK(view.kept_count() == 0);
  CHECK(view.pins_px() == 0);
  const TrackId stream = f.workspace.trace().track_of(f.slice("gemm")).id;
  const TrackPlace place = *view.vertical().find(stream);
  // Where a piece of content stands on the screen.
  const auto on_screen = [&](float y) { return view.pins_px() + y - view.scroll_y(); };
  const float far = place.y1 + 300;
  for (float scrolled = 0; scrolled < 200; scrolled += 10) {
    const float before = on_screen(far);
    view.scroll(10);
    CHECK(on_screen(far) == doctest::Approx(before - 10));
  }
  CHECK(view.kept_count() == 1);
  CHECK(view.pins_px() == place.y1 - place.y0);
  REQUIRE(view.pinned().find(stream) != nullptr);
  // It is in view: a gap of it scrolls nothing away.
  const float scrolled = view.scroll_y();
  view.reveal(stream);
  CHECK(view.scroll_y() == scrolled);
  view.scroll(1e6f);
  CHECK(view.scroll_y() == doctest::Approx(view.vertical().height - view.height_px()));
  view.scroll(-1e6f);
  CHECK(view.scroll_y() == 0);
  CHECK(view.kept_count() == 0);
  view.keep_gpu(false);
  view.scroll(200);
  CHECK(view.kept_count() == 0);
  CHECK(view.pins_px() == 0);
  view.keep_gpu(true);
  CHECK(view.kept_count() == 1);
}

}  // namespace lacuna

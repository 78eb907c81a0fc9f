#include <doctest/doctest.h>

#include "app/gui/workspace/workspace.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Three steps on one thread, kernels on two streams, another thread.
Trace steps_of_parts() {
  TraceMaker make;
  for (int i = 0; i < 3; ++i) {
    const Nanos t = i * 10'000;
    make.thread("ProfilerStep#" + std::to_string(5 + i), t, t + 10'000, "user_annotation")
        .thread("aten::mm", t + 1'000, t + 2'000 + i * 1'000)
        .launch("cudaLaunchKernel", t + 1'100, t + 1'200, static_cast<std::uint64_t>(i) + 1)
        .kernel("gemm", t + 3'000, t + 4'000, static_cast<std::uint64_t>(i) + 1)
        .kernel("copy", t + 3'500, t + 3'600, 0, "8");
  }
  make.thread("loader", 0, 30'000, "cpu_op", "2");
  return make.build();
}

struct PartsFixture {
  PartsFixture() : workspace(jobs) {
    workspace.view().set_animated(false);
    workspace.view().resize(1000, 400, 1);
    workspace.open(make_document(steps_of_parts(), {"literal"}));
  }
  TrackId track_of(std::string_view name) const {
    return workspace.trace().track_of(find_longest(workspace.trace(), name)).id;
  }
  std::uint64_t rows() {
    workspace.settle();
    return workspace.table().rows().size();
  }
  BackgroundJobs jobs;
  Workspace workspace{jobs};
};

TEST_CASE_FIXTURE(PartsFixture, "steps become the range, one after the other") {
  REQUIRE(workspace.steps().size() == 3);
  CHECK(!workspace.selected_steps());
  workspace.select_steps({0, 1});
  CHECK(workspace.area() == TimeSpan{0, 20'000});
  CHECK(workspace.selected_steps() == StepRange{0, 1});
  REQUIRE(workspace.step_step(1));
  CHECK(workspace.selected_steps() == StepRange{2, 2});
  CHECK(!workspace.step_step(1));
  REQUIRE(workspace.step_step(-1));
  CHECK(workspace.selected_steps() == StepRange{1, 1});
  REQUIRE(workspace.step_step(-1));
  CHECK(!workspace.step_step(-1));
  // From a range that is no step: the next one after its start.
  workspace.set_area(TimeSpan{9'000, 11'000});
  REQUIRE(workspace.step_step(1));
  CHECK(workspace.selected_steps() == StepRange{1, 1});
}

TEST_CASE("steps that the GPU runs later become the range with their work") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "user_annotation").thread("ProfilerStep#2", 100, 200, "user_annotation");
  make.launch("cudaLaunchKernel", 10, 20, 1).launch("cudaLaunchKernel", 110, 120, 2);
  make.kernel("a", 50, 450, 1).kernel("b", 460, 900, 2);
  BackgroundJobs jobs;
  Workspace workspace(jobs);
  workspace.open(make_document(make.build(), {"literal"}));
  workspace.select_steps({1, 1});
  CHECK(workspace.area() == TimeSpan{450, 900});
  CHECK(workspace.selected_steps() == StepRange{1, 1});
  REQUIRE(workspace.step_step(-1));
  CHECK(workspace.area() == TimeSpan{0, 450});
}

TEST_CASE_FIXTURE(PartsFixture, "statistics of some tracks only") {
  CHECK(rows() == 5);  // annotations are no work
  workspace.table().only_work = false;
  CHECK(rows() == 8);
  CHECK(workspace.is_counted(track_of("loader")));
  workspace.count_only(track_of("loader"));
  CHECK(rows() == 1);
  CHECK(!workspace.is_counted(track_of("gemm")));
  workspace.toggle_counted(track_of("gemm"));
  CHECK(rows() == 2);
  workspace.set_area(TimeSpan{0, 1'000});
  CHECK(rows() == 1);
  workspace.toggle_counted(track_of("gemm"));
  workspace.toggle_counted(track_of("loader"));
  CHECK(workspace.counted_tracks().empty());
  workspace.set_area(std::nullopt);
  CHECK(rows() == 8);
}

TEST_CASE_FIXTURE(PartsFixture, "queue depth lies below its stream while it is shown") {
  workspace.settle();
  TimelineView& view = workspace.view();
  const float height = view.vertical().height;
  view.show_queues(true);
  CHECK(!view.input().arrangement.extra_counters.empty());
  CHECK(view.vertical().height > height);
  const TrackId stream = view.input().arrangement.extra_counters.front().below;
  bool found = false;
  for (std::size_t i = 1; i < view.vertical().tracks.size(); ++i) {
    const TrackPlace& place = view.vertical().tracks[i];
    if (!place.is_extra()) continue;
    found = true;
    CHECK(place.track == stream);
    CHECK(view.vertical().tracks[i - 1].track == stream);
    CHECK(view.vertical().find(stream) == &view.vertical().tracks[i - 1]);
  }
  CHECK(found);
  workspace.open(make_document(steps_of_parts(), {"other"}));
  CHECK(view.input().arrangement.extra_counters.empty());  // until they are known again
  workspace.settle();
  CHECK(!view.input().arrangement.extra_counters.empty());
  view.show_queues(false);
  CHECK(view.vertical().height == height);
}

TEST_CASE_FIXTURE(PartsFixture, "a row of a table by group leads to all its places, once they are found") {
  GroupOptions options;
  options.by = GroupBy::kStream;
  const auto table = compute_groups(workspace.trace(), options);
  REQUIRE(table.has_value());
  for (std::uint32_t r = 0; r < table->rows.size(); ++r) {
    workspace.highlight(options, r);
    CHECK(workspace.is_finding_occurrences());
    CHECK(workspace.step_occurrence(1));  // taken when they are there
    workspace.settle();
    CHECK_FALSE(workspace.is_finding_occurrences());
    CHECK(workspace.occurrences().size() == table->rows[r].count);
    CHECK(workspace.occurrences().current().has_value());
  }
  workspace.highlight(options, 0);
  workspace.clear_highlight();
  workspace.settle();
  CHECK(workspace.occurrences().empty());
}

TEST_CASE_FIXTURE(PartsFixture, "only slices of some durations are stepped through") {
  const SliceId mm = find_longest(workspace.trace(), "aten::mm");
  const Lane& lane = workspace.trace().lane(mm);
  workspace.highlight(lane.name(mm.index), lane.category(mm.index));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 3);
  CHECK(workspace.occurrences().histogram().count == 3);
  workspace.only_durations(TimeSpan{2'000, 3'001});
  CHECK(workspace.occurrences().size() == 2);
  CHECK(workspace.selection().slice.valid());
  workspace.only_durations(TimeSpan{1'000, 2'000});
  CHECK(workspace.occurrences().size() == 1);
  workspace.only_durations(std::nullopt);
  CHECK(workspace.occurrences().size() == 3);
  workspace.clear_highlight();
  CHECK(workspace.occurrences().histogram().bins.empty());
  workspace.only_durations(TimeSpan{0, 1});
}

TEST_CASE_FIXTURE(PartsFixture, "a place of the report is a slice or a range") {
  ReportPlace place;
  place.span = {5'000, 9'000};
  workspace.go_to(place);
  CHECK(workspace.area() == TimeSpan{5'000, 9'000});
  place.slice = find_longest(workspace.trace(), "loader");
  workspace.go_to(place);
  CHECK(workspace.selection().slice == place.slice);
}

}  // namespace
}  // namespace lacuna

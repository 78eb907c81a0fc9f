#include "app/gui/workspace/workspace.h"

#include <string>

#include <doctest/doctest.h>

#include "app/gui/application/app_state.h"
#include "app/gui/application/commands.h"
#include "tests/support/archive_maker.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Two streams, launches, nesting:
///
///   thread 1   [ step                                                     ]
///              [ aten::mm        ]  [ aten::mm     ]
///               [launch] 1           [launch] 2
///   stream 7         [gemm]...gap 30 us...[gemm][relu]
///   stream 8                  [copy]......gap 8 us......[copy]
Trace small_trace() {
  TraceMaker make;
  make.thread("step", 0, 100'000)
      .thread("aten::mm", 1'000, 20'000)
      .launch("cudaLaunchKernel", 2'000, 5'000, 1)
      .thread("aten::mm", 30'000, 45'000)
      .launch("cudaLaunchKernel", 31'000, 35'000, 2)
      .kernel("gemm", 10'000, 20'000, 1)
      .kernel("gemm", 50'000, 60'000, 2)
      .kernel("relu", 60'000, 61'000)
      .kernel("copy", 30'000, 32'000, 0, "8")
      .kernel("copy", 40'000, 41'000, 0, "8");
  return make.build();
}

struct Fixture {
  Fixture() : workspace(jobs) {
    workspace.view().set_animated(false);
    workspace.view().resize(1000, 400, 1);
    workspace.open(make_document(small_trace(), {"literal"}));
  }
  std::string selected() const {
    const SliceId s = workspace.selection().slice;
    return s.valid() ? std::string(workspace.trace().name(s)) : std::string();
  }
  SliceId slice(std::string_view name) const { return find_longest(workspace.trace(), name); }

  BackgroundJobs jobs;
  Workspace workspace{jobs};
};

TEST_CASE("nothing open: every operation is harmless") {
  App app(Settings{}, [] {});
  for (const Command& command : commands()) {
    CAPTURE(command.name);
    if (command.run == nullptr || command.id == "light_theme" || command.id == "larger") continue;
    command.run(app);
  }
  CHECK(!app.workspace.step_gap(1));
  CHECK(!app.workspace.selected_span());
  CHECK(app.workspace.statistics().rows.empty());
}

TEST_CASE_FIXTURE(Fixture, "opening shows the whole of a small trace") {
  const TimeSpan visible = workspace.view().visible();
  CHECK(visible.begin <= 0);
  CHECK(visible.end >= 100'000);
  CHECK(visible.duration() < 110'000);
  CHECK(workspace.min_gap() == 10'000);
  CHECK(workspace.gaps().rows().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "focus zooms to the selection; again shows everything") {
  workspace.select(slice("relu"));
  workspace.focus();
  TimeSpan visible = workspace.view().visible();
  CHECK(visible.begin >= 59'000);
  CHECK(visible.end <= 62'000);
  CHECK(visible.begin <= 60'000);
  CHECK(visible.end >= 61'000);
  workspace.focus();
  visible = workspace.view().visible();
  CHECK(visible.begin <= 0);
  CHECK(visible.end >= 100'000);
  workspace.focus();
  CHECK(workspace.view().visible().duration() < 3'000);
}

TEST_CASE_FIXTURE(Fixture, "stepping through gaps in time order") {
  workspace.set_min_gap(0);
  REQUIRE(workspace.step_gap(1));
  const auto start = [&] { return workspace.selected_span()->begin; };
  CHECK(start() == 20'000);
  REQUIRE(workspace.step_gap(1));
  CHECK(start() == 32'000);
  CHECK(!workspace.step_gap(1));
  CHECK(start() == 32'000);  // the selection stays where it was
  REQUIRE(workspace.step_gap(-1));
  CHECK(start() == 20'000);
  CHECK(!workspace.step_gap(-1));
  // From a slice, the gap before or after it.
  workspace.select(slice("relu"));
  REQUIRE(workspace.step_gap(-1));
  CHECK(start() == 32'000);
  CHECK(workspace.go_to_longest_gap());
  CHECK(start() == 20'000);
}

TEST_CASE_FIXTURE(Fixture, "the shortest gap listed decides which are stepped through") {
  workspace.set_min_gap(10'000);
  REQUIRE(workspace.step_gap(1));
  CHECK(!workspace.step_gap(1));
  CHECK(workspace.gaps().total() == 30'000);
  workspace.set_min_gap(0);
  workspace.update_gaps();
  CHECK(workspace.gaps().rows().size() == 2);
  CHECK(workspace.gaps().total() == 38'000);
}

TEST_CASE_FIXTURE(Fixture, "gap table: longest first, and by other columns") {
  workspace.set_min_gap(0);
  workspace.update_gaps();
  const Document& document = *workspace.document();
  CHECK(get(document, workspace.gaps().rows()[0]).duration() == 30'000);
  workspace.gap_column = GapColumn::kStart;
  workspace.gaps_descending = true;
  workspace.update_gaps();
  CHECK(get(document, workspace.gaps().rows()[0]).start == 32'000);
}

TEST_CASE_FIXTURE(Fixture, "a gap lies before the activity that ends it") {
  const SliceId relu = slice("relu");
  CHECK(!gap_before(*workspace.document(), relu).valid());
  const SliceId second = workspace.trace().previous_on_track(relu);
  const GapRef gap = gap_before(*workspace.document(), second);
  REQUIRE(gap.valid());
  CHECK(get(*workspace.document(), gap).duration() == 30'000);
  CHECK(get(*workspace.document(), gap).launch.valid());
}

TEST_CASE_FIXTURE(Fixture, "stepping on a track, to the parent, to a child") {
  workspace.select(slice("step"));
  REQUIRE(workspace.step_to_child());
  CHECK(selected() == "aten::mm");
  REQUIRE(workspace.step_to_child());
  CHECK(selected() == "cudaLaunchKernel");
  CHECK(!workspace.step_to_child());
  REQUIRE(workspace.step_to_parent());
  CHECK(selected() == "aten::mm");
  workspace.select(slice("relu"));
  REQUIRE(workspace.step_on_track(-1));
  CHECK(selected() == "gemm");
  REQUIRE(workspace.step_on_track(1));
  CHECK(selected() == "relu");
  CHECK(!workspace.step_on_track(1));
  // From a gap to the activities at its ends.
  workspace.set_min_gap(10'000);
  workspace.select(SliceId{});
  REQUIRE(workspace.go_to_longest_gap());
  REQUIRE(workspace.step_on_track(1));
  CHECK(workspace.selected_span()->begin == 50'000);
}

TEST_CASE_FIXTURE(Fixture, "from a launch to its kernel and back") {
  workspace.select(slice("cudaLaunchKernel"));
  REQUIRE(workspace.follow_link(1));
  CHECK(selected() == "gemm");
  REQUIRE(workspace.follow_link(-1));
  CHECK(selected() == "cudaLaunchKernel");
  workspace.select(slice("relu"));
  CHECK(!workspace.follow_link(-1));
  REQUIRE(workspace.go_to_longest_gap());
  REQUIRE(workspace.follow_link(-1));
  CHECK(selected() == "cudaLaunchKernel");
  CHECK(workspace.selected_span()->begin == 31'000);
}

TEST_CASE_FIXTURE(Fixture, "a range changes the statistics; no range brings the whole back") {
  workspace.update_table();
  const std::uint64_t whole = workspace.statistics_version();
  CHECK(workspace.table().rows().size() == 6);
  workspace.set_area(TimeSpan{55'000, 60'500});
  CHECK(workspace.is_computing());
  CHECK(workspace.statistics_version() == whole);  // the last complete answer stays
  workspace.settle();
  CHECK(!workspace.is_computing());
  CHECK(workspace.statistics_version() != whole);
  CHECK(workspace.table().rows().size() == 3);  // step, gemm, relu
  REQUIRE(workspace.range_analysis() != nullptr);
  CHECK(workspace.range_analysis()->range == TimeSpan{55'000, 60'500});
  workspace.set_area(std::nullopt);
  workspace.update_table();
  CHECK(workspace.table().rows().size() == 6);
  CHECK(workspace.range_analysis() == nullptr);
}

TEST_CASE_FIXTURE(Fixture, "an answer to a range that is gone is not shown") {
  workspace.set_area(TimeSpan{0, 1'000});
  workspace.set_area(std::nullopt);
  workspace.settle();
  CHECK(workspace.range_analysis() == nullptr);
  workspace.set_area(TimeSpan{0, 1'000});
  workspace.open(make_document(small_trace(), {"other"}));
  workspace.settle();
  CHECK(!workspace.area());
  CHECK(workspace.range_analysis() == nullptr);
}

TEST_CASE_FIXTURE(Fixture, "an empty range is none; a selection can become one") {
  workspace.set_area(TimeSpan{5, 5});
  CHECK(!workspace.area());
  workspace.select(slice("gemm"));
  workspace.area_from_selection();
  REQUIRE(workspace.area());
  CHECK(workspace.area()->duration() == 10'000);
  workspace.clear_selection();
  CHECK(!workspace.area());
  CHECK(workspace.selection().empty());
}

TEST_CASE_FIXTURE(Fixture, "highlighting a row steps through its slices and wraps around") {
  const Lane& lane = workspace.trace().lane(slice("gemm"));
  workspace.highlight(lane.name(slice("gemm").index), lane.category(slice("gemm").index));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 2);
  CHECK(!workspace.occurrences().current());
  REQUIRE(workspace.step_occurrence(1));
  CHECK(*workspace.occurrences().current() == 0);
  CHECK(workspace.selected_span()->begin == 10'000);
  REQUIRE(workspace.step_occurrence(1));
  CHECK(*workspace.occurrences().current() == 1);
  REQUIRE(workspace.step_occurrence(1));
  CHECK(*workspace.occurrences().current() == 0);
  REQUIRE(workspace.step_occurrence(-1));
  CHECK(*workspace.occurrences().current() == 1);
  workspace.select(slice("relu"));
  CHECK(!workspace.occurrences().current());
  workspace.clear_highlight();
  CHECK(!workspace.step_occurrence(1));
}

TEST_CASE_FIXTURE(Fixture, "only the slices of the range are stepped through") {
  workspace.set_area(TimeSpan{45'000, 70'000});
  const SliceId gemm = slice("gemm");
  workspace.highlight(workspace.trace().lane(gemm).name(gemm.index), workspace.trace().lane(gemm).category(gemm.index));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "filter, side and order of the table") {
  StatisticsView& table = workspace.table();
  table.filter = "GEMM";
  workspace.update_table();
  CHECK(table.rows().size() == 1);
  CHECK(table.events() == 2);
  table.filter = "  kernel   gem ";
  workspace.update_table();
  CHECK(table.rows().size() == 1);
  table.filter = "gemm relu";
  workspace.update_table();
  CHECK(table.rows().empty());
  table.filter.clear();
  table.side = StatisticsSide::kGpu;
  workspace.update_table();
  CHECK(table.rows().size() == 3);
  table.side = StatisticsSide::kCpu;
  workspace.update_table();
  CHECK(table.rows().size() == 3);
  table.side = StatisticsSide::kAll;
  table.column = StatisticsColumn::kName;
  table.descending = false;
  workspace.update_table();
  const auto first = [&] { return workspace.trace().text(table.sorted().rows[table.rows().front()].name); };
  CHECK(first() == "aten::mm");
  table.descending = true;
  workspace.update_table();
  CHECK(first() == "step");
}

TEST_CASE_FIXTURE(Fixture, "going to a slice brings it into view and expands its track") {
  TimelineView& view = workspace.view();
  view.set_all_collapsed(true);
  view.go_to({0, 2'000}, 0);
  workspace.go_to(slice("relu"));
  const TimeSpan visible = view.visible();
  CHECK(visible.begin <= 60'000);
  CHECK(visible.end >= 61'000);
  CHECK(!view.is_collapsed(workspace.trace().track_of(slice("relu")).id));
  // In view and wide enough: nothing moves.
  const Camera before = view.camera();
  workspace.go_to(slice("relu"));
  CHECK(view.camera() == before);
}

TEST_CASE_FIXTURE(Fixture, "the view stays near the trace") {
  TimelineView& view = workspace.view();
  view.zoom_at(500, 1e-9);
  CHECK(view.visible().duration() < 200'000);
  view.pan(1e12);
  CHECK(view.visible().overlaps(workspace.trace().span()));
  view.pan(-1e12);
  CHECK(view.visible().overlaps(workspace.trace().span()));
}

TEST_CASE_FIXTURE(Fixture, "resizing keeps the time that is shown") {
  TimelineView& view = workspace.view();
  view.go_to({20'000, 40'000}, 0);
  view.resize(500, 300, 1);
  CHECK(view.visible().begin == doctest::Approx(20'000).epsilon(0.01));
  CHECK(view.visible().end == doctest::Approx(40'000).epsilon(0.01));
}

TEST_CASE_FIXTURE(Fixture, "an animated movement arrives exactly, and the mouse ends it") {
  TimelineView& view = workspace.view();
  view.set_animated(true);
  const Camera goal = view.camera_for({60'000, 61'000}, 0);
  view.go_to({60'000, 61'000}, 0);
  CHECK(view.is_animating());
  Nanos last = view.visible().duration();
  while (view.animate(1.0 / 60)) {
    CHECK(view.visible().duration() <= last);
    last = view.visible().duration();
  }
  CHECK(view.camera() == goal);
  view.go_to({0, 100'000}, 0);
  view.pan(1);
  CHECK(!view.is_animating());
}

TEST_CASE("the profiler's steps are what is shown at first") {
  TraceMaker make;
  make.thread("warm-up", 0, 1'000'000)
      .thread("ProfilerStep#3", 2'000'000, 2'100'000, "user_annotation")
      .thread("ProfilerStep#4", 2'100'000, 2'200'000, "user_annotation")
      .thread("after", 3'000'000, 9'000'000);
  const TimeSpan range = interesting_range(make.build());
  CHECK(range.begin == 1'990'000);
  CHECK(range.end == 2'210'000);
}

TEST_CASE("steps that are not the profiler's are shown at first likewise") {
  TraceMaker make;
  make.thread("warm-up", 0, 1'000'000).thread("after", 3'000'000, 9'000'000);
  for (int i = 0; i < 2; ++i)
    make.thread("step[DECODE bs=" + std::to_string(i + 1) + " toks=4]", 2'000'000 + i * 100'000,
                2'100'000 + i * 100'000, "user_annotation");
  const TimeSpan range = interesting_range(make.build());
  CHECK(range.begin == 1'990'000);
  CHECK(range.end == 2'210'000);
}

TEST_CASE("a finding opens with the steps that it was written with, unless the user chose others") {
  const TemporaryFolder folder;
  const std::string events = R"([{"ph":"X","pid":1,"tid":1,"name":"fold 1","cat":"user_annotation","ts":10,"dur":5}])";
  const std::string path = folder.write(
      "a.lacuna", test::make_zip({{"trace.json", events}, {"view.state", R"({"version":1,"stepsFrom":"fold *"})"}}));
  ImportProgress progress;
  const auto steps = [&](const RememberedSteps& remembered, std::string asked = {}) {
    ImportOptions options;
    options.steps_from = std::move(asked);
    const Result<DocumentPtr> document = load_document({&path, 1}, options, progress, nullptr, remembered);
    REQUIRE(document);
    return std::pair((*document)->trace.steps_from(), (*document)->steps.size());
  };
  CHECK(steps({}) == std::pair<std::string, std::size_t>("fold *", 1));
  CHECK(steps([](const std::string&) { return std::string("own *"); }).first == "own *");
  CHECK(steps({}, "asked *").first == "asked *");
}

TEST_CASE("what is shown at first holds GPU work that comes long after its steps, and any that there is") {
  TraceMaker make;
  make.thread("ProfilerStep#3", 2'000, 2'100, "user_annotation").launch("cudaLaunchKernel", 2'050, 2'060, 1);
  make.kernel("late", 90'000, 91'000, 1).thread("after", 300'000, 900'000);
  const TimeSpan range = interesting_range(make.build());
  CHECK(range.begin <= 2'000);
  CHECK(range.end > 91'000);
  CHECK(range.end < 300'000);
  TraceMaker lone;
  for (int i = 0; i < 1000; ++i) lone.thread("work", 1'000'000 + i * 100, 1'000'000 + i * 100 + 50);
  lone.kernel("late", 900'000'000, 900'000'100);
  CHECK(interesting_range(lone.build()).end >= 900'000'100);
}

TEST_CASE("a lone outlier does not make everything else tiny") {
  TraceMaker make;
  for (int i = 0; i < 1000; ++i) make.thread("work", 1'000'000 + i * 100, 1'000'000 + i * 100 + 50);
  make.thread("late", 900'000'000, 900'000'100);
  const TimeSpan range = interesting_range(make.build());
  CHECK(range.begin >= 1'000'000);
  CHECK(range.end <= 1'100'100);
  CHECK(interesting_range(Trace{}).duration() == 0);
}

TEST_CASE("a trace of counters is looked at as a whole, however short its few slices are") {
  std::string text = R"([{"ph": "X", "pid": 1, "tid": 1, "name": "largest", "ts": 10, "dur": 5})";
  for (int i = 0; i < 1000; ++i)
    text += R"(, {"ph": "C", "pid": 1, "name": "active bytes", "ts": )" + std::to_string(i * 100) +
            R"(, "args": {"bytes": 7}})";
  const TemporaryFolder folder;
  const std::string path = folder.write("counters.json", text + "]");
  ImportProgress progress;
  const Result<DocumentPtr> document = load_document({&path, 1}, {}, progress, nullptr);
  REQUIRE(document);
  CHECK((*document)->home == (*document)->trace.span());
  CHECK((*document)->home.duration() == 99'900'000);
}

/// The same trace while it is read: threads in another order, some slices missing.
Trace part_of_small_trace() {
  TraceMaker make;
  make.thread("step", 0, 100'000)
      .thread("aten::mm", 1'000, 20'000)
      .launch("cudaLaunchKernel", 2'000, 5'000, 1)
      .thread("aten::mm", 30'000, 45'000);
  return make.build();
}

TEST_CASE("a document that knows more of the same files keeps what the user looks at") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().set_animated(false);
  workspace.view().resize(1000, 400, 1);
  workspace.open(make_document(part_of_small_trace(), {"literal"}));
  const SliceId first = find_longest(workspace.trace(), "aten::mm");
  const Lane& lane = workspace.trace().lane(first);
  workspace.select(first);
  workspace.highlight(lane.name(first.index), lane.category(first.index));
  workspace.settle();
  const TrackId thread = lane.track;
  workspace.view().set_collapsed(thread, true);
  workspace.view().zoom_at(500, 0.5);
  workspace.set_area(TimeSpan{1'000, 50'000});
  const TimeSpan visible = workspace.view().visible();

  workspace.refresh(make_document(small_trace(), {"literal"}));
  workspace.settle();
  CHECK(workspace.view().visible() == visible);
  CHECK(workspace.trace().slice_count() == 10);
  REQUIRE(workspace.selection().slice.valid());
  CHECK(workspace.trace().name(workspace.selection().slice) == "aten::mm");
  CHECK(workspace.trace().span(workspace.selection().slice) == TimeSpan{1'000, 20'000});
  CHECK(workspace.occurrences().size() == 2);
  CHECK(workspace.view().is_collapsed(workspace.trace().track_of(workspace.selection().slice).id));
  REQUIRE(workspace.area());
  CHECK(*workspace.area() == TimeSpan{1'000, 50'000});
  workspace.settle();
  REQUIRE(workspace.range_analysis() != nullptr);
  CHECK(workspace.range_analysis()->streams.size() == 2);

  // A view of everything stays one.
  workspace.open(make_document(part_of_small_trace(), {"literal"}));
  workspace.refresh(make_document(small_trace(), {"literal"}));
  CHECK(workspace.view().visible().begin <= workspace.trace().span().begin);
  CHECK(workspace.view().visible().end >= workspace.trace().span().end);
}

}  // namespace
}  // namespace lacuna

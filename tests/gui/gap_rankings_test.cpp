#include "app/gui/models/gaps/gap_rankings.h"

#include <doctest/doctest.h>

#include "app/gui/workspace/workspace.h"
#include "app/tables/report_format.h"
#include "model/import/importer.h"
#include "model/report/gap_tables.h"
#include "model/report/report.h"
#include "tests/support/paths.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Two streams of one GPU. On stream 7 a gap of 40 us because the CPU was in aten::slow, and one of
/// 5 us between two kernels that were queued; on stream 8 one gap while stream 7 was busy.
///
///   thread 1   [mm][  aten::slow             ][mm]
///   stream 7     [gemm 10-20]   idle 40     [gemm 60-70] 5 [relu 75-80]
///   stream 8   [copy 0-5] ... idle 57 ...                [copy 62-64]
Trace two_streams() {
  TraceMaker make;
  make.thread("aten::mm", 0, 9'000)
      .launch("cudaLaunchKernel", 1'000, 2'000, 1)
      .thread("aten::slow", 9'500, 55'000)
      .launch("cudaLaunchKernel", 54'000, 55'000, 2)
      .thread("aten::relu", 55'000, 58'000)
      .launch("cudaLaunchKernel", 56'000, 57'000, 3)
      .kernel("gemm", 10'000, 20'000, 1)
      .kernel("gemm", 60'000, 70'000, 2)
      .kernel("relu", 75'000, 80'000, 3)
      .kernel("copy", 0, 5'000, 0, "8")
      .kernel("copy", 62'000, 64'000, 0, "8");
  return make.build();
}

struct RankingsFixture {
  RankingsFixture() : analysis(analyze_causes(make_document(two_streams(), {"literal"}))) {}
  GapRankings rank(GapFilter filter, bool whole_gpu) const { return rank_gaps_by_blame(*analysis, filter, whole_gpu); }
  const Trace& trace() const { return analysis->document->trace; }
  CauseAnalysisPtr analysis;
};

TEST_CASE_FIXTURE(RankingsFixture, "streams: every gap counts, and the rows add up") {
  const GapRankings rankings = rank({}, false);
  CHECK(rankings.gaps == 3);
  CHECK(rankings.idle == 40'000 + 5'000 + 57'000);
  Nanos by_cause = 0;
  for (const CauseRow& row : rankings.causes) by_cause += row.lost;
  CHECK(by_cause == rankings.idle);
  Nanos by_operator = rankings.not_charged;
  for (const OperatorRow& row : rankings.operators) by_operator += row.lost;
  CHECK(by_operator == rankings.idle);
}

TEST_CASE_FIXTURE(RankingsFixture, "the whole GPU: only the time in which both streams were idle") {
  const GapRankings rankings = rank({}, true);
  CHECK(rankings.whole_gpu);
  // 5 - 10 before the first gemm, 20 - 60, 70 - 75.
  CHECK(rankings.idle == 5'000 + 40'000 + 5'000);
  CHECK(rankings.gaps == 3);
}

TEST_CASE_FIXTURE(RankingsFixture, "in the measured time the idle time of a GPU is the report's, cause by cause") {
  const Document& document = *analysis->document;
  REQUIRE(document.measured != TimeSpan::everything());
  const GapRankings rankings = rank({.range = document.measured, .is_measured = true}, true);
  const Report report = compute_report(trace(), SourceId{0});
  REQUIRE(report.devices.size() == 1);
  CHECK(document.measured == report.window);
  CHECK(rankings.idle == report.devices[0].idle);
  for (const CauseRow& row : rankings.causes) CHECK(row.lost == report.devices[0].lost(row.cause));
}

TEST_CASE_FIXTURE(RankingsFixture, "the operator that kept the GPU waiting comes first and leads there") {
  const GapRankings rankings = rank({.min_ns = 10'000}, true);
  CHECK(rankings.gaps == 1);
  REQUIRE(!rankings.operators.empty());
  const OperatorRow& first = rankings.operators.front();
  CHECK(blamed_name(trace(), first.level, first.name) == "aten::slow");
  REQUIRE(first.places.size() == 1);
  const BlamedPlace& place = first.places.front();
  CHECK(place.span == TimeSpan{20'000, 60'000});
  // A time of the whole GPU leads to the gap of the stream that went on.
  REQUIRE(place.gap.valid());
  CHECK(get(*analysis->document, place.gap).end == 60'000);
  CHECK(trace().text(trace().track_of(place.after).stream) == "7");
  REQUIRE(!rankings.causes.empty());
  CHECK(rankings.causes.front().cause == GapCause::kLaunchBound);
}

TEST_CASE_FIXTURE(RankingsFixture, "a range chooses gaps that overlap it") {
  CHECK(rank({.range = {71'000, 72'000}}, false).gaps == 1);
  CHECK(rank({.range = {500'000, 600'000}}, false).gaps == 0);
  CHECK(rank({.range = {500'000, 600'000}}, false).causes.empty());
}

TEST_CASE_FIXTURE(RankingsFixture, "nothing that the CPU did has a name of its own") {
  OperatorRow row;
  CHECK(blamed_name(trace(), row.level, row.name) == "(nothing recorded)");
  row.name = trace().strings().find("aten::mm");
  CHECK(blamed_name(trace(), row.level, row.name) == "aten::mm");
  row.level = CpuLevel::kPython;
  CHECK(blamed_name(trace(), row.level, row.name) == "(python) aten::mm");
}

TEST_CASE("a route is walked in the order of time") {
  GapRoute route;
  CHECK(route.step({}, 0, 1) == nullptr);
  const BlamedPlace late{{50, 60}, {0, 2}, {}, 10};
  const BlamedPlace early{{10, 20}, {0, 0}, {}, 5};
  const BlamedPlace middle{{30, 40}, {1, 0}, {}, 7};
  route.set({late, early, middle});
  REQUIRE(route.size() == 3);
  CHECK(route.find({1, 0}) == 1);
  CHECK(route.find({9, 9}) == 3);
  CHECK(*route.step({0, 0}, 0, 1) == middle);
  CHECK(*route.step({1, 0}, 0, 1) == late);
  CHECK(route.step({0, 2}, 0, 1) == nullptr);
  CHECK(route.step({0, 0}, 0, -1) == nullptr);
  // From a moment that is no place of it.
  CHECK(*route.step({}, 25, 1) == middle);
  CHECK(*route.step({}, 25, -1) == early);
  CHECK(*route.step({7, 7}, 45, 1) == late);
}

TEST_CASE("N walks through the places of the chosen row, and through the list without one") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().set_animated(false);
  workspace.view().resize(1000, 400, 1);
  workspace.open(make_document(two_streams(), {"literal"}));
  CHECK(workspace.causes().analysis() == nullptr);
  workspace.settle();
  REQUIRE(workspace.causes().analysis() != nullptr);
  workspace.set_min_gap(0);
  workspace.causes().rank(workspace.gap_filter(), false);
  workspace.settle();
  const GapRankings* rankings = workspace.causes().rankings();
  REQUIRE(rankings != nullptr);
  const CauseRow* spacing = nullptr;
  for (const CauseRow& row : rankings->causes)
    if (row.cause == GapCause::kKernelSpacing) spacing = &row;
  REQUIRE(spacing != nullptr);
  workspace.set_route(spacing->places);
  REQUIRE(workspace.step_gap(1));
  CHECK(workspace.selected_span() == TimeSpan{70'000, 75'000});
  CHECK(!workspace.step_gap(1));
  CHECK(workspace.view().input().emphasis.marked_gaps.size() == 1);
  workspace.clear_selection();
  CHECK(workspace.route().empty());
  CHECK(workspace.view().input().emphasis.marked_gaps.empty());
  REQUIRE(workspace.step_gap(1));
  REQUIRE(workspace.step_gap(1));
}

TEST_CASE("a place of the whole GPU leads to the time in which all streams were idle") {
  // Stream 7 is idle from 10 to 90, stream 8 until 60: the GPU only from 60 on.
  TraceMaker make;
  make.thread("aten::slow", 0, 88'000).launch("cudaLaunchKernel", 85'000, 86'000, 2);
  make.kernel("gemm", 0, 10'000).kernel("gemm", 90'000, 95'000, 2).kernel("long", 5'000, 60'000, 0, "8");
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.view().set_animated(false);
  workspace.view().resize(1000, 400, 1);
  workspace.open(make_document(make.build(), {"literal"}));
  workspace.settle();
  workspace.set_min_gap(0);
  workspace.causes().rank(workspace.gap_filter(), true);
  workspace.settle();
  const OperatorRow& row = workspace.causes().rankings()->operators.front();
  REQUIRE(row.places.size() == 1);
  workspace.go_to(BlamedPlace(row.places.front()));
  CHECK(workspace.selected_span() == TimeSpan{60'000, 90'000});
  REQUIRE(workspace.selection().on_device.valid());
  CHECK(workspace.selected_gap()->duration() == 30'000);
  workspace.causes().story(workspace.selection().on_device);
  workspace.settle();
  const GapStory* story = workspace.causes().story(workspace.selection().on_device);
  REQUIRE(story != nullptr);
  CHECK(story->evidence.window.begin == 60'000);
  // The gap of the stream is another one.
  workspace.go_to(workspace.selection().gap);
  CHECK(workspace.selected_span() == TimeSpan{10'000, 90'000});
  CHECK_FALSE(workspace.selection().on_device.valid());
}

TEST_CASE("the evidence of a gap comes in the background and is kept") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(make_document(two_streams(), {"literal"}));
  workspace.settle();
  const GapRef gap{0, 0};
  CHECK(workspace.causes().story(gap) == nullptr);
  CHECK(workspace.causes().is_computing());
  workspace.settle();
  const GapStory* story = workspace.causes().story(gap);
  REQUIRE(story != nullptr);
  CHECK(story->sentence.find("aten::slow") != std::string::npos);
  CHECK(!workspace.causes().is_computing());
  CHECK(workspace.causes().story({}) == nullptr);
  workspace.open(nullptr);
  CHECK(workspace.causes().story(gap) == nullptr);
}

TEST_CASE("the longest gap is that of the whole GPU, not that of a helper stream") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(make_document(two_streams(), {"literal"}));
  workspace.set_min_gap(0);
  workspace.update_gaps();
  // The copy stream idles for 57 us, 45 of them while the GPU is idle … but one gap of stream 7 alone has 40.
  REQUIRE(workspace.go_to_longest_gap());
  const Document& document = *workspace.document();
  const GapRef chosen = workspace.selection().gap;
  CHECK(gpu_idle_in(document, chosen) == 45'000);
  CHECK(get(document, chosen).duration() == 57'000);

  // A stream that idles beside one that works has no such gap.
  TraceMaker make;
  make.kernel("long", 0, 90'000).kernel("next", 95'000, 99'000);
  make.kernel("copy", 0, 1'000, 0, "8").kernel("copy", 80'000, 81'000, 0, "8");
  workspace.open(make_document(make.build(), {"literal"}));
  workspace.set_min_gap(0);
  workspace.update_gaps();
  REQUIRE(workspace.go_to_longest_gap());
  CHECK(get(*workspace.document(), workspace.selection().gap).duration() == 5'000);
}

TEST_CASE("gaps sorted by cause") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(make_document(two_streams(), {"literal"}));
  workspace.settle();
  workspace.set_min_gap(0);
  workspace.gap_column = GapColumn::kCause;
  workspace.gaps_descending = false;
  workspace.update_gaps();
  const auto cause = [&](std::size_t i) { return workspace.causes().diagnosis(workspace.gaps().rows()[i])->cause; };
  REQUIRE(workspace.gaps().rows().size() == 3);
  CHECK(cause(0) <= cause(1));
  CHECK(cause(1) <= cause(2));
  CHECK(cause(0) != cause(2));
}

/// The figures of a ranking in words, and what describe_gaps() says of the same gaps.
TEST_CASE("the tables in words have the figures of the rankings, and lead to the longest gap") {
  const auto demo = [] {
    Result<Trace> trace = import_files({{source_folder() + "/assets/demo.trace.json.gz"}}, {});
    REQUIRE(trace);
    return std::move(*trace);
  };
  for (const bool is_demo : {false, true}) {
    const CauseAnalysisPtr analysis = analyze_causes(make_document(is_demo ? demo() : two_streams(), {"literal"}));
    const Document& document = *analysis->document;
    const Trace& trace = document.trace;
    const CauseIndex index(trace);
    const CausedTrace caused{index, document.streams};
    const TimeSpan all = trace.span();
    const TimeSpan part{all.begin + all.duration() / 4, all.begin + all.duration() / 2};
    std::vector<GapFilter> filters{{}, {5'001, TimeSpan::everything()}, {0, part}, {2'000, part}};
    filters.push_back({.streams = {static_cast<std::uint32_t>(document.streams.size() - 1)}});
    for (const GapFilter& filter : filters) {
      for (const bool whole_gpu : {false, true}) {
        CAPTURE(is_demo);
        CAPTURE(whole_gpu);
        CAPTURE(filter.min_ns);
        const GapRankings here = rank_gaps_by_blame(*analysis, filter, whole_gpu);
        GapTableOptions options{GapTable::kCauses, whole_gpu, filter.min_ns, filter.range};
        for (const std::uint32_t s : filter.streams) options.tracks.push_back(document.streams[s].track);
        const DescribedGaps causes = describe_gaps(caused, options, kReportFormat, 1000);
        CHECK(causes.counted == GapSum{here.idle, here.gaps});
        CHECK(causes.left_out == here.left_out);
        REQUIRE(causes.table.rows.size() == here.causes.size());
        for (std::size_t r = 0; r < here.causes.size(); ++r) {
          const CauseRow& row = here.causes[r];
          const std::vector<std::string>& cells = causes.table.rows[r];
          CHECK(std::tuple(cells[0], cells[1], cells[3], cells[4], cells[5]) ==
                std::tuple(std::string(cause_name(row.cause)), format_duration(row.lost),
                           format_count(row.places.size()), format_duration(row.before_issue),
                           format_duration(row.in_queue)));
          const BlamedPlace& longest = row.places.front();
          if (longest.gap.valid()) {
            const Gap& gap = get(document, longest.gap);
            CHECK(causes.table.places[r].span == TimeSpan{gap.start, gap.end});
            CHECK(causes.table.places[r].gap_of == document.streams[longest.gap.stream].track);
          }
        }
        options.what = GapTable::kOperators;
        const DescribedGaps operators = describe_gaps(caused, options, kReportFormat, 1000);
        CHECK(operators.not_charged == here.not_charged);
        REQUIRE(operators.table.rows.size() == here.operators.size());
        for (std::size_t r = 0; r < here.operators.size(); ++r) {
          const OperatorRow& row = here.operators[r];
          const std::vector<std::string>& cells = operators.table.rows[r];
          CHECK(std::tuple(cells[0], cells[1], cells[3], cells[5]) ==
                std::tuple(blamed_name(trace, row.level, row.name), format_duration(row.lost),
                           format_count(row.places.size()), std::string(trace.text(row.mostly_in))));
        }
      }
    }
    const DescribedGaps dead = describe_gaps(caused, {GapTable::kDeadWindows}, kReportFormat, 2);
    CHECK(dead.table.row_count == analysis->dead_windows.size());
    REQUIRE(dead.table.rows.size() == std::min<std::size_t>(2, analysis->dead_windows.size()));
    for (std::size_t r = 0; r < dead.table.rows.size(); ++r) {
      const DeadWindowGroup& group = analysis->dead_windows[r];
      CHECK(dead.table.rows[r][0] == group.label(trace));
      CHECK(dead.table.rows[r][2] == format_duration(group.total));
      CHECK(dead.table.places[r].span == trace.span(dead.table.places[r].slice));
    }
  }
}

}  // namespace
}  // namespace lacuna

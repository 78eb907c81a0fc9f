// The idle figures of title, gaps page and report agree once it is said what each counts.
#include "app/gui/application/idle_figures.h"

#include <doctest/doctest.h>

#include "app/gui/models/report/report_view.h"
#include "app/gui/workspace/workspace.h"
#include "model/report/report.h"
#include "tests/causes/causes_support.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Stream 7 is busy 10-20, 25-30 and 90-100 us; stream 8 from 40 to 50.
Trace idle_trace() {
  TraceMaker make;
  make.thread("aten::mm", 0, 120'000)
      .kernel("a", 10'000, 20'000)
      .kernel("b", 25'000, 30'000)
      .kernel("c", 90'000, 100'000)
      .kernel("d", 40'000, 50'000, 0, "8");
  return make.build();
}

struct Opened {
  explicit Opened(Trace trace) {
    workspace.view().set_animated(false);
    workspace.view().resize(1000, 400, 1);
    workspace.open(make_document(std::move(trace), {"literal"}));
    workspace.settle();
  }
  BackgroundJobs jobs;
  Workspace workspace{jobs};
};

TEST_CASE("the idle time of a window is split by length, and by what lies beyond the activities") {
  Opened opened(idle_trace());
  const std::vector<IdleSubject> subjects = idle_subjects(opened.workspace);
  REQUIRE(subjects.size() == 3);  // the GPU and its two streams
  const StreamBusyIndex& gpu = *busy_index_of(opened.workspace, subjects[0]);
  // All streams are idle 20-25, 30-40 and 50-90.
  const IdleParts all = split_idle(gpu, {0, 120'000}, 10'000, AtEdges::kCut);
  CHECK(all.counted == GapSum{50'000, 2});
  CHECK(all.shorter == GapSum{5'000, 1});
  CHECK(all.at_edges == 10'000 + 20'000);
  const IdleParts cut = split_idle(gpu, {60'000, 95'000}, 10'000, AtEdges::kCut);
  CHECK(cut.counted == GapSum{30'000, 1});
  CHECK(cut.at_edges == 0);
  CHECK(split_idle(gpu, {60'000, 95'000}, 10'000, AtEdges::kWhole).counted == GapSum{40'000, 1});
  CHECK(split_idle(gpu, {60'000, 95'000}, 0, AtEdges::kCut).counted == GapSum{30'000, 1});
  // A gap counts as what it is, however little of it is in view.
  CHECK(split_idle(gpu, {89'000, 95'000}, 10'000, AtEdges::kCut).counted == GapSum{1'000, 1});
  CHECK(split_idle(gpu, TimeSpan::everything(), 0, AtEdges::kCut).at_edges == 0);
  CHECK(split_idle(gpu, {300'000, 310'000}, 0, AtEdges::kCut).at_edges == 10'000);
  // As the report counts: the edges are gaps, and so is all of a window without activity.
  CHECK(split_idle(gpu, {0, 120'000}, 10'000, AtEdges::kGaps).counted == GapSum{10'000 + 10'000 + 40'000 + 20'000, 4});
  CHECK(split_idle(gpu, {0, 120'000}, 10'000, AtEdges::kGaps).at_edges == 0);
  CHECK(split_idle(gpu, {60'000, 95'000}, 10'000, AtEdges::kGaps).counted == GapSum{30'000, 1});
  CHECK(split_idle(gpu, {300'000, 310'000}, 0, AtEdges::kGaps).counted == GapSum{10'000, 1});
}

TEST_CASE("the gaps page counts what it leaves out") {
  Opened opened(idle_trace());
  Workspace& w = opened.workspace;
  w.gaps_of_whole_trace = false;
  w.set_min_gap(10'000);
  w.update_gaps();
  CHECK(w.gaps().total() == 60'000);
  CHECK(w.gaps().left_out() == GapSum{5'000, 1});
  w.causes().rank(w.gap_filter(), true);
  w.settle();
  REQUIRE(w.causes().rankings() != nullptr);
  // With what lies before the first and after the last activity, in the time of the thread.
  CHECK(w.causes().rankings()->idle == 10'000 + 50'000 + 20'000);
  CHECK(w.causes().rankings()->left_out == GapSum{5'000, 1});
  w.gaps_of_whole_trace = true;
  w.causes().rank(w.gap_filter(), true);
  w.settle();
  CHECK(w.causes().rankings()->idle == 50'000);
  w.gaps_of_whole_trace = false;
  w.set_area(TimeSpan{26'000, 80'000});
  w.update_gaps();
  CHECK(w.gaps().left_out().gaps == 0);
}

TEST_CASE("a range on a CPU thread is of all GPU streams, one on a stream of that stream") {
  Opened opened(idle_trace());
  Workspace& w = opened.workspace;
  w.set_min_gap(0);
  TrackId thread, other;
  for (const Track& track : w.trace().tracks()) {
    if (track.kind == TrackKind::kThread) thread = track.id;
    if (track.kind == TrackKind::kGpuStream && w.trace().text(track.stream) == "8") other = track.id;
  }
  w.set_area({0, 120'000}, {thread});
  CHECK(w.gap_filter().streams.empty());
  w.update_gaps();
  CHECK(w.gaps().rows().size() == 2);
  w.set_area({0, 120'000}, {thread, other});
  CHECK(w.gap_filter().streams.size() == 1);
  w.update_gaps();
  CHECK(w.gaps().rows().empty());  // stream 8 has one activity
  w.causes().rank(w.gap_filter(), false);
  w.settle();
  CHECK(w.causes().rankings()->gaps == 0);
  w.causes().rank(w.gap_filter(), true);
  w.settle();
  CHECK(w.causes().rankings()->gaps == 3);  // its GPU has gaps
}

TEST_CASE("title, gaps page and report of a real trace differ by what they say they leave out") {
  auto trace = shared_trace("kineto_v100_resnet50_legacy.pt.trace.json.gz");
  if (!trace) return;
  const std::vector<Report> reports = compute_reports(*trace);
  REQUIRE(reports.size() == 1);
  REQUIRE(reports.front().devices.size() == 1);
  const DeviceReport device = reports.front().devices.front();
  const TimeSpan window = reports.front().window;
  Opened opened(std::move(*trace));
  Workspace& w = opened.workspace;
  const IdleSubject gpu = idle_subject_of(w, reports.front().source, device.device);
  REQUIRE(busy_index_of(w, gpu) != nullptr);
  w.gaps_of_whole_trace = false;
  const IdleFigures figures = idle_figures(w, gpu, window);
  // The three figures as they stand where they are shown ...
  CHECK(figures.title_is_measured);
  CHECK(saturating_add(figures.title.gaps(), figures.title.at_edges) == device.idle);
  w.causes().rank(w.gap_filter(), true);
  w.settle();
  CHECK(figures.page.counted.time == w.causes().rankings()->idle);
  CHECK(figures.page.counted.gaps == w.causes().rankings()->gaps);
  REQUIRE(figures.report);
  CHECK(figures.report->at_edges == device.at_edges());
  CHECK(saturating_add(figures.report->gaps(), device.at_edges()) == device.idle);
  // ... are of one time, until only a part of it is in view: then the title is of that.
  CHECK(figures.page.gaps() == device.idle);
  CHECK(figures.page.shorter == w.causes().rankings()->left_out);
  CHECK(figures.page.shorter.gaps == 7'421);  // as lacuna gaps --min-us 10 says
  w.view().go_to({window.begin, window.begin + window.duration() / 2});
  const IdleFigures of_half = idle_figures(w, gpu, window);
  CHECK(!of_half.title_is_measured);
  CHECK(of_half.title.gaps() == busy_index_of(w, gpu)->idle_in(w.view().visible()));
}

}  // namespace
}  // namespace lacuna

#include "app/gui/models/calls/call_view.h"

#include <doctest/doctest.h>

#include "app/gui/workspace/workspace.h"
#include "capture/remote/remote_questions.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

DocumentPtr two_calls() {
  TraceMaker make;
  make.thread("main.py(1): run", 0, 1'000'000, "python_function")
      .thread("aten::linear", 100'000, 400'000)
      .thread("aten::addmm", 150'000, 350'000)
      .launch("cudaLaunchKernel", 160'000, 200'000, 1)
      .thread("aten::relu", 500'000, 560'000)
      .launch("cudaLaunchKernel", 510'000, 550'000, 2)
      .kernel("gemm", 300'000, 380'000, 1)
      .kernel("relu", 600'000, 620'000, 2);
  return make_document(make.build(), {"literal"});
}

std::uint32_t node_called(const CallView& view, std::string_view label) {
  for (std::uint32_t n = 0; n < view.tree()->nodes.size(); ++n)
    if (call_label(view.document()->trace, view.tree()->nodes[n].key) == label) return n;
  return 0;
}

void answer(CallView& view, const DocumentPtr& document, TimeSpan range = TimeSpan::everything()) {
  CallView::Selected selected;
  selected.document = document;
  selected.range = range;
  view.ask(selected);
  view.settle();
  view.update();
  REQUIRE(view.tree() != nullptr);
}

TEST_CASE("calls: search, rows, and what was zoomed to is found again in the next tree") {
  const DocumentPtr document = two_calls();
  BackgroundJobs jobs;
  CallView view{jobs};
  answer(view, document);
  CHECK(view.tree()->root().total == document->statistics.cpu_self);
  view.filter = "launch";
  view.update();
  CHECK(view.match_count() == 2);
  CHECK(view.matched() == 80'000);
  // What leads to them, and no more: root, linear, addmm, launch, relu, launch.
  CHECK(view.rows().size() == 6);
  view.filter.clear();
  view.update();
  CHECK(view.matches() == nullptr);

  view.zoom_to(node_called(view, "aten::linear"));
  view.choose(node_called(view, "aten::addmm"));
  view.toggle(node_called(view, "aten::addmm"));
  CHECK(view.rows().size() == 3);
  answer(view, document, {0, 450'000});
  CHECK(call_label(document->trace, view.tree()->nodes[view.zoomed()].key) == "aten::linear");
  REQUIRE(view.chosen());
  CHECK(call_label(document->trace, view.tree()->nodes[*view.chosen()].key) == "aten::addmm");
  CHECK(view.is_open(*view.chosen()));
  // Another document with other numbers of names.
  answer(view, two_calls());
  CHECK(call_label(view.document()->trace, view.tree()->nodes[view.zoomed()].key) == "aten::linear");
  view.with_python = true;
  answer(view, document);
  CHECK(node_called(view, "main.py(1): run") == 1);
}

TEST_CASE("calls of a row: its slices only, until all are asked for or another trace is open") {
  const DocumentPtr document = two_calls();
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(document);
  workspace.highlight(document->trace.strings().find("aten::addmm"), CategoryId{1});
  workspace.settle();
  CallView view{jobs};
  REQUIRE(workspace.occurrences().size() == 1);
  view.choose_places(document, "aten::addmm, 1 slice", workspace.occurrences().all());
  answer(view, document);
  CHECK(view.tree()->root().total == 200'000);
  view.bottom_up = true;
  answer(view, document);
  CHECK(node_called(view, "aten::linear") != 0);
  view.forget_places();
  view.bottom_up = false;
  answer(view, document);
  CHECK(view.tree()->root().total == document->statistics.cpu_self);
  // A kernel has GPU time only.
  view.choose_places(document, "gemm", {find_longest(document->trace, "gemm")});
  CHECK(view.metric == CallMetric::kGpuTime);
  answer(view, document);
  CHECK(view.tree()->root().total == 80'000);
  answer(view, two_calls());
  CHECK_FALSE(view.has_places());
  CHECK(view.tree()->root().total == 100'000);
}

TEST_CASE("a trace that has only samples opens on them; one without goes back to CPU time") {
  TraceMaker make;
  make.sampled("main (a.py:1)", 0, 3'000'000).sampled("parse (a.py:5)", 0, 1'000'000);
  const DocumentPtr sampled = make_document(make.build(), {"literal"});
  BackgroundJobs jobs;
  CallView view{jobs};
  answer(view, sampled);
  CHECK(view.metric == CallMetric::kSamples);
  CHECK(view.tree()->root().total == 3'000'000);
  view.metric = CallMetric::kCpuTime;  // the user's choice stays
  answer(view, sampled);
  CHECK(view.metric == CallMetric::kCpuTime);
  view.choose_places(sampled, "parse", {find_longest(sampled->trace, "parse (a.py:5)")});
  answer(view, sampled);
  CHECK(view.tree()->root().total == 1'000'000);
  answer(view, two_calls());
  CHECK(view.metric == CallMetric::kCpuTime);
  CHECK(view.tree()->root().total > 0);
}

TEST_CASE("the slices of a frame are stepped through on the timeline") {
  const DocumentPtr document = two_calls();
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(document);
  CallView view{jobs};
  answer(view, document);
  const std::uint32_t launch = [&] {
    for (std::uint32_t n = 0; n < view.tree()->nodes.size(); ++n) {
      const CallNode& node = view.tree()->nodes[n];
      if (call_label(document->trace, node.key) == "cudaLaunchKernel" &&
          call_label(document->trace, view.tree()->nodes[node.parent].key) == "aten::relu")
        return n;
    }
    return 0u;
  }();
  workspace.highlight_calls(view.options(), view.shared_tree(), launch);
  workspace.step_occurrence(1);
  workspace.settle();
  CHECK(workspace.occurrences().size() == 1);
  REQUIRE(workspace.selection().slice.valid());
  CHECK(document->trace.span(workspace.selection().slice).begin == 510'000);
}

TEST_CASE("an operator's kernels, and a row's, are looked for when they are selected; ] goes to the first") {
  const DocumentPtr document = two_calls();
  const Trace& trace = document->trace;
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(document);
  const SliceId linear = find_longest(trace, "aten::linear");
  workspace.select(linear);
  CHECK(workspace.follow_link(1));  // known or not
  CHECK(trace.name(workspace.selection().slice) == "gemm");
  workspace.select(linear);
  workspace.settle();
  REQUIRE(workspace.slice_work().answer() != nullptr);
  CHECK(workspace.slice_work().answer()->work.time == 80'000);
  CHECK(workspace.follow_link(1));
  CHECK(trace.name(workspace.selection().slice) == "gemm");
  CHECK(workspace.follow_link(-1));
  CHECK(trace.name(workspace.selection().slice) == "cudaLaunchKernel");
  // Of a row: all its slices.
  const Lane& lane = trace.lane(workspace.selection().slice);
  workspace.highlight(lane.name(0), lane.category(0));
  workspace.settle();
  REQUIRE(workspace.row_work().answer() != nullptr);
  workspace.clear_selection();
  CHECK(workspace.row_work().answer() == nullptr);
  CHECK_FALSE(workspace.follow_link(1));
}

/// A picture of that trace on another machine, with that machine's answers and without the names of most slices.
DocumentPtr calls_picture(std::vector<std::shared_ptr<const RemotePage>> pages) {
  RemoteAnswers answers;
  answers.pages = std::move(pages);
  answers.has_statistics = true;
  TraceMaker make;  // with the categories of the whole, which have the same numbers there
  make.thread("main.py(1): run", 0, 1'000'000, "python_function").thread("folded", 100'000, 400'000);
  return make_thin_document(make.build(), {"literal"}, {}, std::move(answers));
}

CallView::Selected whole_of(const DocumentPtr& document) {
  CallView::Selected selected;
  selected.document = document;
  return selected;
}

TEST_CASE("calls: of a trace on another machine that tells the tree, whose names are its own") {
  BackgroundJobs jobs;
  CallView view{jobs};
  view.ask(whole_of(calls_picture({})));
  REQUIRE(view.asked_there() != nullptr);
  CHECK(view.is_computing());
  const DocumentPtr whole = two_calls();
  CallTreeOptions options;
  options.hides_python = true;
  auto page = std::make_shared<RemotePage>();
  page->asked = *view.asked_there();
  page->calls = excerpt_calls(whole->trace, build_call_tree(whole->trace, options), kMostRemoteFrames);
  const DocumentPtr there = calls_picture({page});
  view.ask(whole_of(there));
  CHECK_FALSE(view.is_computing());
  REQUIRE(view.tree() != nullptr);
  const auto label = [&](std::uint32_t node) { return call_label(view.names(), view.tree()->nodes[node].key); };
  const auto node_of = [&](std::string_view name) {
    std::uint32_t n = 0;
    while (n + 1 < view.tree()->nodes.size() && label(n) != name) ++n;
    return n;
  };
  const std::uint32_t linear = node_of("aten::linear");
  CHECK(view.tree()->nodes[linear].total == 300'000);
  CHECK(view.hues()[view.tree()->nodes[linear].key.name] == whole->hues[whole->trace.strings().find("aten::linear")]);
  REQUIRE(view.longest(linear, there));
  CHECK(view.longest(linear, there)->span == TimeSpan{100'000, 400'000});
  CHECK_FALSE(view.has_all_slices(there));
  view.filter = "launch";
  view.update();
  CHECK(view.match_count() == 2);
  view.filter.clear();
  view.zoom_to(linear);
  view.ask(whole_of(calls_picture({})));
  view.update();
  CHECK(label(view.zoomed()) == "aten::linear");  // the next picture may be without it
  view.bottom_up = true;
  view.ask(whole_of(calls_picture({})));
  CHECK(view.is_computing());
  view.bottom_up = false;

  // When all of it has come, what was looked at is found again.
  answer(view, whole);
  CHECK(label(view.zoomed()) == "aten::linear");
  CHECK(view.has_all_slices(whole));
  CHECK(view.asked_there() == nullptr);
}

}  // namespace
}  // namespace lacuna

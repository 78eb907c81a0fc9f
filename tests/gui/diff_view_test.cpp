#include "app/gui/application/diff_view.h"

#include <doctest/doctest.h>

#include "app/gui/models/report/report_view.h"
#include "app/tables/diff_summary.h"
#include "capture/remote/remote_questions.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

Trace trace_of(Nanos begin, Nanos gemm_ns, bool with_relu) {
  TraceMaker make;
  make.thread("ProfilerStep#1", begin, begin + 50'000, "user_annotation")
      .thread("ProfilerStep#2", begin + 50'000, begin + 100'000, "user_annotation")
      .thread("aten::mm", begin + 1'000, begin + 4'000)
      .launch("cudaLaunchKernel", begin + 2'000, begin + 3'000, 1)
      .kernel("gemm", begin + 5'000, begin + 5'000 + gemm_ns, 1);
  if (with_relu) make.kernel("relu", begin + 60'000, begin + 61'000);
  return make.build();
}

struct DiffFixture {
  DiffFixture() {
    for (TimelineView* v : {&a, &view.other().view()}) {
      v->set_animated(false);
      v->resize(1000, 400, 1);
    }
    a.show(document);
    view.other().open(make_document(trace_of(7'000'000, 20'000, true), {"b"}));
    view.file_b = 0;
    view.ask(document);
    view.settle();
  }
  DocumentPtr document = make_document(trace_of(1'000'000, 10'000, false), {"a"});
  TimelineView a;
  BackgroundJobs jobs;
  DiffView view{jobs};
};

TEST_CASE_FIXTURE(DiffFixture, "names of both sides with what changed") {
  REQUIRE(view.diff() != nullptr);
  const auto find = [&](std::string_view name) -> const DiffRow* {
    for (const std::uint32_t i : view.rows())
      if (view.diff()->rows[i].name == name) return &view.diff()->rows[i];
    return nullptr;
  };
  REQUIRE(find("gemm") != nullptr);
  CHECK(view.diff()->difference(*find("gemm"), DiffKey::kTotal) == 10'000);
  REQUIRE(find("relu") != nullptr);
  CHECK(find("relu")->is_new());
  view.which = DiffRows::kNew;
  view.update();
  CHECK(view.rows().size() == 1);
  view.which = DiffRows::kVanished;
  view.update();
  CHECK(view.rows().empty());
  view.which = DiffRows::kAll;
  view.filter = "gem";
  view.update();
  CHECK(view.rows().size() == 1);
  view.filter.clear();
  view.side = StatisticsSide::kGpu;
  view.update();
  CHECK(find("aten::mm") == nullptr);
  CHECK(find("gemm") != nullptr);
}

TEST_CASE_FIXTURE(DiffFixture, "places of the structure open, close and are filtered") {
  REQUIRE(view.diff() != nullptr);
  const StructureDiff& diff = view.diff()->structure;
  const auto shown = [&](std::string_view name) {
    return std::ranges::any_of(view.structure.visible(),
                               [&](std::uint32_t row) { return diff.rows[row].name() == name; });
  };
  // Everything, aten::mm with gemm, and what nothing launched with relu.
  CHECK(diff.rows.size() == 5);
  CHECK(view.structure.visible().size() == 5);
  CHECK(shown("aten::mm"));
  CHECK(shown("gemm"));
  view.structure.toggle(1);
  CHECK(view.structure.visible().size() == 4);
  CHECK_FALSE(view.structure.is_open(1));
  CHECK_FALSE(shown("gemm"));
  // What a filter finds is shown with what is around it, open or not.
  view.filter = "gemm";
  view.update();
  CHECK(view.structure.visible() == std::vector<std::uint32_t>{0, 1, 2});
  view.filter = "nothing like it";
  view.update();
  CHECK(view.structure.visible().empty());
  view.filter.clear();
  view.update();
  CHECK(view.structure.visible().size() == 4);
  view.close();
  CHECK(view.structure.visible().empty());
}

TEST_CASE_FIXTURE(DiffFixture, "pairs of kernels are filtered, and the first one is chosen") {
  REQUIRE(view.kernels().size() == 2);
  REQUIRE(view.chosen_kernels() == 0);
  view.choose_kernels(1);
  view.update();
  CHECK(view.chosen_kernels() == 1);
  view.filter = "aten::mm";
  view.update();
  REQUIRE(view.kernels().size() == 1);
  CHECK(view.diff()->kernels[view.kernels().front()].a.name == "gemm");
  CHECK(view.chosen_kernels() == view.kernels().front());
  view.filter = "nothing";
  view.update();
  CHECK_FALSE(view.chosen_kernels().has_value());
}

TEST_CASE_FIXTURE(DiffFixture, "the timelines start aligned and follow each other") {
  CHECK(view.offset() == 6'000'000);
  TimelineView& b = view.other().view();
  a.go_to({1'000'000, 1'010'000}, 0);
  view.synchronise(a);
  CHECK(b.camera().ns_per_px() == a.camera().ns_per_px());
  CHECK(b.camera().begin() - a.camera().begin() == 6'000'000);
  // B leads when B moved.
  b.pan(50);
  view.synchronise(a);
  CHECK(b.camera().begin() - a.camera().begin() == 6'000'000);
  CHECK(a.camera().begin() > 1'000'000);
  const Camera resting = a.camera();
  view.synchronise(a);
  CHECK(a.camera() == resting);
}

TEST_CASE_FIXTURE(DiffFixture, "before the comparison is there, A stays and B shows the same time from its start") {
  a.go_to({1'000'000, 1'010'000}, 0);
  const TimeSpan before = a.visible();
  view.close();
  view.other().view().resize(0, 0, 1);  // not drawn yet
  view.other().open(make_document(trace_of(900'000'000, 20'000, true), {"later"}));
  view.synchronise(a);
  view.file_b = 0;
  view.ask(document);
  CHECK(view.diff() == nullptr);
  view.synchronise(a);
  view.other().view().resize(1000, 400, 1);
  view.synchronise(a);
  CHECK(a.visible() == before);
  CHECK(view.other().view().camera().begin() - a.camera().begin() == 899'000'000);
  view.settle();
  view.synchronise(a);
  CHECK(a.visible() == before);
}

TEST_CASE_FIXTURE(DiffFixture, "unlocked, one is shifted against the other; locked again, that stays") {
  TimelineView& b = view.other().view();
  a.go_to({1'000'000, 1'010'000}, 0);
  view.synchronise(a);
  view.is_locked = false;
  const Camera before = a.camera();
  b.pan(100);
  view.synchronise(a);
  CHECK(a.camera() == before);
  const Nanos shifted = b.camera().begin() - a.camera().begin();
  CHECK(shifted != 6'000'000);
  view.is_locked = true;
  a.pan(30);
  view.synchronise(a);
  CHECK(b.camera().begin() - a.camera().begin() == shifted);
  view.align_starts();
  view.synchronise(a);
  CHECK(b.camera().begin() - a.camera().begin() == 6'000'000);
}

TEST_CASE_FIXTURE(DiffFixture, "without a second trace there is nothing to compare") {
  view.close();
  view.ask(document);
  view.settle();
  CHECK(view.diff() == nullptr);
  CHECK(!view.is_split());
  TimelineView alone;
  view.synchronise(alone);
}

TEST_CASE("two files of one trace") {
  TraceMaker make;
  make.thread("aten::mm", 0, 1'000).kernel("gemm", 0, 500);
  make.next_file().thread("aten::mm", 0, 3'000).kernel("gemm", 0, 900);
  const DocumentPtr document = make_document(make.build(), {"both"});
  BackgroundJobs jobs;
  DiffView view{jobs};
  view.ask(document);
  view.settle();
  REQUIRE(view.diff() != nullptr);
  CHECK(!view.rows().empty());
  CHECK(view.document_b() == document);
}

TEST_CASE_FIXTURE(DiffFixture, "the whole in words") {
  const std::vector<DiffFact> facts = summarise_diff(*view.diff());
  REQUIRE(!facts.empty());
  CHECK(facts.front().what == "Wall time");
  CHECK(facts.front().difference == "0 ns");
  CHECK(facts.back().what == "Verdict");
  CHECK(signed_duration(1'500) == "+1.50 \xC2\xB5s");
  CHECK(signed_duration(-1'500) ==
        "\xE2\x88\x92"
        "1.50 \xC2\xB5s");
}

TEST_CASE("the report of each file, once") {
  BackgroundJobs jobs;
  ReportView view{jobs};
  const DocumentPtr document = make_document(trace_of(0, 10'000, true), {"a"});
  view.ask(document);
  CHECK(view.files() == nullptr);
  CHECK(view.is_computing());
  view.settle();
  REQUIRE(view.files() != nullptr);
  REQUIRE(view.files()->size() == 1);
  CHECK(!view.files()->front().sections.empty());
  CHECK(view.files()->front().sections.front().key == "summary");
  view.ask(document);
  CHECK(!view.is_computing());
  view.ask(nullptr);
  CHECK(view.files() == nullptr);
}

TEST_CASE("what another machine reports of a trace stays, when all of it has come, until it is reported here") {
  auto page = std::make_shared<RemotePage>();
  page->asked = {AskedReport{}};
  page->reports.files.resize(2);
  RemoteAnswers answers;
  answers.pages = {page};
  BackgroundJobs jobs;
  ReportView view{jobs};
  view.ask(make_thin_document(trace_of(0, 10'000, true), {"a"}, {}, std::move(answers)));
  REQUIRE(view.files() == &page->reports.files);
  view.chosen = 1;
  view.ask(make_document(trace_of(0, 10'000, true), {"a"}));
  CHECK(view.files() == &page->reports.files);
  CHECK(view.chosen == 1);
  view.settle();
  REQUIRE(view.files()->size() == 1);
  view.ask(make_document(trace_of(0, 10'000, true), {"a"}));
  CHECK(view.files() == nullptr);  // read again
}

}  // namespace
}  // namespace lacuna

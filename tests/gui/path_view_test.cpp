#include "app/gui/models/path/path_view.h"

#include <doctest/doctest.h>

#include "app/gui/application/app_state.h"
#include "app/gui/models/path/what_if_view.h"
#include "capture/remote/remote_questions.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Two steps of 400 us, each with a wait for the GPU.
Trace steps_trace() {
  TraceMaker make;
  for (int s = 0; s < 2; ++s) {
    const Nanos t = s * 400'000;
    const auto c = static_cast<std::uint64_t>(10 * s);
    make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400'000, "user_annotation");
    make.thread("aten::mm", t + 10'000, t + 30'000);
    make.launch("cudaLaunchKernel", t + 20'000, t + 25'000, c + 1).kernel("gemm", t + 30'000, t + 130'000, c + 1);
    make.launch("cudaStreamSynchronize", t + 30'000, t + 135'000, c + 2);
    make.thread("aten::item", t + 135'000, t + 185'000);
    make.launch("cudaLaunchKernel", t + 190'000, t + 195'000, c + 3).kernel("relu", t + 200'000, t + 350'000, c + 3);
    make.launch("cudaDeviceSynchronize", t + 200'000, t + 355'000, c + 4);
  }
  return make.build();
}

DocumentPtr steps_document() {
  return make_document(steps_trace(), {"literal"});
}

/// A picture of those steps on another machine, with that machine's answers.
DocumentPtr path_picture(std::vector<std::shared_ptr<const RemotePage>> pages) {
  RemoteAnswers answers;
  answers.pages = std::move(pages);
  return make_thin_document(steps_trace(), {"literal"}, {}, std::move(answers));
}

TEST_CASE("the path of a trace on another machine is told by it, once for each range, and drawn") {
  BackgroundJobs jobs;
  PathView view{jobs};
  view.is_drawn = true;
  const TimeSpan range{0, 400'000};
  view.ask(path_picture({}), range);
  CHECK(view.is_computing());
  CHECK(view.answer() == nullptr);
  auto page = std::make_shared<RemotePage>();
  page->asked = {AskedPath{}, range};
  page->path.wall = 400'000;
  page->path.rows.resize(2);
  page->path.rows[0].name = "short";
  page->path.rows[1].name = "long";
  page->path.rows[1].time = 2;
  page->path.parts = 1;
  page->path_marks.push_back({{100, 200}, {LaneId{0}, kNoIndex}, false});
  const DocumentPtr after = path_picture({page});
  view.ask(after, range);
  REQUIRE(view.answer() != nullptr);
  CHECK_FALSE(view.is_computing());
  CHECK(view.answer()->table->rows[view.rows()[0]].name == "long");
  REQUIRE(view.marks(after) != nullptr);
  CHECK(view.marks(after)->runs_through(LaneId{0}, {150, 160}));
  CHECK_FALSE(view.marks(after)->runs_through(LaneId{0}, {200, 300}));
  CHECK(view.answer_of(after, range) == nullptr);  // what needs all parts waits for them
  const PathView::Answer* told = view.answer();
  const DocumentPtr next = path_picture({});
  view.ask(next, range);  // the next picture may be without it
  CHECK(view.answer() == told);
  CHECK(view.marks(next) == view.marks(after));
  view.ask(path_picture({}), TimeSpan::everything());
  CHECK(view.is_computing());
  CHECK(view.answer() == told);
  auto refused = std::make_shared<RemotePage>();
  refused->asked = {AskedPath{}};
  refused->problem = "no memory";
  view.ask(path_picture({refused}), TimeSpan::everything());
  CHECK(view.answer()->problem == "no memory");

  const DocumentPtr whole = steps_document();
  view.ask(whole, range);
  CHECK(view.answer() == nullptr);
  view.settle();
  CHECK(view.answer()->table->rows.size() > 2);
  CHECK(view.marks(whole) != nullptr);
}

TEST_CASE("what if: another machine is asked of a trace that is there, and changes stay when all of it comes") {
  BackgroundJobs jobs;
  WhatIfView view{jobs};
  view.ask(path_picture({}));
  CHECK(view.is_computing());
  const WhatIfChange half{WhatIfChange::Kind::kScale, "gemm", 0.5};
  view.toggle(half);
  view.ask(path_picture({}));
  auto page = std::make_shared<RemotePage>();
  page->asked = {view.asked()};
  page->what_if.prediction.predicted = 5;
  view.ask(path_picture({page}));
  REQUIRE(view.answer() != nullptr);
  CHECK_FALSE(view.is_computing());
  CHECK(view.answer()->table.prediction.predicted == 5);
  view.toggle({WhatIfChange::Kind::kNoGap, std::string(kMostAskedChangeText, 'x'), 1});
  view.ask(path_picture({page}));
  CHECK(view.answer()->table.error.find("too long") != std::string::npos);
  view.toggle({WhatIfChange::Kind::kNoGap, std::string(kMostAskedChangeText, 'x'), 1});

  view.ask(steps_document());
  CHECK(view.answer() == nullptr);
  CHECK(view.has(half));
  view.settle();
  CHECK(view.answer()->table.prediction.predicted == 700'000);
  view.ask(steps_document());
  CHECK(view.changes().empty());  // another trace
}

TEST_CASE("the path of a range is found in the background and kept") {
  BackgroundJobs jobs;
  PathView view{jobs};
  const DocumentPtr document = steps_document();
  view.ask(document, {0, 400'000});
  CHECK(view.answer() == nullptr);
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->table->wall == 400'000);
  CHECK(view.answer()->has_slack);
  REQUIRE_FALSE(view.rows().empty());
  const auto first = view.answer_of(document, {0, 400'000});

  view.ask(document, TimeSpan::everything());
  view.settle();
  CHECK(view.answer()->table->wall == 800'000);
  // Back: there at once.
  view.ask(document, {0, 400'000});
  CHECK_FALSE(view.is_computing());
  CHECK(view.answer() == first.get());
  CHECK(view.answer_of(document, TimeSpan::everything()) == nullptr);

  view.column = PathColumn::kName;
  view.descending = false;
  view.sort();
  const auto& answer = *view.answer();
  for (std::size_t i = 1; i < view.rows().size(); ++i)
    CHECK(answer.table->rows[view.rows()[i - 1]].name <= answer.table->rows[view.rows()[i]].name);

  CHECK(view.marks(document) == nullptr);
  view.is_drawn = true;
  CHECK(view.marks(document) != nullptr);
  CHECK(view.marks(steps_document()) == nullptr);
  view.reset();
  CHECK(view.answer() == nullptr);
}

TEST_CASE("the timeline draws the path of the selection, and goes without it for another trace") {
  App app(Settings(), [] {});
  app.workspace.open(steps_document());
  app.update();
  CHECK_FALSE(app.workspace.view().shows_path());
  app.path.is_drawn = true;
  app.update();
  app.path.settle();
  app.update();
  CHECK(app.workspace.view().shows_path());
  CHECK(app.path.answer()->table->wall == 800'000);
  app.workspace.set_area(TimeSpan{400'000, 800'000});
  app.update();
  app.path.settle();
  app.update();
  CHECK(app.path.answer()->table->wall == 400'000);
  app.close_trace();
  app.update();
  CHECK_FALSE(app.workspace.view().shows_path());
}

TEST_CASE("what if: ranked in the background, chosen changes predicted together") {
  BackgroundJobs jobs;
  WhatIfView view{jobs};
  const DocumentPtr document = steps_document();
  view.ask(document);
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->table.error.empty());
  CHECK(view.answer()->table.prediction.measured == 800'000);
  CHECK(view.answer()->table.prediction.replayed == 800'000);
  REQUIRE_FALSE(view.answer()->table.ranking.empty());
  Nanos before = kMaxNanos;
  for (const WhatIfGain& gain : view.answer()->table.ranking) {
    CHECK(gain.gain > 0);
    CHECK(gain.gain <= before);
    before = gain.gain;
  }
  const WhatIfChange half{WhatIfChange::Kind::kScale, "gemm", 0.5};
  view.toggle(half);
  CHECK(view.has(half));
  view.ask(document);
  view.settle();
  CHECK(view.answer()->changes.size() == 1);
  CHECK(view.answer()->table.prediction.predicted == 700'000);
  view.toggle(half);
  CHECK_FALSE(view.has(half));

  view.toggle({WhatIfChange::Kind::kScale, "no such kernel", 0.5});
  view.ask(document);
  view.settle();
  CHECK(view.answer()->table.error.find("no such kernel") != std::string::npos);
  view.reset();
  CHECK(view.changes().empty());
  CHECK(what_if_factor(half) + " " + what_if_words(half) == "\xC2\xBD \xC3\x97 gemm");
  CHECK(what_if_factor({WhatIfChange::Kind::kScale, "gemm", 0.3}) == "0.3 \xC3\x97");
  CHECK(what_if_words({WhatIfChange::Kind::kNoCause, "synchronisation", 1}) == "Without gaps for synchronisation");
}

}  // namespace
}  // namespace lacuna

#include "app/gui/models/path/path_view.h"

#include <doctest/doctest.h>

#include "app/gui/application/app_state.h"
#include "app/gui/models/path/what_if_view.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Two steps of 400 us, each with a wait for the GPU.
DocumentPtr steps_document() {
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
  return make_document(make.build(), {"literal"});
}

TEST_CASE("the path of a range is found in the background and kept") {
  BackgroundJobs jobs;
  PathView view{jobs};
  const DocumentPtr document = steps_document();
  view.ask(document, {0, 400'000});
  CHECK(view.answer() == nullptr);
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->wall() == 400'000);
  CHECK(view.answer()->has_slack);
  REQUIRE_FALSE(view.rows().empty());
  const auto first = view.answer_of(document, {0, 400'000});

  view.ask(document, TimeSpan::everything());
  view.settle();
  CHECK(view.answer()->wall() == 800'000);
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
    CHECK(path_name(document->trace, answer.rows[view.rows()[i - 1]]) <=
          path_name(document->trace, answer.rows[view.rows()[i]]));

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
  CHECK(app.path.answer()->wall() == 800'000);
  app.workspace.set_area(TimeSpan{400'000, 800'000});
  app.update();
  app.path.settle();
  app.update();
  CHECK(app.path.answer()->wall() == 400'000);
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
  CHECK(view.answer()->error.empty());
  CHECK(view.answer()->prediction.measured == 800'000);
  CHECK(view.answer()->prediction.replayed == 800'000);
  REQUIRE_FALSE(view.answer()->ranking.empty());
  Nanos before = kMaxNanos;
  for (const WhatIfGain& gain : view.answer()->ranking) {
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
  CHECK(view.answer()->prediction.predicted == 700'000);
  view.toggle(half);
  CHECK_FALSE(view.has(half));

  view.toggle({WhatIfChange::Kind::kScale, "no such kernel", 0.5});
  view.ask(document);
  view.settle();
  CHECK(view.answer()->error.find("no such kernel") != std::string::npos);
  view.reset();
  CHECK(view.changes().empty());
  CHECK(what_if_factor(half) + " " + what_if_words(half) == "\xC2\xBD \xC3\x97 gemm");
  CHECK(what_if_factor({WhatIfChange::Kind::kScale, "gemm", 0.3}) == "0.3 \xC3\x97");
  CHECK(what_if_words({WhatIfChange::Kind::kNoCause, "synchronisation", 1}) == "Without gaps for synchronisation");
}

}  // namespace
}  // namespace lacuna

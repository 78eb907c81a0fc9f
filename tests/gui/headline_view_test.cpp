#include "app/gui/models/headline/headline_view.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "app/gui/core/document_upkeep.h"
#include "capture/remote/remote_questions.h"
#include "model/causes/growing_causes.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// 600 us of data loading, then 300 us of work; then 1 ms that is full of work.
Trace uneven_trace() {
  TraceMaker make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1'000, 600'000, "user_annotation");
  make.thread("aten::mm", 610'000, 640'000).launch("cudaLaunchKernel", 615'000, 625'000, 1);
  make.kernel("gemm", 630'000, 930'000, 1);
  make.thread("aten::mm", 940'000, 960'000).launch("cudaLaunchKernel", 945'000, 955'000, 2);
  make.kernel("gemm", 960'000, 1'960'000, 2);
  return make.build();
}

TEST_CASE("headline of a range: about that range, with what is gained in it; gone without a range") {
  BackgroundJobs jobs;
  HeadlineView view{jobs};
  const DocumentPtr document = make_document(uneven_trace(), {"literal"});
  view.ask(document, std::nullopt, "");
  view.settle();
  CHECK(view.answer() == nullptr);
  view.ask(document, TimeSpan{0, 930'000}, "Range of 930 us");
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->name == "Range of 930 us");
  REQUIRE(view.answer()->headline.subjects.size() == 1);
  CHECK(view.answer()->headline.subjects[0].sentence.starts_with("GPU 0 is idle for 67.7 %: data loading; "));
  view.ask(document, TimeSpan{960'000, 1'960'000}, "Step 2");
  view.settle();
  CHECK(view.answer()->name == "Step 2");
  CHECK(view.answer()->headline.subjects[0].is_good);
  view.ask(document, std::nullopt, "");
  CHECK(view.answer() == nullptr);
}

TEST_CASE(
    "headline of a range that another machine told: kept when all of the trace has come, until there is its own") {
  const TimeSpan range{0, 930'000};
  auto page = std::make_shared<RemotePage>();
  page->asked = {AskedHeadline{}, range};
  page->reports.headline.subjects.resize(1);
  RemoteAnswers answers;
  answers.pages = {page};
  const DocumentPtr picture = make_thin_document(uneven_trace(), {"literal"}, {}, std::move(answers));
  for (const bool is_same_range : {true, false}) {
    BackgroundJobs jobs;
    HeadlineView view{jobs};
    view.ask(picture, range, "told");
    REQUIRE(view.answer() != nullptr);
    view.ask(make_document(uneven_trace(), {"literal"}), is_same_range ? range : TimeSpan{0, 500'000}, "here");
    CHECK((view.answer() != nullptr) == is_same_range);
    view.settle();
    CHECK(view.answer()->name == "here");
  }
}

TEST_CASE("headline: the work of each GPU is told by class, and all parts add up to the window") {
  const auto run = [](bool has_other_gpu) {
    TraceMaker make;
    make.kernel("ampere_sgemm_128x64_tn", 0, 300'000).kernel("vectorized_elementwise_kernel<4, mul>", 300'000, 400'000);
    make.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 400'000, 500'000).copy("Memcpy HtoD", 600'000, 1'000'000);
    if (has_other_gpu) make.kernel("gemm", 0, 10'000, 0, "7", "1");
    return make.build();
  };
  BackgroundJobs jobs;
  HeadlineView view{jobs};
  const DocumentPtr document = make_document(run(false), {"one"});
  view.ask(document, TimeSpan{0, 1'000'000}, "all");
  view.settle();
  REQUIRE(view.answer() != nullptr);
  const std::vector<Headline::Part> parts = view.answer()->headline.subjects.at(0).parts;
  Nanos all = 0;
  for (const Headline::Part& part : parts) all += part.time;
  CHECK(all == 1'000'000);
  const auto time_of = [&](KernelClass of) {
    for (const Headline::Part& part : parts)
      if (part.kernel_class == of) return part.time;
    return Nanos{0};
  };
  CHECK(time_of(KernelClass::kGemm) == 300'000);
  CHECK(time_of(KernelClass::kElementwise) == 100'000);
  CHECK(time_of(KernelClass::kCommunication) == 0);  // has a part of its own
  CHECK(std::ranges::count(parts, std::optional(TimeKind::kCommunication), &Headline::Part::work) == 1);

  const DocumentPtr two = make_document(run(true), {"two"});
  view.ask(two, TimeSpan{0, 1'000'000}, "all");
  view.settle();
  const std::vector<Headline::Subject>& subjects = view.answer()->headline.subjects;
  REQUIRE(subjects.size() == 2);
  CHECK(subjects[0].parts == parts);
  REQUIRE_FALSE(subjects[1].parts.empty());
  CHECK(subjects[1].parts[0].kernel_class == KernelClass::kGemm);
  CHECK(subjects[1].parts[0].time == 10'000);
}

TEST_CASE("headline of a recording under way: about its newest, and kept until there is something newer") {
  BackgroundJobs jobs;
  HeadlineView view{jobs};
  const auto recorded = [](bool is_partial) {
    auto document = std::make_shared<Document>();
    document->trace = uneven_trace();
    document->is_partial = is_partial;
    GrowingCauses causes;
    document->idle = std::make_shared<const IdleTime>(causes.update(document->trace, true));
    return document;
  };
  view.ask(recorded(true), std::nullopt, "");
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->is_recording);
  CHECK(view.answer()->name.starts_with("Last "));
  CHECK(view.answer()->headline.subjects.at(0).sentence.starts_with("GPU 0 is "));
  view.ask(recorded(true), std::nullopt, "");
  CHECK(view.answer() != nullptr);
  view.settle();
  view.ask(recorded(false), std::nullopt, "");
  CHECK(view.answer() != nullptr);  // until it is measured
  view.reset();
  CHECK(view.answer() == nullptr);
}

TEST_CASE("headline of a file that is still read: none") {
  BackgroundJobs jobs;
  HeadlineView view{jobs};
  view.ask(make_document(uneven_trace(), {"literal"}, true), TimeSpan{0, 1'000}, "Range of 1 us");
  view.settle();
  CHECK(view.answer() == nullptr);
}

}  // namespace
}  // namespace lacuna

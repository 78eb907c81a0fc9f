#include "model/report/headline.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "model/report/range_reports.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

const ReportFormat kHeadlineFormat{format_duration, format_count, format_percent, format_bytes};

Headline whole_headline_of(const Trace& trace) {
  return make_headline(trace, compute_reports(trace), kHeadlineFormat);
}

Headline::Subject headline_of(const Trace& trace) {
  const Headline headline = whole_headline_of(trace);
  return headline.subjects.at(headline.worst);
}

/// GPU 0 computes for most of 1 ms, GPU 1 waits for data.
Trace two_gpus() {
  TraceMaker make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 600'000, "user_annotation");
  make.thread("aten::mm", 600'000, 640'000).launch("cudaLaunchKernel", 610'000, 615'000, 1);
  make.launch("cudaLaunchKernel", 620'000, 625'000, 2);
  make.kernel("gemm", 630'000, 1'000'000, 1, "7", "1").kernel("gemm", 10'000, 500'000, 0, "7", "10");
  make.kernel("gemm", 630'000, 1'000'000, 2, "7", "10");
  return make.build();
}

}  // namespace

TEST_CASE("headline: the largest cause of idle time, its gain, and parts that add up to the window") {
  TraceMaker make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 600'000, "user_annotation");
  make.thread("aten::mm", 600'000, 620'000).launch("cudaLaunchKernel", 610'000, 615'000, 1);
  make.kernel("gemm", 620'000, 1'000'000, 1);
  const Headline::Subject headline = headline_of(make.build());
  CHECK(headline.sentence.starts_with("GPU 0 is idle for 62.0 %: data loading; "));
  CHECK(headline.sentence.ends_with(" of 1.00 ms to gain"));
  CHECK(headline.sure == "quite sure");
  CHECK_FALSE(headline.is_good);
  Nanos sum = 0;
  for (const Headline::Part& part : headline.parts) sum += part.time;
  CHECK(sum == headline.window.duration());
  REQUIRE_FALSE(headline.levers.empty());
  CHECK(headline.levers[0].text.starts_with("data loading: "));
}

TEST_CASE("headline: what the profiler costs is no gain of a verdict that leaves it out") {
  TraceMaker make;
  for (std::uint64_t k = 0; k < 10; ++k) {
    const auto at = static_cast<Nanos>(k) * 50'000;
    make.thread("aten::add", at, at + 40'000).launch("cudaLaunchKernel", at + 30'000, at + 35'000, k + 1);
    const Nanos start = 2'000'000 + static_cast<Nanos>(k) * 3'000;
    make.kernel("add", start, start + 2'000, k + 1);
  }
  make.thread("Activity Buffer Request", 100'000, 1'990'000, "overhead", "9");
  const Headline::Subject headline = headline_of(make.build());
  CHECK(headline.sentence.starts_with("GPU 0 is idle for 99.0 %: launch-bound"));
  REQUIRE_FALSE(headline.levers.empty());
  CHECK(headline.levers[0].text.starts_with("profiler overhead: "));  // named as what it is
  CHECK(headline.sentence.find(headline.levers[0].text.substr(19)) == std::string::npos);
}

TEST_CASE("headline: levers are said in words") {
  TraceMaker make;
  make.thread("aten::to", 0, 400'000);
  for (std::uint64_t k = 0; k < 5; ++k) {
    const auto at = static_cast<Nanos>(k) * 200'000;
    make.launch("cudaMemcpyAsync", at, at + 100'000, k + 1);
    make.kernel("Memcpy HtoD (Pageable -> Device)", at + 40'000, at + 90'000, k + 1, "7", "0", "gpu_memcpy");
  }
  for (const Headline::Lever& lever : headline_of(make.build()).levers)
    CHECK(std::ranges::none_of(lever.text, [](char c) { return c >= 'A' && c <= 'Z'; }));
}

TEST_CASE("headline: a GPU that is kept busy, and a trace without one") {
  TraceMaker busy;
  busy.thread("aten::mm", 0, 10'000).launch("cudaLaunchKernel", 1'000, 2'000, 1).kernel("gemm", 5'000, 1'000'000, 1);
  const Headline::Subject headline = headline_of(busy.build());
  CHECK(headline.is_good);
  CHECK(headline.sentence.starts_with("GPU 0 is busy for 99.5 %: compute-bound"));
  TraceMaker none;
  none.thread("aten::mm", 0, 10'000);
  const Headline::Subject without = headline_of(none.build());
  CHECK(without.sentence == "No GPU work; bound by operators on the CPU");
  CHECK(without.parts.empty());
}

TEST_CASE(
    "headline: of several GPUs each has a line, in the order of their numbers, and the one that idles most is named") {
  const Headline headline = whole_headline_of(two_gpus());
  REQUIRE(headline.subjects.size() == 2);
  CHECK(headline.subjects[0].name == "GPU 1");
  CHECK(headline.subjects[1].name == "GPU 10");
  CHECK(headline.worst == 0);
  CHECK(headline.subjects[0].sentence.starts_with("GPU 1 is idle for 63.0 %, the most of 2 GPUs: data loading; "));
  CHECK(headline.subjects[1].sentence.starts_with("GPU 10 is busy for 86.0 %: "));
}

TEST_CASE("headline: where nothing was replayed, the levers are the idle time by cause, and lead to its longest gap") {
  const Trace trace = two_gpus();
  const RangeReports ranges(trace);
  const Headline headline = make_headline(trace, ranges.over({0, 1'000'000}), kHeadlineFormat);
  REQUIRE_FALSE(headline.subjects[0].levers.empty());
  CHECK(headline.subjects[0].levers[0].text == "data loading: 630 µs idle");
  CHECK(headline.subjects[0].levers[0].place.span == TimeSpan{0, 630'000});
}

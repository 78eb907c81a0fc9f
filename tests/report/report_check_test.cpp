// Contradictions in a report are told: each number of one that agrees is made wrong in turn.

#include "model/report/report_check.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/report/advice.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

std::string check_with(void (*change)(Report&)) {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100'000, "user_annotation").launch("cudaLaunchKernel", 10'000, 12'000, 1);
  const Trace trace = make.kernel("gemm", 20'000, 50'000, 1).build();
  Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.devices.size() == 1);
  REQUIRE(report.devices[0].verdict.cause);
  change(report);
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  std::string all;
  for (const std::string& one : check_report(trace, report, format)) all += one + "\n";
  return all;
}

AdviceGiven& add_gain(Report& report, std::string_view key, Nanos gain) {
  AdviceGiven& given = report.advice.emplace_back();
  while (advice_rules()[given.rule].key != key) ++given.rule;
  given.gain = gain;
  given.replayed = report.use.wall;
  return given;
}

}  // namespace

TEST_CASE("report check: a report that agrees with itself has nothing to tell") {
  CHECK(check_with([](Report&) {}).empty());
}

TEST_CASE("report check: times that do not add up") {
  CHECK(check_with([](Report& r) { ++r.devices[0].by_cause[0]; }).find("GPU 0: its causes add up to") == 0);
  CHECK(check_with([](Report& r) { ++r.use.wall; }).find("do not add up to the window of") != std::string::npos);
  CHECK(check_with([](Report& r) { ++r.devices[0].use.gpu_busy; }).find("GPU 0: it is busy for") == 0);
}

TEST_CASE("report check: that one of several times is 0 is a fact") {
  TraceMaker make;
  for (int s = 0; s < 3; ++s) {
    const Nanos t = s * 100'000;
    const auto c = static_cast<std::uint64_t>(2 * s);
    make.thread("ProfilerStep#" + std::to_string(s), t, t + 100'000, "user_annotation");
    make.launch("cudaLaunchKernel", t + 1'000, t + 2'000, c + 1).kernel("gemm", t + 5'000, t + 95'000, c + 1);
    make.launch("cudaLaunchKernel", t + 3'000, t + 4'000, c + 2);
    make.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", t + 10'000, t + 60'000, c + 2, "20");
  }
  const Trace trace = make.build();
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  CHECK(check_report(trace, compute_report(trace, SourceId{0}), format) == std::vector<std::string>{});
}

TEST_CASE("report check: a verdict that is not the largest cause, the profiler's own left out") {
  const auto with = [](GapCause verdict, Nanos of) {
    TraceMaker make;
    const Trace trace = make.kernel("gemm", 0, 1).build();
    Report report;
    report.use.wall = 100;
    DeviceReport& device = report.devices.emplace_back();
    device.idle = 100;
    device.by_cause[static_cast<std::size_t>(GapCause::kLaunchBound)] = 30;
    device.by_cause[static_cast<std::size_t>(GapCause::kSynchronisation)] = 30;
    device.by_cause[static_cast<std::size_t>(GapCause::kProfilerOverhead)] = 40;
    device.verdict.cause = verdict;
    device.verdict.of = of;
    const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
    std::string all;
    for (const std::string& one : check_report(trace, report, format))
      if (one.find("the verdict is") != std::string::npos) all += one;
    return all;
  };
  CHECK(with(GapCause::kLaunchBound, 60).empty());
  CHECK(with(GapCause::kSynchronisation, 60).empty());
  CHECK(with(GapCause::kLaunchBound, 100).find("but more is lost to profiler overhead") != std::string::npos);
  CHECK(with(GapCause::kDependency, 60).find("but more is lost to launch-bound") != std::string::npos);
  CHECK(with(GapCause::kProfilerOverhead, 100).empty());
}

TEST_CASE("report check: a step whose work ends behind the window") {
  CHECK(check_with([](Report& r) { r.steps.steps[0].work.end = r.window.end; }).empty());
  CHECK(check_with([](Report& r) {
          r.steps.steps[0].work.end = r.window.end + 5;
        }).find("ProfilerStep#1 launched work that ends 5 ns after the window") == 0);
  CHECK(check_with([](Report& r) {
          r.steps.steps[0].work.end = r.window.end + 5;
          r.steps.steps[0].launches = 0;
        }).empty());
}

TEST_CASE("report check: gains that a replay cannot have") {
  CHECK(check_with([](Report& r) { add_gain(r, "launchBound", r.devices[0].idle); }).empty());
  CHECK(check_with([](Report& r) {
          add_gain(r, "launchBound", r.devices[0].idle + 1);
        }).find("launchBound: it gains") == 0);
  CHECK(check_with([](Report& r) {  // exposed communication and copies can be gained as well
          r.devices[0].use.communication += 1;
          add_gain(r, "launchBound", r.devices[0].idle + 1);
        })
            .empty());
  CHECK(check_with([](Report& r) { add_gain(r, "communication", r.devices[0].idle + 1); }).empty());
  CHECK(check_with([](Report& r) { add_gain(r, "launchBound", 1).replayed += r.use.wall / 100; }).empty());
  CHECK(check_with([](Report& r) {
          add_gain(r, "launchBound", 1).replayed += r.use.wall / 100 + 1;
        }).find("launchBound: the replay without a change takes") == 0);
  CHECK(check_with([](Report& r) {
          add_gain(r, "launchBound", 1).replayed -= r.use.wall / 100 + 1;
        }).find("launchBound: the replay without a change takes") == 0);
  CHECK(check_with([](Report& r) { add_gain(r, "launchBound", 900'000).gain = std::nullopt; }).empty());
}

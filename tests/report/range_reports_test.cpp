#include "model/report/range_reports.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "model/report/report_words.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Steps of 1 ms: 600 us of data loading, then a launch and 300 us of work; the second step has no such wait.
Trace two_steps() {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000'000, "user_annotation");
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1'000, 600'000, "user_annotation");
  make.thread("aten::mm", 610'000, 640'000).launch("cudaLaunchKernel", 615'000, 625'000, 1);
  make.kernel("gemm", 630'000, 930'000, 1);
  make.thread("ProfilerStep#2", 1'000'000, 2'000'000, "user_annotation");
  make.thread("aten::mm", 1'010'000, 1'040'000).launch("cudaLaunchKernel", 1'015'000, 1'025'000, 2);
  make.kernel("gemm", 1'030'000, 1'980'000, 2);
  return make.build();
}

Nanos parts_of(const DeviceReport& device) {
  Nanos sum = device.busy;
  for (const GapCause cause : all_gap_causes()) sum += device.lost(cause);
  return sum;
}

}  // namespace

TEST_CASE("the parts of the time have waiting kernels only where there are any, in the window or in a step") {
  const auto has_waiting = [](Nanos begin, Nanos end) {
    TraceMaker make;
    for (int s = 0; s < 4; ++s)
      make.thread("ProfilerStep#" + std::to_string(s), s * 1000, s * 1000 + 1000, "user_annotation")
          .kernel("merge", s * 1000 + 100, s * 1000 + 200);
    if (end > begin) make.kernel("event_wait", begin, end, 0, "20");
    const Report report = compute_report(make.build(), SourceId{0});
    return std::ranges::any_of(time_parts(report),
                               [](const TimePart& part) { return part.key == time_kind_key(TimeKind::kWaiting); });
  };
  CHECK_FALSE(has_waiting(0, 0));
  CHECK(has_waiting(2400, 2600));
}

TEST_CASE("reports of ranges: over the measured window they say what the report says") {
  const Trace trace = two_steps();
  const Report whole = compute_report(trace, SourceId{0});
  const RangeReports ranges(trace);
  const std::vector<Report> found = ranges.over(whole.window);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].devices.size() == 1);
  const DeviceReport& device = found[0].devices[0];
  CHECK(device.busy == whole.devices[0].busy);
  CHECK(device.by_cause == whole.devices[0].by_cause);
  CHECK(device.verdict.bound == whole.devices[0].verdict.bound);
  CHECK(found[0].use.by_kind == whole.use.by_kind);
  CHECK(found[0].confidence.level == whole.confidence.level);
}

TEST_CASE("reports of ranges: each step has its own verdict, and what can be gained in it") {
  const Trace trace = two_steps();
  const RangeReports ranges(trace);
  Report first = ranges.over({0, 1'000'000})[0];
  CHECK(first.bound == Bound::kDataLoading);
  CHECK(parts_of(first.devices[0]) == 1'000'000);
  const Report second = ranges.over({1'000'000, 2'000'000})[0];
  CHECK(second.bound == Bound::kCompute);
  CHECK(second.devices[0].lost(GapCause::kDataLoading) == 0);
  CHECK(first.advice.empty());
  ranges.advise(first);
  const auto data = std::ranges::find_if(first.advice, [](const AdviceGiven& given) { return given.gain.has_value(); });
  REQUIRE(data != first.advice.end());
  CHECK(*data->gain > 400'000);
  CHECK(*data->gain < 700'000);
}

TEST_CASE("reports of ranges: a range without GPU work is idle time; one of a trace without a GPU is about the CPU") {
  const Trace trace = two_steps();
  const Report idle = RangeReports(trace).over({100'000, 200'000})[0];
  REQUIRE(idle.devices.size() == 1);
  CHECK(idle.devices[0].busy == 0);
  CHECK(idle.devices[0].lost(GapCause::kDataLoading) == 100'000);
  TraceMaker none;
  none.thread("aten::mm", 0, 10'000);
  const Trace without = none.build();
  CHECK(RangeReports(without).over({0, 5'000})[0].bound == Bound::kCpuOperators);
}

TEST_CASE("reports of recordings: idle time whose gap has no verdict yet is unknown, and all parts add up") {
  const Trace trace = two_steps();
  GrowingCauses causes;
  const IdleTime all = causes.update(trace, true);
  const std::vector<Report> found = report_recording(trace, all, {0, 2'000'000});
  REQUIRE(found.size() == 1);
  const DeviceReport& device = found[0].devices[0];
  CHECK(device.busy == 1'250'000);
  CHECK(parts_of(device) == 2'000'000);
  // Between the activities there is one gap, which has a verdict; before the first and after the last there is none.
  CHECK(device.lost(GapCause::kUnknown) == 630'000 + 20'000);
  CHECK(report_recording(trace, all, {940'000, 1'020'000})[0].devices[0].lost(GapCause::kUnknown) == 0);
}

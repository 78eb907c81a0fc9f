#include "model/causes/window_gaps.h"

#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

Nanos lost(const WindowGaps& device, GapCause cause) {
  Nanos sum = 0;
  for (std::size_t g = 0; g < device.gaps.gaps.size(); ++g)
    if (device.gaps.diagnoses[g].cause == cause) sum += device.gaps.gaps[g].duration();
  return sum;
}

WindowGaps only_gpu(const Trace& trace, TimeSpan range) {
  const CauseIndex index(trace);
  std::vector<WindowGaps> devices = diagnose_window(index, SourceId{0}, range);
  REQUIRE(devices.size() == 1);
  return std::move(devices.front());
}

}  // namespace

TEST_CASE("edges have causes: the time before the first activity and after the last one") {
  TraceMaker make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 900 * kUs, "user_annotation");
  make.thread("aten::mm", 900 * kUs, 950 * kUs).launch("cudaLaunchKernel", 910 * kUs, 915 * kUs, 1);
  make.kernel("gemm", 920 * kUs, 1'000 * kUs, 1);
  make.thread("aten::to_list", 1'000 * kUs, 3'000 * kUs);
  const Trace trace = make.build();
  const WindowGaps device = only_gpu(trace, {0, 3'000 * kUs});
  CHECK(device.edges[0] == TimeSpan{0, 920 * kUs});
  CHECK(device.edges[1] == TimeSpan{1'000 * kUs, 3'000 * kUs});
  CHECK(device.gaps.busy == 80 * kUs);
  CHECK(device.gaps.idle() == 2'920 * kUs);
  CHECK(lost(device, GapCause::kDataLoading) == 920 * kUs);
  CHECK(lost(device, GapCause::kLaunchBound) == 2'000 * kUs);  // nothing more was launched
  CHECK_FALSE(device.gaps.gaps[1].after.valid());
}

TEST_CASE("a gap across the edge of the range is judged by its part inside") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1).kernel("first", 10 * kUs, 20 * kUs, 1);
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 30 * kUs, 930 * kUs, "user_annotation");
  make.thread("aten::slow", 930 * kUs, 1'000 * kUs).launch("cudaLaunchKernel", 990 * kUs, 995 * kUs, 2);
  make.kernel("second", 1'000 * kUs, 1'100 * kUs, 2);
  const Trace trace = make.build();
  CHECK(lost(only_gpu(trace, {0, 1'100 * kUs}), GapCause::kDataLoading) == 980 * kUs);
  CHECK(lost(only_gpu(trace, {940 * kUs, 1'100 * kUs}), GapCause::kLaunchBound) == 60 * kUs);
}

TEST_CASE("a GPU that does nothing in the range is idle for all of it") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1).kernel("only", 10 * kUs, 20 * kUs, 1);
  make.thread("aten::mm", 100 * kUs, 200 * kUs);
  const Trace trace = make.build();
  const WindowGaps device = only_gpu(trace, {100 * kUs, 200 * kUs});
  CHECK(device.activities == 0);
  CHECK(device.gaps.idle() == 100 * kUs);
  CHECK(lost(device, GapCause::kLaunchBound) == 100 * kUs);
}

TEST_CASE("the profiler held work back: what the CPU needed for its launches all the same is told apart") {
  TraceMaker make;
  for (std::uint64_t k = 0; k < 10; ++k) {
    const auto at = static_cast<Nanos>(k) * 50 * kUs;
    make.thread("aten::add", at, at + 40 * kUs).launch("cudaLaunchKernel", at + 30 * kUs, at + 35 * kUs, k + 1);
    const Nanos start = 2'000 * kUs + static_cast<Nanos>(k) * 3 * kUs;
    make.kernel("add", start, start + 2 * kUs, k + 1);
  }
  make.thread("Activity Buffer Request", 100 * kUs, 1'990 * kUs, "overhead", "9");
  const Trace trace = make.build();
  const WindowGaps device = only_gpu(trace, {0, 2'029 * kUs});
  REQUIRE(device.gaps.gaps.size() == 10);
  CHECK(device.gaps.diagnoses[0].cause == GapCause::kProfilerOverhead);
  // The last call of ten returned after 485 us; their kernels take 20 us.
  CHECK(device.gaps.diagnoses[0].launching == 465 * kUs);
  // Where idle time is added up by cause, as well.
  Nanos all = 0;
  for (const CauseTotal& total : rank_causes({&device.gaps, 1})) {
    all += total.lost;
    if (total.cause == GapCause::kLaunchBound) CHECK(total.lost == 465 * kUs);
    CHECK(total.before_issue + total.in_queue == total.lost);
  }
  CHECK(all == device.gaps.idle());
}

TEST_CASE("what is beside the edge of a range is found in every row of a stream") {
  TraceMaker make;
  make.kernel("first", 10 * kUs, 20 * kUs).kernel("crosses it", 15 * kUs, 40 * kUs);
  make.kernel("crosses the next", 100 * kUs, 120 * kUs).kernel("last", 110 * kUs, 140 * kUs);
  make.kernel("elsewhere", 95 * kUs, 200 * kUs, 0, "7", "1");
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const std::vector<WindowGaps> devices = diagnose_window(index, SourceId{0}, {50 * kUs, 300 * kUs});
  REQUIRE(devices.size() == 2);
  const CausedGaps& gaps = devices[0].gaps;
  REQUIRE(gaps.gaps.size() == 2);
  CHECK(gaps.gaps[0].before == slice_named(trace, "crosses it"));
  CHECK(gaps.gaps[0].after == slice_named(trace, "crosses the next"));
  CHECK(gaps.gaps[1].before == slice_named(trace, "last"));
}

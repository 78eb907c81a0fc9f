// What a report says of launches, of calls whose work is missing, and of calls that allocate.

#include <array>
#include <string>

#include <doctest/doctest.h>

#include "model/report/report.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// The report on one runtime call of this name, without work of its own, after a kernel that has a launch.
Report report_of_call(std::string_view name) {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 10, 1).kernel("k", 20, 1'000, 1);
  return compute_report(make.launch(name, 100, 130, 2).build(), SourceId{0});
}

}  // namespace

TEST_CASE("calls without work are launches or transfers by their names") {
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchKernelExC_v11060", "cudaLaunchCooperativeKernel", "cudaGraphLaunch",
        "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "cuGraphLaunch", "hipLaunchKernel",
        "hipExtLaunchKernel", "hipGraphLaunch", "hipModuleLaunchKernel", "hipExtModuleLaunchKernel",
        "hipExtLaunchMultiKernelMultiDevice", "urEnqueueKernelLaunch"}) {
    CAPTURE(name);
    const MissingReport missing = report_of_call(name).missing;
    CHECK(missing.launch_calls == 2);
    CHECK(missing.launches_without_work == 1);
    CHECK(missing.copies_without_work == 0);
  }
  for (const char* name : {"cudaMemcpyAsync", "cudaMemsetAsync", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async",
                           "hipMemcpyWithStream", "hipMemsetAsync"}) {
    CAPTURE(name);
    const MissingReport missing = report_of_call(name).missing;
    CHECK(missing.launch_calls == 1);
    CHECK(missing.copies_without_work == 1);
  }
  for (const char* name : {"cudaDeviceSynchronize", "xcudaLaunchKernel", "hipModuleLaunchKernelX", "urEnqueue"}) {
    CAPTURE(name);
    const MissingReport missing = report_of_call(name).missing;
    CHECK(missing.launch_calls == 1);
    CHECK(missing.launches_without_work + missing.copies_without_work == 0);
  }
}

TEST_CASE("the medians of launches: between two of a thread lies a period, before the first none") {
  TraceMaker make;
  std::uint64_t c = 0;
  for (const Nanos begin : {100, 400, 500, 1'400}) {
    ++c;
    make.launch("cudaLaunchKernel", begin, begin + 10 * static_cast<Nanos>(c), c)
        .kernel("k", begin + 60 + static_cast<Nanos>(c), begin + 80 + static_cast<Nanos>(c), c);
  }
  make.launch("cudaLaunchKernel", 450, 470, 9, "2").kernel("k", 3'000, 3'020, 9, "8");  // alone on its thread
  const Report report = compute_report(make.build(), SourceId{0});
  CHECK(report.launch.launches == 5);
  CHECK(report.launch.median_period == 300);  // of 100, 300 and 900
  CHECK(report.launch.median_call == 20);     // of 10, 20, 20, 30 and 40
  CHECK(report.launch.median_gpu == 20);
}

TEST_CASE("calls of the driver that give out memory, take it back or pin it are allocations") {
  for (const char* name : {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemMap",
                           "cuMemCreate", "hipMalloc", "hipFree", "hipHostMalloc"}) {
    CAPTURE(name);
    const Report report = report_of_call(name);
    CHECK(report.allocation_calls == 30);
    CHECK(report.allocation_count == 1);
  }
  for (const char* name : {"cudaMallocAsync", "cudaFreeAsync", "cuMemGetInfo", "cudaLaunchKernel"}) {
    CAPTURE(name);
    CHECK(report_of_call(name).allocation_calls == 0);
  }
}

TEST_CASE("medians of launches: of the call, its work, the delay, and from one to the next on the same thread") {
  TraceMaker make;
  struct Launch {
    Nanos begin, call, delay, work;
    const char* thread;
  };
  // On thread 1 every 100, 300, 200; on thread 2, in between, once.
  constexpr std::array kLaunches{Launch{1'000, 10, 5, 50, "1"}, Launch{1'100, 20, 9, 12, "1"},
                                 Launch{1'150, 30, 1, 40, "2"}, Launch{1'400, 14, 7, 60, "1"},
                                 Launch{1'600, 12, 3, 20, "1"}};
  std::uint64_t id = 0;
  for (const Launch& launch : kLaunches) {
    const Nanos end = launch.begin + launch.call;
    make.launch("cudaLaunchKernel", launch.begin, end, ++id, launch.thread);
    make.kernel("k", end + launch.delay, end + launch.delay + launch.work, id);
  }
  const LaunchReport launch = compute_report(make.build(), SourceId{0}).launch;
  CHECK(launch.launches == 5);
  CHECK(launch.graphs == 0);
  CHECK(launch.short_ones == 1);  // of 20 with work of 12
  CHECK(launch.median_call == 14);
  CHECK(launch.median_gpu == 40);
  CHECK(launch.median_delay == 5);
  CHECK(launch.median_period == 200);
}

TEST_CASE("work is before its launch by more than the clocks may differ, and without times outside the window") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 10'000, 10'010, 1).kernel("early", 9'000, 9'100, 1);  // by exactly that much
  make.launch("cudaLaunchKernel", 20'000, 20'010, 2).kernel("earlier", 18'999, 19'100, 2);
  make.launch("cudaLaunchKernel", 30'000, 30'010, 3).kernel("k", 30'100, 30'200, 3);
  const MissingReport missing = compute_report(make.build(), SourceId{0}).missing;
  CHECK(missing.before_launch == 1);
  CHECK(missing.activities == 3);
  CHECK(missing.without_times == 0);
}

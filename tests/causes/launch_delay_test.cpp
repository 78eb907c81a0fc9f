#include "model/causes/launch_delay.h"

#include <map>

#include "tests/causes/causes_support.h"

using namespace lacuna;

TEST_CASE("delay from the end and from the start of the call, not below 0; short kernels") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 10, 1)
      .kernel("a", 15, 18, 1)
      .launch("cudaLaunchKernel", 20, 30, 2)
      .kernel("b", 25, 60, 2)
      .launch("cudaLaunchKernel", 70, 80, 3)
      .kernel("before its launch", 60, 65, 3)
      .kernel("unlinked", 90, 95, 0);
  const Trace trace = make.build();
  const auto groups = launch_groups(trace);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].delay == 5);
  CHECK(groups[0].since_start == 15);
  CHECK(groups[0].is_short());  // 3 on the GPU, 10 on the CPU
  CHECK(groups[1].delay == 0);
  CHECK(groups[1].since_start == 5);
  CHECK_FALSE(groups[1].is_short());
  CHECK(groups[2].since_start == 0);
}

TEST_CASE("calls with the most short kernels come first, then those that launch the most") {
  TraceMaker make;
  std::uint64_t c = 0;
  const auto launches = [&](const char* name, const char* call, int count, bool is_short) {
    for (int n = 0; n < count; ++n) {
      const auto t = static_cast<Nanos>(++c) * 100;
      make.launch(call, t, t + 10, c).kernel(name, t + 20, t + (is_short ? 25 : 60), c);
    }
  };
  launches("few long", "cudaLaunchKernel", 1, false);
  launches("many long", "cudaLaunchKernel", 3, false);
  launches("two short", "cudaLaunchKernel", 2, true);
  launches("some long", "cudaLaunchKernel", 2, false);
  launches("as many", "cudaLaunchKernel", 2, false);  // later
  const Trace trace = make.build();
  std::string order;
  for (const LaunchDelayRow& row : summarise_launches(trace, launch_groups(trace)))
    order += std::string(trace.text(row.name)) + "; ";
  CHECK(order == "two short; many long; some long; as many; few long; ");
}

TEST_CASE("a graph is one launch") {
  TraceMaker make;
  make.launch("cudaGraphLaunch", 0, 10, 1)
      .kernel("second", 30, 40, 1)
      .kernel("first", 12, 20, 1, "8")
      .kernel("third", 35, 50, 1);
  const Trace trace = make.build();
  const auto groups = launch_groups(trace);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].activities == 3);
  CHECK(groups[0].first_activity == slice_named(trace, "first"));
  CHECK(groups[0].delay == 2);
  CHECK(groups[0].gpu_time == 28);  // 12 … 20 and 30 … 50
  const auto rows = summarise_launches(trace, groups);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].is_graph);
  CHECK(trace.text(rows[0].name) == "cudaGraphLaunch");
  CHECK(rows[0].launches == 1);
  CHECK(rows[0].activities == 3);
}

TEST_CASE("queue depth of random traces against the definition at every change") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Trace trace = random_trace(seed);
    std::uint64_t counted = 0;
    for (const QueueDepth& queue : queue_depths(trace)) {
      // From scratch: per launch the first start on this stream.
      std::map<SliceId, Nanos> first;
      for (const LaunchLink& link : trace.links().launches()) {
        if (trace.track_of(link.activity).stream != queue.stream) continue;
        const Nanos start = trace.span(link.activity).begin;
        const auto [it, is_new] = first.try_emplace(link.launch, start);
        if (!is_new) it->second = std::min(it->second, start);
      }
      const auto depth_at = [&](Nanos t) {
        Nanos depth = 0;
        for (const auto& [launch, start] : first) depth += trace.span(launch).begin <= t && t < start;
        return static_cast<double>(depth);
      };
      counted += queue.launches;
      CHECK(queue.launches == first.size());
      const CounterSeries& series = queue.depth;
      REQUIRE(series.times.size() == series.values.size());
      for (std::size_t i = 0; i < series.times.size(); ++i) {
        CHECK(series.values[i] == depth_at(series.times[i]));
        if (i > 0) {
          CHECK(series.times[i - 1] < series.times[i]);
          CHECK(series.values[i - 1] == depth_at(series.times[i] - 1));
        }
        CHECK(series.values[i] >= series.min);
        CHECK(series.values[i] <= series.max);
      }
      CHECK(series.values.back() == 0);
    }
    CHECK(counted > 0);
  }
}

TEST_CASE("each stream of each device has its queue") {
  TraceMaker make;
  std::uint64_t c = 0;
  const auto launches = [&](const char* stream, const char* device, int count) {
    for (int n = 0; n < count; ++n) {
      const auto t = static_cast<Nanos>(++c) * 100;
      make.launch("cudaLaunchKernel", t, t + 10, c).kernel("k", t + 20, t + 50, c, stream, device);
    }
  };
  launches("7", "0", 1);
  launches("8", "0", 2);
  launches("7", "1", 3);
  const Trace trace = make.build();
  std::string seen;
  for (const QueueDepth& queue : queue_depths(trace))
    seen += std::string(trace.text(queue.device)) + ":" + std::string(trace.text(queue.stream)) + " " +
            std::to_string(queue.launches) + "; ";
  CHECK(seen == "0:7 1; 0:8 2; 1:7 3; ");
}

TEST_CASE("work that seems to start before its launch does not make a queue negative") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 70, 80, 1).kernel("a", 60, 65, 1);
  make.launch("cudaLaunchKernel", 100, 110, 2).kernel("b", 120, 130, 2);
  const Trace trace = make.build();
  const auto queues = queue_depths(trace);
  REQUIRE(queues.size() == 1);
  CHECK(queues[0].launches == 1);
  CHECK(queues[0].depth.times == std::vector<Nanos>{100, 120});
  CHECK(queues[0].depth.values == std::vector<double>{1, 0});
  CHECK(queues[0].depth.max == 1);
}

TEST_CASE("the row of a kernel: its slowest launch, and percentiles by the nearest rank") {
  TraceMaker make;
  for (Nanos k = 1; k <= 100; ++k)
    make.launch("cudaLaunchKernel", 1000 * k, 1000 * k + 10, static_cast<std::uint64_t>(k))
        .kernel("gemm", 1010 * k - 10 * (k - 1) + k, 1000 * k + 500, static_cast<std::uint64_t>(k));
  const Trace trace = make.build();
  const auto rows = summarise_launches(trace, launch_groups(trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].launches == 100);
  CHECK(rows[0].delay == 5050);
  CHECK(rows[0].delay_p50 == 50);
  CHECK(rows[0].delay_p99 == 99);
  CHECK(rows[0].delay_max == 100);
  CHECK(trace.span(rows[0].slowest.launch).begin == 100'000);
}

TEST_CASE("a queue that is as deep as before at a moment has no sample there, except the first") {
  TraceMaker make;
  for (Nanos k = 0; k < 3; ++k)
    make.launch("cudaLaunchKernel", 100 * k, 100 * k + 5, static_cast<std::uint64_t>(k + 1))
        .kernel("k", 100 * k, 100 * k + 50, static_cast<std::uint64_t>(k + 1));
  const auto depths = queue_depths(make.build());
  REQUIRE(depths.size() == 1);
  CHECK(depths[0].depth.times == std::vector<Nanos>{0});
}

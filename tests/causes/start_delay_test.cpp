#include "model/causes/start_delay.h"

#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

std::string in_ns(Nanos t) {
  return std::to_string(t) + " ns";
}

}  // namespace

TEST_CASE("behind other work of the stream first, then latency") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 10, 1)
      .launch("cudaLaunchKernel", 10, 20, 2)
      .kernel("early", 2, 8, 0)
      .kernel("first", 15, 100, 1)
      .kernel("between", 110, 150, 0)
      .kernel("second", 160, 200, 2)
      .kernel("elsewhere", 30, 158, 0, "8");
  const Trace trace = make.build();
  const auto delay = start_delay(trace, slice_named(trace, "second"));
  REQUIRE(delay);
  CHECK(delay->queued == TimeSpan{20, 150});
  CHECK(delay->ahead == 2);
  CHECK(delay->latency == TimeSpan{150, 160});
  CHECK_FALSE(delay->overhead.valid());
  CHECK(queued_words(*delay, in_ns) == "queued behind 2 activities for 130 ns");
  CHECK(latency_words(trace, *delay, in_ns) == "launch latency 10 ns");
  CHECK_FALSE(start_delay(trace, slice_named(trace, "elsewhere")));  // its launch is not there
  StartDelay behind_one;
  behind_one.ahead = 1;
  behind_one.queued = {20, 50};
  CHECK(queued_words(behind_one, in_ns) == "queued behind 1 activity for 30 ns");
  const auto first = start_delay(trace, slice_named(trace, "first"));
  REQUIRE(first);
  CHECK(first->queued.empty());
  CHECK(first->latency == TimeSpan{10, 15});
}

TEST_CASE("of the profiler's own work the longest of all rows is named, from half of the latency on") {
  const auto overhead = [](Nanos first_end, Nanos second_end) {
    TraceMaker make;
    make.launch("cudaLaunchKernel", 0, 10, 1).kernel("k", 110, 200, 1);
    make.thread("before", 0, 10, "overhead", "8").thread("after", 110, 150, "overhead", "9");
    // They cross: each has a row of its own.
    make.thread("small", 5, first_end, "overhead", "7").thread("large", first_end - 5, second_end, "overhead", "7");
    const Trace trace = make.build();
    const auto delay = start_delay(trace, slice_named(trace, "k"));
    REQUIRE(delay);
    CHECK(delay->latency == TimeSpan{10, 110});
    return delay->overhead.valid() ? std::string(trace.name(delay->overhead)) : std::string();
  };
  CHECK(overhead(30, 90) == "large");
  CHECK(overhead(80, 110) == "small");
  CHECK(overhead(60, 70) == "small");  // half
  CHECK(overhead(59, 70).empty());
}

TEST_CASE("no delay without a launch, or where the clocks disagree") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 50, 60, 1).kernel("before its launch", 40, 45, 1).kernel("unlinked", 90, 95, 0);
  make.launch("cudaLaunchKernel", 100, 110, 2).kernel("as it returned", 110, 115, 2);
  const Trace trace = make.build();
  CHECK_FALSE(start_delay(trace, slice_named(trace, "before its launch")));
  CHECK_FALSE(start_delay(trace, slice_named(trace, "unlinked")));
  CHECK_FALSE(start_delay(trace, slice_named(trace, "as it returned")));
}

TEST_CASE("the profiler's own work is named where it takes half of the latency") {
  const std::optional<Trace> trace = shared_trace("../samples/verdicts/64_bf16_cold_eager.json");
  if (!trace) return;
  SliceId kernel;
  for (std::uint32_t l = 0; l < trace->lanes().size() && !kernel.valid(); ++l)
    if (trace->category_class(trace->lanes()[l].category(0)) == CategoryClass::kKernel) kernel = {LaneId{l}, 0};
  const auto delay = start_delay(*trace, kernel);
  REQUIRE(delay);
  REQUIRE(delay->overhead.valid());
  CHECK(trace->name(delay->overhead) == "Activity Buffer Request");
}

#include "model/causes/full_queues.h"

#include "model/causes/launch_delay.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

TEST_CASE("a queue is full from its 1024th outstanding launch until one less is outstanding") {
  TraceMaker make;
  const auto full = static_cast<std::uint64_t>(kFullQueue);
  for (std::uint64_t k = 0; k < full + 8; ++k) {
    const auto at = static_cast<Nanos>(k);
    make.launch("cudaLaunchKernel", 10 * at, 10 * at + 1, k + 1).kernel("k", 10'240 + 5 * at, 10'241 + 5 * at, k + 1);
  }
  const Trace trace = make.build();
  LaneGrowth growth;
  growth.update(trace, kMaxNanos);
  FullQueues queues;
  CHECK(queues.update(trace, growth) == 10'230);
  // Launch 1023 comes while the first still waits, 1024 as it starts, 1025 as only 1023 wait: one span.
  CHECK(queues.of_device(SourceId{0}, trace.strings().find("0")) == std::vector{TimeSpan{10'230, 10'245}});
  CHECK(queues.of_device(SourceId{0}, trace.strings().find("7")).empty());
}

TEST_CASE("a queue that had room between two launches was full twice") {
  TraceMaker make;
  const auto full = static_cast<std::uint64_t>(kFullQueue);
  for (std::uint64_t k = 0; k < full + 1; ++k) {
    const auto at = static_cast<Nanos>(k);
    make.launch("cudaLaunchKernel", 10 * at, 10 * at + 1, k + 1);
    make.kernel("k", (k == 0 ? 10'239 : 20'000) + at, (k == 0 ? 10'240 : 20'001) + at, k + 1);
  }
  const Trace trace = make.build();
  LaneGrowth growth;
  growth.update(trace, kMaxNanos);
  FullQueues queues;
  queues.update(trace, growth);
  CHECK(queues.of_device(SourceId{0}, trace.strings().find("0")) ==
        std::vector{TimeSpan{10'230, 10'239}, TimeSpan{10'240, 20'001}});
}

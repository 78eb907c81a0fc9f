// Twice the input, at most two and a half times the cost.

#include <string>

#include <doctest/doctest.h>

#include "model/causes/cause_index.h"
#include "model/causes/cause_ranking.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/skip.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// As many streams, each with a kernel that waited long in its queue, and nothing says what for.
Trace waiting_streams(int count) {
  TraceMaker make;
  for (int i = 0; i < count; ++i) {
    const std::string stream = std::to_string(i + 7);
    const auto id = static_cast<std::uint64_t>(2 * i + 1);
    const Nanos first = Nanos{i} * 10'000, second = Nanos{count} * 40'000 + Nanos{i} * 200'000;
    make.launch("cudaLaunchKernel", first, first + 1'000, id).kernel("gemm", first + 2'000, first + 3'000, id, stream);
    make.launch("cudaLaunchKernel", first + 4'000, first + 5'000, id + 1)
        .kernel("gemm", second, second + 50'000, id + 1, stream);
  }
  return make.build();
}

}  // namespace

TEST_CASE("what a gap waited for is found in little more time among more streams") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  constexpr int kFew = 400;
  const Trace traces[] = {waiting_streams(kFew), waiting_streams(kFew * static_cast<int>(kGrowth))};
  const CauseIndex indexes[] = {CauseIndex(traces[0]), CauseIndex(traces[1])};
  check_growth("gaps of as many streams",
               [&](bool is_large, std::string&) { CHECK(diagnose_streams(indexes[is_large ? 1 : 0]).size() >= kFew); });
}

#include "model/causes/cause_ranking.h"

#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

const OperatorCost* row_named(const Trace& trace, const OperatorCosts& costs, std::string_view name) {
  const auto found =
      std::ranges::find_if(costs.rows, [&](const OperatorCost& cost) { return trace.text(cost.name) == name; });
  return found == costs.rows.end() ? nullptr : &*found;
}

/// Two items that stall the GPU, and an operator that is slow to launch.
Trace training_loop() {
  TraceMaker make;
  Nanos t = 0;
  std::uint64_t c = 0;
  for (int i = 0; i < 2; ++i) {
    ++c;
    make.launch("cudaLaunchKernel", t, t + 5 * kUs, c).kernel("gemm", t + 10 * kUs, t + 500 * kUs, c);
    ++c;
    make.thread("aten::item", t + 20 * kUs, t + 510 * kUs)
        .thread("aten::_local_scalar_dense", t + 25 * kUs, t + 509 * kUs)
        .launch("cudaStreamSynchronize", t + 30 * kUs, t + 505 * kUs, c);
    ++c;
    make.thread("aten::mul", t + 520 * kUs, t + 600 * kUs)
        .launch("cudaLaunchKernel", t + 590 * kUs, t + 595 * kUs, c)
        .kernel("mul", t + 605 * kUs, t + 610 * kUs, c);
    ++c;
    make.thread("aten::add", t + 620 * kUs, t + 700 * kUs)
        .launch("cudaLaunchKernel", t + 690 * kUs, t + 695 * kUs, c)
        .kernel("add", t + 700 * kUs, t + 1000 * kUs, c);
    t += 1000 * kUs;
  }
  return make.build();
}

}  // namespace

TEST_CASE("idle time is charged to what the CPU did, and nothing is lost") {
  const Trace trace = training_loop();
  const CauseIndex index(trace);
  const auto sets = diagnose_streams(index);
  REQUIRE(sets.size() == 1);
  const OperatorCosts costs = charge_operators(trace, sets);
  // 500 … 605 is the synchronisation's, whatever ran after it: without it, mul had been issued
  // early.
  const OperatorCost* item = row_named(trace, costs, "aten::item");
  REQUIRE(item != nullptr);
  CHECK(item->lost == 2 * 105 * kUs);
  CHECK(item->in_synchronisation == item->lost);
  CHECK(item->places.size() == 2);
  CHECK(trace.text(item->mostly_in) == "aten::_local_scalar_dense");
  CHECK(row_named(trace, costs, "aten::mul") == nullptr);
  // 610 … 700: 10 us of nothing, 75 us of add before its launch returned, 5 us of launch latency.
  const OperatorCost* add = row_named(trace, costs, "aten::add");
  REQUIRE(add != nullptr);
  CHECK(add->lost == 2 * 80 * kUs);
  CHECK(add->mostly_in == kEmptyString);
  REQUIRE(add->places.size() == 2);
  CHECK(gap_label(trace, sets[add->places[0].set], add->places[0].gap) == "0:7#1");
  const OperatorCost* nothing = row_named(trace, costs, "");
  REQUIRE(nothing != nullptr);
  CHECK(nothing->lost == 2 * 10 * kUs);
  // Between the iterations: 2000 … , the first kernel of the second starts 10 us after.
  Nanos sum = costs.not_charged;
  for (const OperatorCost& row : costs.rows) sum += row.lost;
  CHECK(sum == sets[0].idle());
}

TEST_CASE("random traces: rows, places and causes add up to the idle time") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Trace trace = random_trace(seed);
    const CauseIndex index(trace);
    for (const auto& sets : {diagnose_streams(index), diagnose_devices(index)}) {
      Nanos idle = 0;
      for (const CausedGaps& set : sets) {
        idle += set.idle();
        REQUIRE(set.diagnoses.size() == set.gaps.size());
      }
      Nanos by_cause = 0;
      for (const CauseTotal& total : rank_causes(sets)) {
        by_cause += total.lost;
        CHECK(total.before_issue + total.in_queue == total.lost);
        CHECK(sets[total.longest.set].diagnoses[total.longest.gap].cause == total.cause);
      }
      CHECK(by_cause == idle);
      const OperatorCosts costs = charge_operators(trace, sets);
      Nanos charged = costs.not_charged;
      for (std::size_t r = 0; r < costs.rows.size(); ++r) {
        charged += costs.rows[r].lost;
        CHECK((r == 0 || costs.rows[r - 1].lost >= costs.rows[r].lost));
        Nanos in_places = 0;
        for (std::size_t p = 0; p < costs.rows[r].places.size(); ++p) {
          const GapPlace& place = costs.rows[r].places[p];
          in_places += place.lost;
          CHECK(place.lost <= sets[place.set].gaps[place.gap].duration());
          CHECK(is_cpu_caused(sets[place.set].diagnoses[place.gap].cause));
          CHECK((p == 0 || costs.rows[r].places[p - 1].lost >= place.lost));
        }
        CHECK(in_places == costs.rows[r].lost);
      }
      CHECK(charged == idle);
    }
  }
}

TEST_CASE("a device's idle time against the union of its streams, counted nanosecond by nanosecond") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    TraceMaker make;
    std::vector<bool> busy(300, false);
    Nanos first = kMaxNanos;
    Nanos last = 0;
    for (Nanos n = dice.roll(1, 20); n > 0; --n) {
      const Nanos begin = dice.roll(0, 280);
      const Nanos end = begin + dice.roll(1, 19);
      make.kernel("k", begin, end, 0, dice.roll(0, 1) == 0 ? "7" : "8");
      for (Nanos t = begin; t < end; ++t) busy[static_cast<std::size_t>(t)] = true;
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    const Trace trace = make.build();
    const CauseIndex index(trace);
    const auto devices = diagnose_devices(index);
    REQUIRE(devices.size() == 1);
    std::vector<bool> idle(300, false);
    for (const Gap& gap : devices[0].gaps)
      for (Nanos t = gap.start; t < gap.end; ++t) idle[static_cast<std::size_t>(t)] = true;
    for (Nanos t = first; t < last; ++t)
      REQUIRE(idle[static_cast<std::size_t>(t)] != busy[static_cast<std::size_t>(t)]);
    CHECK(devices[0].idle() == std::count(idle.begin(), idle.end(), true));
  }
}

TEST_CASE("data loading is charged to the loader, not to the operators in it") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 90 * kUs, 380 * kUs, "user_annotation")
      .thread("aten::stack", 150 * kUs, 160 * kUs)
      .launch("cudaLaunchKernel", 385 * kUs, 395 * kUs, 2)
      .kernel("second", 400 * kUs, 500 * kUs, 2);
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const OperatorCosts costs = charge_operators(trace, diagnose_streams(index));
  CHECK(row_named(trace, costs, "aten::stack") == nullptr);
  const OperatorCost* loader = row_named(trace, costs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  REQUIRE(loader != nullptr);
  CHECK(loader->lost == 280 * kUs);
  CHECK(loader->level == CpuLevel::kAnnotation);
}

TEST_CASE("of gaps of one length the first stands for its cause") {
  TraceMaker make;
  std::uint64_t correlation = 0;
  for (const char* stream : {"7", "13"})
    for (Nanos k = 0; k < 40; ++k) {
      const Nanos at = k * 100 * kUs + (k % 2 == 0 ? 0 : 10 * kUs);  // gaps of 100 and of 80 us
      ++correlation;
      make.launch("cudaLaunchKernel", at, at + 1, correlation, stream)
          .kernel("k", at + 5, at + 10 * kUs, correlation, stream);
    }
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const std::vector<CausedGaps> sets = diagnose_streams(index);
  REQUIRE(sets.size() == 2);
  CHECK(gap_label(trace, sets[0], 3) == "0:7#3");
  for (const CauseTotal& total : rank_causes(sets)) {
    std::optional<GapPlace> longest;
    std::uint64_t gaps = 0;
    for (std::uint32_t s = 0; s < sets.size(); ++s)
      for (std::uint32_t g = 0; g < sets[s].gaps.size(); ++g) {
        if (sets[s].diagnoses[g].cause != total.cause) continue;
        ++gaps;
        if (!longest || sets[s].gaps[g].duration() > longest->lost) longest = {s, g, sets[s].gaps[g].duration()};
      }
    CHECK(total.gaps == gaps);
    CHECK(std::pair(total.longest.set, total.longest.gap) == std::pair(longest->set, longest->gap));
  }
}

TEST_CASE("labels of gaps begin with the file where there are several") {
  TraceMaker make;
  make.kernel("a", 0, 10).kernel("b", 20, 30).next_file().kernel("a", 0, 10).kernel("b", 20, 30);
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const std::vector<CausedGaps> sets = diagnose_streams(index);
  REQUIRE(sets.size() == 2);
  CHECK(gap_label(trace, sets[1], 0) == "1/0:7#0");
}

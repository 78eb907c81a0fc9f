// Records in the order of their ends come into the order of their starts.
#include "model/build/nested_order.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "model/build/event_batch.h"
#include "model/build/nesting.h"

using namespace lacuna;

namespace {

/// A call stack at random: ranges in the order of their ends. With ties some start or end together.
std::vector<SliceRecord> random_stack(std::mt19937& random, std::size_t count, bool has_ties) {
  std::vector<SliceRecord> done;
  std::vector<SliceRecord> open;
  Nanos time = 0;
  while (done.size() < count) {
    time += (has_ties ? 0 : 1) + static_cast<Nanos>(random() % 3);
    if (open.empty() || (open.size() < 12 && random() % 2 == 0)) {
      open.emplace_back().start = time;
    } else {
      SliceRecord& ended = open.back();
      ended.duration = time - ended.start;
      ended.file_offset = done.size();
      done.push_back(ended);
      open.pop_back();
    }
  }
  return done;
}

bool is_whole(std::vector<std::uint32_t> order) {
  std::ranges::sort(order);
  for (std::uint32_t i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}

template <class Records>
std::vector<std::uint64_t> offsets(const Records& records) {
  std::vector<std::uint64_t> found;
  for (const SliceRecord& record : records) found.push_back(record.file_offset);
  return found;
}

}  // namespace

TEST_CASE("nested ranges: from the order of ends to that of starts") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const bool has_ties = round % 2 == 1;
    const auto records = random_stack(random, 1 + random() % 300, has_ties);
    std::vector<std::uint32_t> order;
    order_by_nesting(records, lies_before, order);
    CHECK(order.size() == records.size());
    CHECK(is_whole(order));
    const auto less = [&](std::uint32_t a, std::uint32_t b) { return lies_before(records[a], records[b]); };
    if (!has_ties) CHECK(std::ranges::is_sorted(order, less));
  }
  std::vector<std::uint32_t> none;
  order_by_nesting(std::vector<SliceRecord>{}, lies_before, none);
  CHECK(none.empty());
}

TEST_CASE("a sealed batch is sorted, nested or not") {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    auto records = random_stack(random, 1 + random() % 300, true);
    if (round % 4 == 1)  // ranges that cross each other
      for (SliceRecord& record : records) record.duration += static_cast<Nanos>(random() % 20);
    if (round % 4 == 2) std::ranges::shuffle(records, random);
    if (round % 4 == 3) std::ranges::sort(records, lies_before);
    EventBatch batch;
    EventBatch::TrackEvents& track = batch.tracks[batch.track({})];
    track.slices = records;
    batch.seal();
    std::ranges::sort(records, lies_before);
    CHECK(offsets(batch.tracks[0].sealed_slices) == offsets(records));
  }
}

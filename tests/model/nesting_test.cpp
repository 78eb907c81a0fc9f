#include "model/build/nesting.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

SliceRecord slice(Nanos start, Nanos end, std::uint64_t offset = 0) {
  SliceRecord s;
  s.start = start;
  s.duration = end - start;
  s.file_offset = offset;
  return s;
}

SliceRun run(const std::vector<SliceRecord>& sorted) {
  return {std::make_shared<const PageVector<SliceRecord>>(sorted.begin(), sorted.end()), nullptr};
}

NestedRows nest(std::vector<SliceRecord> slices, NestMode mode = NestMode::kNested) {
  std::ranges::sort(slices, lies_before);
  return nest_slices({run(slices)}, mode);
}

}  // namespace

TEST_CASE("contained slices go one row below their parent") {
  const NestedRows rows = nest({slice(0, 100), slice(10, 40), slice(20, 30), slice(50, 60), slice(100, 110)});
  REQUIRE(rows.lanes.size() == 3);
  CHECK(rows.nest_count == 1);
  CHECK(rows.spilled == 0);
  CHECK(rows.lanes[0].size() == 2);  // [100, 110) starts where [0, 100) ends: beside it
  CHECK(rows.lanes[1].size() == 2);
  CHECK(rows.lanes[1].parent(0) == 0);
  CHECK(rows.lanes[1].parent(1) == 0);
  CHECK(rows.lanes[2].parent(0) == 0);
  CHECK(rows.lanes[0].parent(0) == Lane::kNoParent);
}

TEST_CASE("a slice that crosses goes to the next nest whole, and nests there") {
  const NestedRows rows = nest({slice(0, 100), slice(50, 150), slice(60, 70), slice(110, 160), slice(120, 140)});
  CHECK(rows.nest_count == 2);
  CHECK(rows.spilled == 1);
  // Main nest: [0,100) > [60,70); [110,160) > [120,140). Second: [50,150).
  REQUIRE(rows.lanes.size() == 3);
  CHECK(rows.lanes[0].size() == 2);
  CHECK(rows.lanes[1].size() == 2);
  CHECK(rows.lanes[2].nest == 1);
  CHECK(rows.lanes[2].depth == 0);
  CHECK(rows.lanes[2].span(0) == TimeSpan{50, 150});
  CHECK((rows.lanes[2].flags(0) & kSliceSpilled) != 0);
  CHECK((rows.lanes[0].flags(0) & kSliceSpilled) == 0);
}

TEST_CASE("flat mode: overlapping kernels lie beside each other and have no parents") {
  const NestedRows rows = nest({slice(0, 100), slice(10, 20), slice(90, 120), slice(100, 110)}, NestMode::kFlat);
  CHECK(rows.nest_count == 2);
  CHECK(rows.spilled == 2);
  for (const Lane& lane : rows.lanes) {
    CHECK(lane.depth == 0);
    for (std::uint32_t i = 0; i < lane.size(); ++i) CHECK(lane.parent(i) == Lane::kNoParent);
  }
}

TEST_CASE("identical and zero-length slices keep the order of the file") {
  const NestedRows rows = nest({slice(5, 5, 30), slice(5, 5, 10), slice(5, 9, 40), slice(5, 9, 20)});
  REQUIRE(rows.lanes.size() == 3);
  CHECK(rows.lanes[0].file_offset(0) == 20);  // the earlier of the equal ones is the parent
  CHECK(rows.lanes[1].file_offset(0) == 40);
  CHECK(rows.lanes[2].file_offset(0) == 10);
  CHECK(rows.lanes[2].file_offset(1) == 30);
}

TEST_CASE("any slices: all kept unchanged, rows disjoint, children inside parents, pieces do not matter") {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    std::vector<SliceRecord> slices;
    const int count = static_cast<int>(random() % 300);
    for (int i = 0; i < count; ++i) {
      const Nanos start = static_cast<Nanos>(random() % 1000);
      slices.push_back(slice(start, start + static_cast<Nanos>(random() % (random() % 2 ? 400 : 20)),
                             static_cast<std::uint64_t>(i)));
      slices.back().correlation = random() % 3 == 0 ? random() % 100 + 1 : 0;
    }
    const NestMode mode = round % 2 ? NestMode::kFlat : NestMode::kNested;
    const NestedRows whole = nest(slices, mode);

    std::map<std::uint64_t, SliceRecord> left;
    for (const SliceRecord& s : slices) left[s.file_offset] = s;
    for (std::size_t r = 0; r < whole.lanes.size(); ++r) {
      const Lane& lane = whole.lanes[r];
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const auto found = left.find(lane.file_offset(i));
        REQUIRE(found != left.end());
        REQUIRE(found->second.start == lane.start(i));
        REQUIRE(found->second.duration == lane.duration(i));
        REQUIRE(found->second.correlation == lane.correlation(i));
        left.erase(found);
        if (i > 0) REQUIRE(lane.end(i - 1) <= lane.start(i));
        if (lane.depth == 0) {
          REQUIRE(lane.parent(i) == Lane::kNoParent);
        } else {
          const Lane& above = whole.lanes[r - 1];
          REQUIRE(above.nest == lane.nest);
          REQUIRE(lane.parent(i) < above.size());
          REQUIRE(above.start(lane.parent(i)) <= lane.start(i));
          REQUIRE(above.end(lane.parent(i)) >= lane.end(i));
        }
      }
    }
    REQUIRE(left.empty());

    std::vector<SliceRecord> halves[2];
    for (const SliceRecord& s : slices) halves[random() % 2].push_back(s);
    for (auto& half : halves) std::ranges::sort(half, lies_before);
    const NestedRows merged = nest_slices({run(halves[0]), run(halves[1])}, mode);
    REQUIRE(merged.lanes.size() == whole.lanes.size());
    for (std::size_t r = 0; r < whole.lanes.size(); ++r) {
      REQUIRE(merged.lanes[r].size() == whole.lanes[r].size());
      for (std::uint32_t i = 0; i < whole.lanes[r].size(); ++i) {
        REQUIRE(merged.lanes[r].file_offset(i) == whole.lanes[r].file_offset(i));
        REQUIRE(merged.lanes[r].parent(i) == whole.lanes[r].parent(i));
      }
    }
  }
}

TEST_CASE("many slices: laid in pieces by several threads as they are one after the other") {
  std::mt19937 random(12);
  for (const bool has_runs_that_take_turns : {false, true}) {
    std::vector<SliceRecord> slices;
    std::vector<std::size_t> open;
    Nanos time = 0;
    while (slices.size() < 200'000) {
      time += static_cast<Nanos>(random() % 3);
      if (open.empty() || (open.size() < 6 && random() % 2 == 0)) {
        open.push_back(slices.size());
        slices.push_back(slice(time, time, slices.size()));
        slices.back().name = StringId{static_cast<std::uint32_t>(random() % 100)};
        if (open.size() == 3) slices.back().external_id = slices.size();
      } else {
        slices[open.back()].duration = time - slices[open.back()].start;
        if (random() % 1000 == 0) slices[open.back()].duration += 5;  // crosses what comes next
        open.pop_back();
      }
    }
    std::ranges::sort(slices, lies_before);
    std::vector<std::vector<SliceRecord>> pieces(20);
    for (std::size_t i = 0; i < slices.size(); ++i)
      pieces[has_runs_that_take_turns ? random() % 20 : i / 10'000].push_back(slices[i]);
    std::vector<SliceRun> runs;
    for (const auto& piece : pieces) runs.push_back(run(piece));

    // As one would do it by hand: a stack for each nest.
    std::map<std::uint64_t, std::uint64_t> parents;  // by offset in the file
    std::vector<std::vector<const SliceRecord*>> nests;
    for (const SliceRecord& s : slices) {
      for (std::size_t n = 0;; ++n) {
        if (n == nests.size()) nests.emplace_back();
        auto& stack = nests[n];
        while (!stack.empty() && stack.back()->start + stack.back()->duration <= s.start) stack.pop_back();
        if (!stack.empty() && s.start + s.duration > stack.back()->start + stack.back()->duration) continue;
        parents[s.file_offset] = stack.empty() ? ~std::uint64_t{0} : stack.back()->file_offset;
        stack.push_back(&s);
        break;
      }
    }
    REQUIRE(nests.size() < kMostNests);

    for (const unsigned threads : {1u, 3u}) {
      const NestedRows rows = nest_slices(threads == 3 ? std::move(runs) : runs, NestMode::kNested, threads);
      CHECK(rows.nest_count == nests.size());
      CHECK(rows.spilled > 0);
      std::size_t found = 0;
      for (std::size_t r = 0; r < rows.lanes.size(); ++r) {
        const Lane& lane = rows.lanes[r];
        for (std::uint32_t i = 0; i < lane.size(); ++i, ++found) {
          const std::uint64_t parent =
              lane.parent(i) == Lane::kNoParent ? ~std::uint64_t{0} : rows.lanes[r - 1].file_offset(lane.parent(i));
          REQUIRE(parent == parents.at(lane.file_offset(i)));
          if (i > 0) REQUIRE(lane.end(i - 1) <= lane.start(i));
        }
        std::uint32_t longest = 0;
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (lane.duration(i) > lane.duration(longest)) longest = i;
        CHECK(lane.longest(0, lane.size()) == longest);
      }
      CHECK(found == slices.size());
    }
  }
}

TEST_CASE("hostile input: 20,000 slices that all cross each other are all shown, soon") {
  std::vector<SliceRecord> slices;
  for (Nanos i = 0; i < 20000; ++i) slices.push_back(slice(i, 100000 + i, static_cast<std::uint64_t>(i)));
  for (Nanos i = 0; i < 20000; ++i)
    slices.push_back(slice(200000 + i, 200001 + i, static_cast<std::uint64_t>(20000 + i)));
  const NestedRows rows = nest(slices);
  std::uint64_t count = 0;
  for (const Lane& lane : rows.lanes) count += lane.size();
  CHECK(count == 40000);
  CHECK(rows.nest_count == 20000);
}

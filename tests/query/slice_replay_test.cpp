// Slices nested as they are played, against the definition: what is open when a slice starts is looked for among all
// that came before it.
#include "model/query/slice_replay.h"

#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

constexpr StringId kPlayed{1};

struct PlayedSlice {
  Nanos ts = 0, dur = 0;
  std::optional<std::uint32_t> row;  // nothing: dropped

  Nanos end() const { return ts + dur; }
};

/// Whether `all[p]` is open when a slice of that time starts. Intervals are open at their ends; an instant is open for
/// instants of its own time, until something longer starts there.
bool is_open_at(const std::vector<PlayedSlice>& all, std::size_t p, Nanos ts, Nanos dur) {
  if (!all[p].row) return false;
  if (all[p].end() > ts) return true;
  if (all[p].end() < ts || all[p].dur != 0 || dur != 0) return false;
  for (std::size_t later = p + 1; later < all.size(); ++later)
    if (all[later].dur != 0) return false;
  return true;
}

TEST_CASE("complete slices: parents and depths are those of the definition, what crosses is dropped and counted") {
  std::mt19937 random(9);
  for (int round = 0; round < 400; ++round) {
    TraceTables tables;
    SliceReplay replay(tables);
    std::vector<PlayedSlice> all;
    std::uint64_t dropped = 0;
    Nanos ts = 0;
    for (int n = 0; n < 30; ++n) {
      ts += static_cast<Nanos>(random() % 3);
      const auto dur = static_cast<Nanos>(random() % 3 == 0 ? 0 : random() % 9);
      std::optional<std::uint32_t> parent;
      bool crosses = false;
      for (std::size_t p = 0; p < all.size(); ++p) {
        if (!is_open_at(all, p, ts, dur)) continue;
        parent = all[p].row;
        crosses = crosses || (ts < all[p].end() && ts + dur > all[p].end());
      }
      const auto row = replay.complete(ts, dur, 3, kPlayed, kPlayed);
      CAPTURE(round);
      CAPTURE(n);
      REQUIRE(row.has_value() == !crosses);
      dropped += crosses;
      if (row) {
        CHECK(tables.slices.parent[*row] == parent.value_or(TraceTables::kNone));
        CHECK(tables.slices.depth[*row] == (parent ? tables.slices.depth[*parent] + 1 : 0));
        CHECK(replay.top(3) == row);
      }
      all.push_back({ts, dur, row});
    }
    CHECK(replay.dropped == dropped);
    CHECK(replay.misplaced_ends == 0);
  }
}

TEST_CASE("begun slices in complete ones: each end belongs to the innermost that is open, beside what is complete") {
  std::mt19937 random(10);
  for (int round = 0; round < 200; ++round) {
    TraceTables tables;
    SliceReplay replay(tables);
    std::vector<std::uint32_t> open;
    std::vector<Nanos> wanted;
    Nanos ts = 0;
    for (int n = 0; n < 40; ++n) {
      ts += static_cast<Nanos>(random() % 3);
      if (open.empty() || random() % 2 == 0) {
        const auto row = replay.begin(ts, 0, kPlayed, kPlayed);
        REQUIRE(row.has_value());
        CHECK(tables.slices.depth[*row] == open.size());
        CHECK(tables.slices.parent[*row] == (open.empty() ? TraceTables::kNone : open.back()));
        open.push_back(*row);
        wanted.push_back(TraceTables::kUnfinished);
        continue;
      }
      REQUIRE(replay.end(ts, 0, kPlayed, kPlayed) == open.back());
      wanted[open.back()] = ts - tables.slices.ts[open.back()];
      open.pop_back();
    }
    for (std::uint32_t row = 0; row < tables.slices.size(); ++row) CHECK(tables.slices.dur[row] == wanted[row]);
  }
}

TEST_CASE("what was begun in a complete slice ends with it once that is over, and not at its very end") {
  const auto after = [](Nanos ts) {
    TraceTables tables;
    SliceReplay replay(tables);
    replay.complete(0, 10, 0, kPlayed, kPlayed);
    const auto begun = replay.begin(5, 0, kPlayed, kPlayed);
    const auto next = replay.complete(ts, 2, 0, kPlayed, kPlayed);
    REQUIRE(next.has_value());
    CHECK(tables.slices.depth[*next] == (replay.misplaced_ends == 0 ? 2 : 0));
    return std::pair(replay.misplaced_ends, tables.slices.dur[*begun]);
  };
  CHECK(after(9) == std::pair<std::uint64_t, Nanos>{0, TraceTables::kUnfinished});
  CHECK(after(10) == std::pair<std::uint64_t, Nanos>{0, TraceTables::kUnfinished});
  CHECK(after(11) == std::pair<std::uint64_t, Nanos>{1, 5});
}

TEST_CASE("an end passes over slices of other names and categories, and over those that are complete") {
  TraceTables tables;
  SliceReplay replay(tables);
  const StringId other{2};
  const auto outer = replay.begin(0, 0, kPlayed, kPlayed);
  const auto inner = replay.begin(1, 0, kPlayed, other);
  replay.complete(2, 9, 0, kPlayed, kPlayed);
  CHECK_FALSE(replay.end(3, 0, other, kPlayed).has_value());  // no such category
  CHECK(replay.end(4, 0, kPlayed, kPlayed) == outer);
  CHECK(tables.slices.dur[*outer] == 4);
  // What was begun in it ended with it.
  CHECK_FALSE(replay.end(5, 0, {}, {}).has_value());
  CHECK(tables.slices.dur[*inner] == 3);
  CHECK(replay.misplaced_ends == 1);
  CHECK_FALSE(replay.end(6, 1, {}, {}).has_value());
}

}  // namespace
}  // namespace lacuna

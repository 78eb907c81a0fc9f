#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "model/statistics/statistics.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Nested calls on several threads and overlapping kernels on two streams.
Trace random_trace(std::mt19937& random, int slices) {
  TraceMaker make;
  const auto name = [&] { return "name" + std::to_string(random() % 7); };
  for (const char* tid : {"1", "2"}) {
    Nanos t = 0;
    for (int i = 0; i < slices; ++i) {
      const Nanos length = 1 + static_cast<Nanos>(random() % 1000);
      make.thread(name(), t, t + length, random() % 3 == 0 ? "user_annotation" : "cpu_op", tid);
      if (length > 10) make.thread(name(), t + 2, t + length / 2, "cpu_op", tid);
      if (length > 10 && random() % 2 == 0) make.thread(name(), t + 3, t + length / 4 + 3, "cpu_op", tid);
      t += length + static_cast<Nanos>(random() % 50);
    }
  }
  for (int i = 0; i < slices; ++i) {
    const auto start = static_cast<Nanos>(random() % 100'000);
    make.kernel(name(), start, start + static_cast<Nanos>(random() % 500), 0, random() % 2 == 0 ? "7" : "8");
  }
  make.thread("PyTorch Profiler (0)", 0, 200'000, "Trace", "9");
  return make.build();
}

using Rows = std::map<std::pair<std::string, std::string>, StatisticsRow>;

Rows by_name(const Trace& trace, const Statistics& statistics) {
  Rows rows;
  for (const StatisticsRow& row : statistics.rows) {
    const auto [at, fresh] =
        rows.try_emplace({std::string(trace.text(row.name)), std::string(trace.category_name(row.category))}, row);
    CHECK(fresh);
  }
  return rows;
}

/// The definition, slice by slice: each takes its time from its parent's row.
Statistics by_definition(const Trace& trace, const StatisticsOptions& what) {
  Statistics all;
  const auto row_of = [&](const Lane& lane, std::uint32_t i) -> StatisticsRow& {
    const auto is_it = [&](const StatisticsRow& row) {
      return row.name == lane.name(i) && row.category == lane.category(i);
    };
    const auto found = std::ranges::find_if(all.rows, is_it);
    if (found != all.rows.end()) return *found;
    StatisticsRow& row = all.rows.emplace_back();
    row.name = lane.name(i);
    row.category = lane.category(i);
    return row;
  };
  for (const Track& track : trace.tracks()) {
    if (!what.tracks.empty() && std::ranges::find(what.tracks, track.id) == what.tracks.end()) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const bool is_in = lane.end(i) > what.range.begin && lane.start(i) < what.range.end;
        if (!is_in && (lane.duration(i) != 0 || !what.range.contains(lane.start(i)))) continue;
        const Nanos clipped = lane.span(i).intersect(what.range).duration();
        row_of(lane, i).add({id, i}, lane.duration(i), clipped);
        all.count(trace, track.kind, row_of(lane, i), clipped);
        if (track.kind != TrackKind::kThread || lane.parent(i) == Lane::kNoParent) continue;
        StatisticsRow& outer = row_of(trace.lane(LaneId{id.value - 1}), lane.parent(i));
        outer.self -= clipped;
        all.count(trace, track.kind, outer, -clipped);
      }
    }
  }
  return all;
}

std::vector<Nanos> durations(const Trace& trace, const StatisticsOptions& what, const StatisticsRow& row) {
  std::vector<Nanos> all;
  for (const Track& track : trace.tracks()) {
    if (!what.tracks.empty() && std::ranges::find(what.tracks, track.id) == what.tracks.end()) continue;
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const bool is_in = lane.end(i) > what.range.begin && lane.start(i) < what.range.end;
        const bool is_point = lane.duration(i) == 0 && what.range.contains(lane.start(i));
        if ((is_in || is_point) && lane.name(i) == row.name && lane.category(i) == row.category)
          all.push_back(lane.duration(i));
      }
  }
  std::ranges::sort(all);
  return all;
}

TEST_CASE("on several threads and in ranges: numbers and percentiles by their definition") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const Trace trace = random_trace(random, 1 + static_cast<int>(random() % (round % 6 == 0 ? 3000 : 80)));
    StatisticsOptions options;
    options.threads = 1 + static_cast<unsigned>(random() % 3);
    if (round % 3 != 0) {
      const auto begin = static_cast<Nanos>(random() % 60'000);
      options.range = {begin, begin + 1 + static_cast<Nanos>(random() % 40'000)};
    }
    if (round % 4 == 3) options.tracks = {trace.tracks()[random() % trace.tracks().size()].id};
    options.percentiles = round % 5 != 0;
    const Statistics expected = by_definition(trace, options);
    const Statistics got = compute_statistics(trace, options);
    CHECK(got.cpu_self == expected.cpu_self);
    CHECK(got.gpu_total == expected.gpu_total);
    const Rows want = by_name(trace, expected);
    const Rows have = by_name(trace, got);
    REQUIRE(have.size() == want.size());
    for (const auto& [key, row] : want) {
      const std::string name = key.first;
      CAPTURE(name);
      const auto found = have.find(key);
      REQUIRE(found != have.end());
      const StatisticsRow& other = found->second;
      CHECK(other.count == row.count);
      CHECK(other.total == row.total);
      CHECK(other.self == row.self);
      CHECK(other.min == row.min);
      CHECK(other.max == row.max);
      CHECK(other.longest == row.longest);
      CHECK(other.counted == row.counted);
      if (!options.percentiles) {
        CHECK(other.p50 == -1);
        CHECK(other.p99 == -1);
        continue;
      }
      const std::vector<Nanos> all = durations(trace, options, row);
      REQUIRE(all.size() == row.count);
      // Nearest rank: the first value with at least that part of all at or below it.
      const auto nearest = [&](double part) {
        std::size_t i = 0;
        while (static_cast<double>(i + 1) / static_cast<double>(all.size()) < part) ++i;
        return all[i];
      };
      CHECK(other.p50 == nearest(0.50));
      CHECK(other.p99 == nearest(0.99));
    }
  }
}

TEST_CASE("pieces of a long row add up, and are told of while they do") {
  TraceMaker make;
  for (Nanos i = 0; i < 200'000; ++i) make.kernel("k", i * 10, i * 10 + 1 + i % 5);
  const Trace trace = make.build();
  StatisticsOptions options;
  options.percentiles = true;
  options.every_ms = 0;
  double last = 0;
  std::uint64_t count = 0;
  options.progress = [&](const Statistics& so_far, double part) {
    CHECK(part > last);
    CHECK(part < 1);
    last = part;
    REQUIRE(so_far.rows.size() == 1);
    CHECK(so_far.rows[0].count > count);
    CHECK(so_far.rows[0].p50 < 0);
    count = so_far.rows[0].count;
  };
  const Statistics all = compute_statistics(trace, options);
  REQUIRE(all.rows.size() == 1);
  CHECK(all.rows[0].count == 200'000);
  CHECK(all.rows[0].p50 == 3);
  CHECK(all.rows[0].p99 == 5);
}

TEST_CASE("cancelled: at once, with what there is") {
  TraceMaker make;
  for (Nanos i = 0; i < 1000; ++i) make.kernel("k", i * 10, i * 10 + 1);
  const Trace trace = make.build();
  const std::atomic<bool> cancel{true};
  StatisticsOptions options;
  options.cancel = &cancel;
  CHECK(compute_statistics(trace, options).rows.empty());
}

}  // namespace
}  // namespace lacuna

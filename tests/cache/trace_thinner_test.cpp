// What a small trace of a large one keeps, against the definition of its cells.
#include "model/cache/trace_thinner.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "tests/support/rounds.h"

namespace lacuna {
namespace {

/// Marks and values of a counter, a few ns to some us apart, and nested slices.
Trace marks_and_values(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string json = R"([{"ph":"X","cat":"cpu_op","name":"all","pid":1,"tid":1,"ts":0,"dur":200})";
  int t = 0;
  for (int i = 0; i < 1500 && t < 200'000; ++i) {
    t += static_cast<int>(random() % (random() % 10 == 0 ? 2000 : 60));
    const int us = t / 1000, ns = t % 1000;
    if (random() % 2 == 0)
      json +=
          fmt::format(R"(,{{"ph":"i","s":"t","cat":"x","name":"m{}","pid":1,"tid":1,"ts":{}.{:03}}})", i % 7, us, ns);
    else
      json += fmt::format(R"(,{{"ph":"C","name":"c","pid":1,"tid":1,"ts":{}.{:03},"args":{{"v":{}}}}})", us, ns,
                          random() % 50);
    if (random() % 8 == 0)
      json += fmt::format(R"(,{{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":{}.{:03},"dur":0.0{}}})", us,
                          ns, 10 + random() % 30);
  }
  auto trace = import_json(json + "]");
  REQUIRE(trace.has_value());
  return std::move(*trace);
}

/// Numbers of the cells in which times lie: of the grid that their part of the trace has.
std::map<std::pair<int, Nanos>, std::vector<std::size_t>> cells_of(const std::vector<Nanos>& times,
                                                                   const ThinTrace& made, bool is_in_view) {
  std::map<std::pair<int, Nanos>, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const int part = times[i] < made.span.begin ? 0 : times[i] < made.span.end ? 1 : 2;
    const Nanos width = part == 1 && is_in_view ? made.fold_ns : made.outer_ns;
    cells[{part, times[i] / width}].push_back(i);
  }
  return cells;
}

TEST_CASE("of each cell the first mark is kept, and of values the peaks and the last") {
  for (std::uint32_t seed = 0; seed < rounds(24u, 8u); ++seed) {
    const Trace all = marks_and_values(seed);
    const std::vector<FoldIndex> folds = FoldIndex::build(all.lanes());
    TraceThinner thinner(all, folds, {"a.json"});
    ThinView view;
    view.span = {static_cast<Nanos>(30'000 + 100 * seed), static_cast<Nanos>(60'000 + 777 * seed)};
    view.fold_ns = 1 + static_cast<Nanos>(seed) * 150;
    const TrackId other = all.tracks().back().id;
    if (seed % 3 == 2) view.tracks = {other};
    const ThinTrace made = thinner.make(view);
    CHECK(made.fold_ns == view.fold_ns);
    std::size_t kept = 0, joined = 0;
    for (const Track& from : all.tracks()) {
      const Track& to = made.trace.track(from.id);
      const bool is_in_view = view.tracks.empty() || from.id == other;
      CAPTURE(seed);
      CAPTURE(from.id.value);
      std::vector<Nanos> times;
      for (const Instant& instant : from.instants) times.push_back(instant.time);
      std::vector<std::pair<Nanos, std::string>> marks, expected_marks;
      for (const Instant& instant : to.instants) marks.emplace_back(instant.time, made.trace.text(instant.name));
      for (const auto& [cell, members] : cells_of(times, made, is_in_view)) {
        const Instant& first = from.instants[members.front()];
        expected_marks.emplace_back(first.time, all.text(first.name));
        joined += members.size() > 1;
      }
      CHECK(marks == expected_marks);

      times.assign(from.counter.times.begin(), from.counter.times.end());
      std::vector<std::pair<Nanos, double>> values, expected_values;
      for (std::size_t i = 0; i < to.counter.times.size(); ++i)
        values.emplace_back(to.counter.times[i], to.counter.values[i]);
      for (const auto& [cell, members] : cells_of(times, made, is_in_view)) {
        std::vector<std::pair<Nanos, double>> of_cell;
        for (const std::size_t i : members) of_cell.emplace_back(times[i], from.counter.values[i]);
        if (of_cell.size() > 3) {
          const auto [least, greatest] = std::ranges::minmax_element(of_cell, {}, &std::pair<Nanos, double>::second);
          const double low = least->second, high = greatest->second;
          of_cell = {{of_cell[0].first, high}, {of_cell[1].first, low}, of_cell.back()};
        }
        expected_values.insert(expected_values.end(), of_cell.begin(), of_cell.end());
      }
      CHECK(values == expected_values);
      kept += marks.size() + values.size();
    }
    CHECK(kept > 20);
    CHECK((seed == 0 || joined > 0));
  }
}

TEST_CASE("a kept slice is the child of the one above that holds it, and of none where nothing does") {
  const Trace all = marks_and_values(3);
  const std::vector<FoldIndex> folds = FoldIndex::build(all.lanes());
  TraceThinner thinner(all, folds, {"a.json"});
  std::size_t children = 0;
  for (const Nanos fold_ns : {Nanos{1}, Nanos{100}, Nanos{2000}}) {
    const Trace thin = thinner.make({.span = all.span(), .fold_ns = fold_ns, .tracks = {}}).trace;
    for (std::uint32_t l = 0; l < thin.lanes().size(); ++l) {
      const Lane& lane = thin.lanes()[l];
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        std::uint32_t parent = Lane::kNoParent;
        if (lane.depth > 0) {
          const Lane& above = thin.lanes()[l - 1];
          for (std::uint32_t p = 0; p < above.size(); ++p)
            if (above.start(p) <= lane.start(i) && above.end(p) >= lane.end(i)) parent = p;
        }
        CHECK(lane.parent(i) == parent);
        children += parent != Lane::kNoParent;
      }
    }
  }
  CHECK(children > 50);
}

}  // namespace
}  // namespace lacuna

#include "model/base/stable_sort.h"

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/sort_runs.h"

using namespace lacuna;

namespace {

struct Row {
  int key = 0;
  std::string name;
  bool operator==(const Row&) const = default;
};

}  // namespace

TEST_CASE("rows are sorted as std::ranges::stable_sort does it") {
  std::mt19937 random(7);
  for (std::size_t count = 0; count < 300; ++count) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back({static_cast<int>(random() % (1 + random() % 40)), "row " + std::to_string(i)});
    std::vector<Row> expected = rows;
    std::ranges::stable_sort(expected, std::ranges::greater{}, &Row::key);
    std::vector<Row> sorted = rows;
    sort_stably(sorted, std::ranges::greater{}, &Row::key);
    REQUIRE(sorted == expected);

    // A part of them, by a function of two rows.
    const auto before = [](const Row& a, const Row& b) { return a.key < b.key; };
    std::ranges::stable_sort(expected.begin() + static_cast<std::ptrdiff_t>(count / 3), expected.end(), before);
    sort_stably(std::span(sorted).subspan(count / 3), before);
    REQUIRE(sorted == expected);
  }
}

TEST_CASE("rows that can only be moved are sorted") {
  std::vector<std::unique_ptr<int>> rows;
  for (const int value : {3, 1, 2, 0}) rows.push_back(std::make_unique<int>(value));
  sort_stably(rows, {}, [](const std::unique_ptr<int>& row) { return *row; });
  for (int i = 0; i < 4; ++i) CHECK(*rows[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("rows that come in runs, and rows in no order, are merged as std::ranges::stable_sort does it") {
  std::mt19937 random(8);
  for (std::size_t count = 0; count < 400; ++count) {
    std::vector<Row> rows;
    const std::size_t length = 1 + random() % (count + 1);  // of a run, about
    int key = 0;
    for (std::size_t i = 0; i < count; ++i) {
      key = random() % length == 0 ? 0 : key + static_cast<int>(random() % 3);
      rows.push_back({key, "row " + std::to_string(i)});
    }
    std::vector<Row> expected = rows;
    std::ranges::stable_sort(expected, {}, &Row::key);
    sort_runs(rows, [](const Row& a, const Row& b) { return a.key < b.key; });
    REQUIRE(rows == expected);
  }
}

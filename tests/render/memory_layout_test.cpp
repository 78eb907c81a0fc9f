// Charts of memory: areas and bands on pixels.
#include "render/memory_layout.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"

namespace lacuna {
namespace {

/// Three pieces on a device that held 100 bytes before: [0, end), [10, 60), [20, 40) in units of 1 us.
MemoryTable three_pieces() {
  MemoryTable table;
  table.times = {10'000, 20'000, 40'000, 60'000};
  table.active = {100, 300, 700, 300, 100};
  table.pieces = {
      {.bytes = 100, .begin = 0}, {.bytes = 200, .begin = 1, .end = 4}, {.bytes = 400, .begin = 2, .end = 3}};
  table.finish();
  return table;
}

HolderAreas two_areas() {
  HolderAreas areas;
  areas.areas = {{.name = "a", .most = 200, .moments = {1, 4}, .bytes = {200, 0}},
                 {.name = "b", .most = 400, .moments = {2, 3}, .bytes = {400, 0}}};
  areas.area_of = {0, 0, 1};
  return areas;
}

float total_height(const MemoryDrawList& list, float x) {
  float sum = 0;
  for (const MemoryRect& rect : list.rects)
    if (rect.x0 <= x && x < rect.x1) sum += rect.y1 - rect.y0;
  return sum;
}

TEST_CASE("areas: each column shows its moment with most bytes, and adds up to them") {
  const MemoryTable table = three_pieces();
  MemoryDrawList list;
  layout_memory_areas({&table, {0, 100'000}, 10, 735}, two_areas(), list);
  CHECK(list.top == 735);  // 700, and a twentieth
  REQUIRE(list.moments.size() == 10);
  // The column from 10 to 20 us holds 300, that from 20 to 30 the 700.
  CHECK(list.moments[0] == 0);
  CHECK(list.moments[1] == 1);
  CHECK(list.moments[2] == 2);
  for (std::size_t c = 0; c < 10; ++c)
    CHECK(total_height(list, static_cast<float>(c)) ==
          doctest::Approx(static_cast<double>(table.active[list.moments[c]])));
  const MemoryRect* under = memory_rect_at(list, 2.5f, 730);
  REQUIRE(under != nullptr);
  CHECK(under->what == 0);
  CHECK(memory_rect_at(list, 2.5f, 735 - 250)->what == 1);
  CHECK(memory_rect_at(list, 2.5f, 735 - 650)->what == kRest);
  CHECK(memory_rect_at(list, 2.5f, 10) == nullptr);
}

TEST_CASE("a column as wide as everything still shows the peak") {
  const MemoryTable table = three_pieces();
  MemoryDrawList list;
  layout_memory_areas({&table, {0, 100'000}, 1, 735}, two_areas(), list);
  CHECK(list.moments == std::vector<std::uint32_t>{2});
}

TEST_CASE("bands: the oldest below, one rectangle as long as nothing below it changes, the rest said") {
  const MemoryTable table = three_pieces();
  MemoryDrawList list;
  layout_memory_bands({&table, {0, 100'000}, 100, 735}, list);
  CHECK(list.drawn == 3);
  CHECK(list.in_view == 3);
  CHECK(list.rest_at_peak == 0);
  CHECK(std::ranges::count(list.rects, 0u, &MemoryRect::what) == 1);
  const auto second = std::ranges::find(list.rects, 1u, &MemoryRect::what);
  REQUIRE(second != list.rects.end());
  CHECK(second->x0 == doctest::Approx(10));
  CHECK(second->x1 == doctest::Approx(60));
  CHECK(second->y1 == doctest::Approx(635));
  // Too low to be drawn alone: 7 px for 735 bytes leave 0.08 px for 8.
  MemoryTable small = table;
  small.pieces[0].bytes = 8;
  small.finish();
  layout_memory_bands({&small, {0, 100'000}, 100, 7}, list);
  CHECK(list.drawn == 2);
  CHECK(list.rest_at_peak == 100);
}

TEST_CASE("zoomed to a part: only what is held there, by what is highest there") {
  const MemoryTable table = three_pieces();
  MemoryDrawList list;
  layout_memory_bands({&table, {70'000, 90'000}, 20, 105}, list);
  CHECK(list.top == 105);
  CHECK(list.in_view == 1);
  REQUIRE(list.rects.size() == 1);
  CHECK(list.rects[0].x1 == 20);
}

}  // namespace
}  // namespace lacuna

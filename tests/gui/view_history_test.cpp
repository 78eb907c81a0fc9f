#include "app/gui/models/navigation/view_history.h"

#include <doctest/doctest.h>

namespace lacuna {
namespace {

ViewPlace at(Nanos begin, float scroll = 0) {
  return {Camera::at(begin, 0, 1000), scroll};
}
constexpr double kWidth = 1000;

TEST_CASE("back and forward") {
  ViewHistory history;
  CHECK(!history.step(-1));
  history.note(at(0), 0, 0, kWidth);
  CHECK(!history.can_step(-1));
  history.note(at(1'000'000), 1, 10, kWidth);
  history.note(at(2'000'000), 2, 20, kWidth);
  REQUIRE(history.size() == 3);
  CHECK(history.step(-1)->camera.begin() == 1'000'000);
  history.note(at(1'000'000), 3, 21, kWidth);  // it arrives
  CHECK(history.step(-1)->camera.begin() == 0);
  CHECK(!history.step(-1));
  CHECK(history.step(1)->camera.begin() == 1'000'000);
  CHECK(history.step(1)->camera.begin() == 2'000'000);
  CHECK(!history.step(1));
}

TEST_CASE("a place brings back what was selected there last") {
  ViewHistory history;
  const auto with = [](ViewPlace place, std::uint32_t index) {
    place.selection.slice = {LaneId{1}, index};
    return place;
  };
  history.note(at(0), 0, 0, kWidth);
  history.note(with(at(0), 7), 0, 5, kWidth);  // the same place
  history.note(with(at(1'000'000), 8), 1, 10, kWidth);
  REQUIRE(history.size() == 2);
  CHECK(history.step(-1)->selection.slice == SliceId{LaneId{1}, 7});
  CHECK(history.step(1)->selection.slice == SliceId{LaneId{1}, 8});
  history.forget_selections();
  CHECK(history.step(-1)->selection.empty());
}

TEST_CASE("going elsewhere forgets what lay ahead") {
  ViewHistory history;
  for (int i = 0; i < 4; ++i) history.note(at(i * 1'000'000), static_cast<unsigned>(i), i * 10, kWidth);
  history.step(-1);
  history.step(-1);
  history.note(at(9'000'000), 5, 40.1, kWidth);
  CHECK(history.size() == 3);
  CHECK(!history.can_step(1));
  CHECK(history.step(-1)->camera.begin() == 1'000'000);
}

TEST_CASE("one movement is one place, jumps are one each") {
  ViewHistory history;
  history.note(at(0), 0, 0, kWidth);
  for (int i = 1; i <= 50; ++i) history.note(at(i * 10'000), 0, 5 + i * 0.02, kWidth);
  CHECK(history.size() == 2);
  history.note(at(900'000), 0, 20, kWidth);  // later: another movement
  CHECK(history.size() == 3);
  history.note(at(1'900'000), 1, 20.1, kWidth);
  history.note(at(2'900'000), 2, 20.2, kWidth);
  CHECK(history.size() == 5);
}

TEST_CASE("rounding and half pixels are no other place; scrolling is") {
  ViewHistory history;
  history.note(at(0), 0, 0, kWidth);
  history.note(at(400), 1, 10, kWidth);
  CHECK(history.size() == 1);
  history.note(at(400, 50), 1, 20, kWidth);
  CHECK(history.size() == 2);
}

TEST_CASE("it does not grow for ever") {
  ViewHistory history;
  for (int i = 0; i < 1000; ++i) history.note(at(i * 1'000'000), static_cast<unsigned>(i), i, kWidth);
  CHECK(history.size() == 200);
  CHECK(history.current() == 199);
  CHECK(history.step(-1)->camera.begin() == 998'000'000);
}

}  // namespace
}  // namespace lacuna

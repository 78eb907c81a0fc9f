#include "app/cli/option_values.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("pixel sizes") {
  const auto size = parse_pixel_size("1600x900");
  REQUIRE(size);
  CHECK(size->width == 1600);
  CHECK(size->height == 900);
  for (const char* bad : {"", "x", "1600", "1600x", "x900", "0x900", "1600x0", "-1x5", "16 x9", "1x2x3", "1600X900",
                          "99999999999x1", "1.5x2"})
    CHECK_FALSE(parse_pixel_size(bad));
}

TEST_CASE("microseconds become nanoseconds exactly") {
  CHECK(parse_microseconds("12.5") == 12'500);
  CHECK(parse_microseconds("0") == 0);
  CHECK(parse_microseconds("-3") == -3'000);
  CHECK(parse_microseconds("1712195495406752.797") == 1712195495406752797);
  CHECK(parse_microseconds("0.001") == 1);
  for (const char* bad : {"", "abc", "1us", "nan", "inf", "0x10", "99999999999999999999"})
    CHECK_FALSE(parse_microseconds(bad));
}

TEST_CASE("durations") {
  CHECK(parse_duration("2s") == 2'000'000'000);
  CHECK(parse_duration("2.5") == 2'500'000'000);
  CHECK(parse_duration("500ms") == 500'000'000);
  CHECK(parse_duration("1.5m") == 90'000'000'000);
  CHECK(parse_duration("24m") == 1'440'000'000'000);
  CHECK(parse_duration("8h") == 28'800'000'000'000);
  for (const char* bad : {"", "s", "0", "0s", "-1s", "2 s", "25h", "2d", "ms", "1e3s", "2000m", "nan", "1..5s"})
    CHECK_FALSE(parse_duration(bad));
}

TEST_CASE("threads: no more than a machine has") {
  for (const char* good : {"0", "1", "1024"}) CHECK(is_thread_count(good).empty());
  for (const char* bad : {"", "-1", "1025", "1000000", "99999999999", "x"}) CHECK_FALSE(is_thread_count(bad).empty());
}

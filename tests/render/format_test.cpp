#include "render/format.h"

#include <cmath>
#include <limits>
#include <string_view>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("durations have three digits and the right unit") {
  struct Row {
    Nanos ns;
    std::string_view text;
  };
  constexpr Row kRows[] = {
      {0, "0 ns"},
      {1, "1 ns"},
      {812, "812 ns"},
      {999, "999 ns"},
      {1000, "1.00 \u00b5s"},
      {1004, "1.00 \u00b5s"},
      {1005, "1.01 \u00b5s"},
      {3210, "3.21 \u00b5s"},
      {9994, "9.99 \u00b5s"},
      {9995, "10.0 \u00b5s"},
      {12'340, "12.3 \u00b5s"},
      {99'949, "99.9 \u00b5s"},
      {99'950, "100 \u00b5s"},
      {123'456, "123 \u00b5s"},
      {999'499, "999 \u00b5s"},
      {999'500, "1.00 ms"},
      {999'999, "1.00 ms"},  // 999.999 µs
      {1'000'000, "1.00 ms"},
      {1'230'000, "1.23 ms"},
      {12'345'678, "12.3 ms"},
      {999'499'999, "999 ms"},
      {999'500'000, "1.00 s"},
      {1'234'567'890, "1.23 s"},
      {59'949'999'999, "59.9 s"},
      {59'950'000'000, "1 min 00.0 s"},
      {60'000'000'000, "1 min 00.0 s"},
      {123'400'000'000, "2 min 03.4 s"},
      {3'599'949'999'999, "59 min 59.9 s"},
      {3'599'950'000'000, "1 h 00 min"},
      {3'720'000'000'000, "1 h 02 min"},
      {86'369'999'999'999, "23 h 59 min"},
      {86'370'000'000'000, "1 d 00 h"},
      {604'800'000'000'000, "7 d 00 h"},
      {std::numeric_limits<Nanos>::max(), "106752 d 00 h"},
      {-1, "-1 ns"},
      {-1'230'000, "-1.23 ms"},
      {std::numeric_limits<Nanos>::min(), "-106752 d 00 h"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.ns);
    CHECK(format_duration(row.ns) == row.text);
  }
}

TEST_CASE("short durations fit into a string without allocating") {
  for (const Nanos ns : {Nanos{999'999}, Nanos{59'000'000'000}, Nanos{3'500'000'000'000}, Nanos{80'000'000'000'000}})
    CHECK(format_duration(ns).size() <= 15);
}

TEST_CASE("exact durations keep every digit") {
  CHECK(format_duration_exact(0) == "0 ns");
  CHECK(format_duration_exact(812) == "812 ns");
  CHECK(format_duration_exact(3210) == "3.21 \u00b5s");
  CHECK(format_duration_exact(3001) == "3.001 \u00b5s");
  CHECK(format_duration_exact(5000) == "5 \u00b5s");
  CHECK(format_duration_exact(1'294'789'000) == "1,294.789 ms");
  CHECK(format_duration_exact(1'294'789'001) == "1,294.789001 ms");
  CHECK(format_duration_exact(12'000'000'001) == "12.000000001 s");
  CHECK(format_duration_exact(-2'500'000) == "-2.5 ms");
  CHECK(format_duration_exact(std::numeric_limits<Nanos>::max()) == "9,223,372,036.854775807 s");
  CHECK(format_duration_exact(std::numeric_limits<Nanos>::min()) == "-9,223,372,036.854775808 s");
}

TEST_CASE("counts have their thousands separated") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1465) == "1,465");
  CHECK(format_count(1'000'000) == "1,000,000");
  CHECK(format_count(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("percentages never claim all or nothing too early") {
  CHECK(format_percent(0) == "0 %");
  CHECK(format_percent(1) == "100 %");
  CHECK(format_percent(0.973) == "97.3 %");
  CHECK(format_percent(0.61349) == "61.3 %");
  CHECK(format_percent(1e-9) == "< 0.1 %");
  CHECK(format_percent(0.00099) == "< 0.1 %");
  CHECK(format_percent(0.001) == "0.1 %");
  CHECK(format_percent(0.9994) == "99.9 %");
  CHECK(format_percent(0.9995) == "> 99.9 %");
  CHECK(format_percent(0.9999999) == "> 99.9 %");
  CHECK(format_percent(1.5) == "150.0 %");
  CHECK(format_percent(-0.05) == "-5.0 %");
  CHECK(format_percent(std::nan("")) == "-");
}

TEST_CASE("bytes are in powers of 1024") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1,023 B");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(1'428'076'626) == "1.33 GiB");
  CHECK(format_bytes(1000 * 1024) == "1,000 KiB");
  CHECK(format_bytes(1024 * 1024 - 1) == "1.00 MiB");
  CHECK(format_bytes(85'899'345'920) == "80.0 GiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16.00 EiB");
}

TEST_CASE("counter values are short") {
  CHECK(format_value(0) == "0");
  CHECK(format_value(-0.5) == "-0.5");
  CHECK(format_value(12) == "12");
  CHECK(format_value(3.14159) == "3.142");
  CHECK(format_value(9999.4) == "9999");
  CHECK(format_value(9999.6) == "10,000");
  CHECK(format_value(-1465000) == "-1,465,000");
  CHECK(format_value(1.234e15) == "1.23e+15");
  CHECK(format_value(INFINITY) == "inf");
  CHECK(format_value(NAN) == "nan");
}

TEST_CASE("glyphs are counted, not bytes") {
  CHECK(glyph_count("") == 0);
  CHECK(glyph_count("12 ms") == 5);
  CHECK(glyph_count("1.00 \u00b5s") == 7);
}

TEST_CASE("nouns stand behind a number as they are spoken") {
  CHECK(counted(1, "row") == "1 row");
  CHECK(counted(0, "row") == "0 rows");
  CHECK(counted(1'234, "GPU activity") == "1,234 GPU activities");
  CHECK(counted(2, "key") == "2 keys");
  CHECK(counted(2, "process") == "2 processes");
  CHECK(counted(2, "launch") == "2 launches");
  CHECK(counted(1, "launch") == "1 launch");
}

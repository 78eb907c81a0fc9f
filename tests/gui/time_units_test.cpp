#include "app/gui/models/units/time_units.h"

#include <doctest/doctest.h>

#include "render/format.h"
#include "tests/render/track_maker.h"

namespace lacuna {
namespace {

Trace trace_at(Nanos start, Nanos base, bool has_base) {
  TrackMaker make;
  make.source().base_time_ns = base;
  make.source().has_base_time = has_base;
  return make.thread("1", "10").slice("op", start, 1'000).make();
}

TEST_CASE("times from the start, of the file, of the day, from a marker") {
  const Nanos base = 1'700'000'000'000'000'000;  // 2023-11-14 22:13:20 UTC
  const Trace trace = trace_at(1'500'000'000, base, true);
  const auto text = [&](TimeUnit unit, Nanos t, Nanos marker = 0) {
    return time_in_unit(axis_for(trace, unit, marker), unit, {}, t);
  };
  CHECK(text(TimeUnit::kStart, 1'500'000'000) == "0 ns");
  CHECK(text(TimeUnit::kStart, 1'500'002'500) == "2.50 \xC2\xB5s");
  CHECK(text(TimeUnit::kAbsolute, 1'500'000'001) == "22:13:21.500000001");
  CHECK(text(TimeUnit::kAbsolute, 6'400'000'000'000) == "24:00:00.000000000");
  CHECK(text(TimeUnit::kMarker, 1'500'000'000, 1'500'000'250) == "-250 ns");
  // Files that do not say when they began: their own times.
  const Trace bare = trace_at(5'000, 0, false);
  CHECK(time_in_unit(axis_for(bare, TimeUnit::kAbsolute, 0), TimeUnit::kAbsolute, {}, 5'000) == "5.00 \xC2\xB5s");
}

TEST_CASE("a time of day before 1970 is one, too") {
  const Trace trace = trace_at(0, -1'000'000'000, true);
  const TimeAxis axis = axis_for(trace, TimeUnit::kAbsolute, 0);
  CHECK(format_time(axis, 0) == "23:59:59.000000000");
}

TEST_CASE("times in steps") {
  const Trace trace = trace_at(0, 0, false);
  const TimeAxis axis = axis_for(trace, TimeUnit::kSteps, 0);
  const std::vector<Step> steps = {{7, {1'000, 2'000}}, {8, {2'500, 3'000}}};
  const auto text = [&](Nanos t) { return time_in_unit(axis, TimeUnit::kSteps, steps, t); };
  CHECK(text(1'000) == "step 7");
  CHECK(text(1'400) == "step 7 + 400 ns");
  CHECK(text(2'200) == "step 7 + 1.20 \xC2\xB5s");  // between two
  CHECK(text(2'500) == "step 8");
  CHECK(text(900) == "step 7 \xE2\x88\x92 100 ns");
  CHECK(time_in_unit(axis, TimeUnit::kSteps, {}, 900) == "900 ns");
}

TEST_CASE("a time in view tells neighbouring pixels apart") {
  const auto text = [](Nanos offset, Nanos step) {
    std::string out;
    append_offset(out, offset, step);
    return out;
  };
  CHECK(text(130'811'234, 0) == "131 ms");
  CHECK(text(130'811'234, 1) == "130.811234 ms");
  CHECK(text(130'811'234, 1'000) == "130.811 ms");
  CHECK(text(130'811'234, 1'000'000) == "131 ms");  // three digits at least
  CHECK(text(-130'811'234, 1'000) == "-130.811 ms");
  CHECK(text(1'234, 1) == "1.234 \xC2\xB5s");
  CHECK(text(0, 1) == format_duration(0));
  CHECK(time_step(1.0) == 1);
  CHECK(time_step(0.01) == 1);
  CHECK(time_step(99.9) == 10);
  CHECK(time_step(100.0) == 100);
  CHECK(time_step(1e30) > 0);
}

TEST_CASE("clock labels have the decimals that the step needs") {
  const auto label = [](Nanos offset, Nanos step) {
    std::string out;
    append_clock(out, offset, step);
    return out;
  };
  const Nanos t = ((Nanos{14} * 60 + 3) * 60 + 12) * 1'000'000'000 + 250'000'000;
  CHECK(label(t, 1'000'000'000) == "14:03:12");
  CHECK(label(t, 50'000'000) == "14:03:12.25");
  CHECK(label(t, 100) == "14:03:12.2500000");
  CHECK(label(t, 1) == "14:03:12.250000000");
  CHECK(label(-1'000'000'000, 1'000'000'000) == "-00:00:01");
}

}  // namespace
}  // namespace lacuna

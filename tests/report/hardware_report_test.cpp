// What the counters of a GPU's hardware say, of recordings that are written down here.

#include "model/report/hardware_report.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/trace/hardware_tracks.h"

using namespace lacuna;

namespace {

constexpr Nanos kHardwareMs = 1'000'000;

struct CounterSample {
  double ms;
  double value;
};

/// The counters of one GPU; times in ms.
struct MadeHardware {
  std::vector<CounterSample> clock, busy;
  std::vector<std::pair<std::string, std::vector<CounterSample>>> reasons;
  std::string process = "Hardware of GPU 0: NVIDIA H100";

  Trace trace() const {
    std::string events =
        fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", kHardwarePid, process);
    add(events, kSmClockCounter, kSmClockSeries, clock);
    add(events, kGpuBusyCounter, kGpuBusySeries, busy);
    for (const auto& [reason, samples] : reasons) add(events, kThrottledCounter, reason, samples);
    Result<Trace> trace = import_json(fmt::format(R"({{"traceEvents":[{}]}})", events));
    REQUIRE(trace.has_value());
    return std::move(*trace);
  }
  /// Of the only GPU, in [0, end) ms.
  HardwareReport report(double end, double begin = 0) const {
    const std::vector<HardwareReport> reports = report_hardware(trace(), SourceId{0}, span(begin, end));
    REQUIRE(reports.size() == 1);
    return reports[0];
  }
  static TimeSpan span(double begin, double end) {
    return {static_cast<Nanos>(begin * kHardwareMs), static_cast<Nanos>(end * kHardwareMs)};
  }

 private:
  static void add(std::string& events, std::string_view counter, std::string_view series,
                  const std::vector<CounterSample>& samples) {
    for (const CounterSample& sample : samples)
      events += fmt::format(R"(,{{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"{}":{}}}}})", counter, kHardwarePid,
                            sample.ms * 1000, series, sample.value);
  }
};

}  // namespace

TEST_CASE("hardware: clocks count by time, and only at work") {
  MadeHardware made;
  made.clock = {{0, 1000}, {100, 2000}, {400, 500}};
  made.busy = {{0, 50}, {300, 49}, {400, 100}};
  const HardwareReport report = made.report(500);
  CHECK(report.gpu == "GPU 0");
  CHECK(report.at_work == 400 * kHardwareMs);  // 0 to 300 and 400 to 500
  CHECK(report.mean_mhz == doctest::Approx((100.0 * 1000 + 200.0 * 2000 + 100.0 * 500) / 400));
  CHECK(report.usual_mhz == 2000);
  CHECK(report.held.empty());
}

TEST_CASE("hardware: without a counter of work all of the time is work; without a clock there is no report") {
  MadeHardware made;
  made.clock = {{0, 1000}};
  CHECK(made.report(500).at_work == 500 * kHardwareMs);
  CHECK(made.report(500, 200).at_work == 300 * kHardwareMs);
  // Nothing is known before the first sample of the clock.
  made.clock = {{120, 1000}};
  CHECK(made.report(500).at_work == 380 * kHardwareMs);
  CHECK(made.report(100).at_work == 0);
  CHECK(made.report(100).usual_mhz == 0);
  CHECK(made.report(100).mean_mhz == 0);
  made.busy = {{0, 10}};
  CHECK(made.report(500).at_work == 0);
  made.clock = {};
  CHECK(report_hardware(made.trace(), SourceId{0}, MadeHardware::span(0, 500)).empty());
  made.clock = {{0, 1000}};
  CHECK(report_hardware(made.trace(), SourceId{1}, MadeHardware::span(0, 500)).empty());
  made.process = "python";
  CHECK(report_hardware(made.trace(), SourceId{0}, MadeHardware::span(0, 500)).empty());
}

TEST_CASE("hardware: the usual clock is reached for a tenth of the time at work") {
  for (const auto& [ms, usual] : {std::pair{100.0, 2000.0}, {99.0, 1500.0}}) {
    MadeHardware made;
    made.clock = {{0, 2000}, {ms, 1500}};
    CHECK(made.report(1000).usual_mhz == usual);
  }
}

TEST_CASE("hardware: how far a clock must have fallen, for how long, with a reason and without") {
  struct Case {
    double mhz;
    double ms;
    bool has_reason;
    bool falls;
  };
  for (const Case& one : {Case{1800, 3000, false, false}, Case{1799, 3000, false, true}, Case{1799, 2000, false, true},
                          Case{1799, 1999, false, false}, Case{1960, 3000, true, false}, Case{1959, 3000, true, true},
                          Case{1959, 100, true, true}, Case{1959, 99, true, false}, Case{1959, 3000, false, false}}) {
    CAPTURE(one.mhz);
    CAPTURE(one.ms);
    CAPTURE(one.has_reason);
    MadeHardware made;
    made.clock = {{0, 2000}, {5000, one.mhz}, {5000 + one.ms, 2000}};
    if (one.has_reason) made.reasons = {{"power cap", {{0, 0}, {5000, 1}, {5000 + one.ms, 0}}}};
    const HardwareReport report = made.report(10'000);
    REQUIRE(report.falls.size() == (one.falls ? 1 : 0));
    CHECK(report.fall_count == report.falls.size());
    if (!one.falls) continue;
    CHECK(report.falls[0].span == MadeHardware::span(5000, 5000 + one.ms));
    CHECK(report.falls[0].lowest_mhz == one.mhz);
    CHECK(report.falls[0].reason == (one.has_reason ? "power cap" : ""));
  }
}

TEST_CASE("hardware: a GPU that has nothing to do has not fallen") {
  MadeHardware made;
  made.clock = {{0, 2000}, {5000, 300}, {9000, 2000}};
  made.busy = {{0, 100}, {5000, 0}, {9000, 100}};
  CHECK(made.report(12'000).falls.empty());
}

TEST_CASE("hardware: falls close to each other are one, with all reasons and the lowest clock") {
  const auto falls = [](double pause) {
    MadeHardware made;
    made.clock = {{0, 2000}, {3000, 1500}, {4000, 1000}, {5000, 2000}, {5000 + pause, 1200}, {7000, 2000}};
    made.reasons = {{"power cap", {{0, 0}, {3000, 1}, {4000, 0}}}, {"too hot", {{0, 0}, {5000 + pause, 1}, {7000, 0}}}};
    return made.report(20'000).falls;
  };
  const auto one = falls(500);
  REQUIRE(one.size() == 1);
  CHECK(one[0].span == MadeHardware::span(3000, 7000));
  CHECK(one[0].lowest_mhz == 1000);
  CHECK(one[0].reason == "power cap, too hot");
  const auto two = falls(501);
  REQUIRE(two.size() == 2);
  CHECK(two[0].span == MadeHardware::span(3000, 5000));  // the longer one first
  CHECK(two[0].reason == "power cap");
  CHECK(two[1].reason == "too hot");
  CHECK(two[1].lowest_mhz == 1200);
}

TEST_CASE("hardware: the longest falls are listed, all are counted, and the window cuts them") {
  MadeHardware made;
  made.clock = {{0, 2000}};
  for (int n = 0; n < 7; ++n) {
    made.clock.push_back({10'000.0 * (n + 1), 1000});
    made.clock.push_back({10'000.0 * (n + 1) + 3000 + 100 * n, 2000});
  }
  const HardwareReport report = made.report(100'000);
  CHECK(report.fall_count == 7);
  REQUIRE(report.falls.size() == kMostClockFalls);
  for (std::size_t f = 0; f < report.falls.size(); ++f)
    CHECK(report.falls[f].span.duration() == static_cast<Nanos>(3600 - 100 * f) * kHardwareMs);
  const HardwareReport part = made.report(72'500, 60'500);
  REQUIRE(part.falls.size() == 2);
  CHECK(part.falls[0].span == MadeHardware::span(60'500, 63'500));
  CHECK(part.falls[1].span == MadeHardware::span(70'000, 72'500));
}

TEST_CASE("hardware: reasons hold at work alone, the longest first") {
  MadeHardware made;
  made.clock = {{0, 2000}};
  made.busy = {{0, 100}, {900, 0}};
  made.reasons = {{"power cap", {{0, 1}, {100, 0}}}, {"too hot", {{300, 1}}}, {"never", {{0, 0}}}};
  const HardwareReport report = made.report(1000);
  REQUIRE(report.held.size() == 2);
  CHECK(report.held[0].reason == "too hot");
  CHECK(report.held[0].time == 600 * kHardwareMs);
  CHECK(report.held[1].reason == "power cap");
  CHECK(report.held[1].time == 100 * kHardwareMs);
}

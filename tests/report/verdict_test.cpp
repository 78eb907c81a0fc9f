// Verdicts and how far they are trusted, of numbers that are written down here.

#include <set>
#include <string_view>

#include <doctest/doctest.h>

#include "model/report/report_parts.h"

using namespace lacuna;

namespace {

constexpr Nanos kWall = 1000;

/// A GPU by what its time was: of communication, so much was hidden.
struct MadeDevice {
  Nanos compute = 0, communication = 0, hidden = 0, copies = 0, sets = 0, waiting = 0, busy = 0;
  std::vector<std::pair<GapCause, Nanos>> lost = {};

  GpuVerdict judge() const {
    DeviceReport device;
    device.use.wall = kWall;
    device.use.compute = compute;
    device.use.communication = communication;
    device.use.overlap = hidden;
    const auto set = [&](TimeKind kind, Nanos time) { device.use.by_kind[static_cast<std::size_t>(kind)] = time; };
    set(TimeKind::kMemcpy, copies);
    set(TimeKind::kMemset, sets);
    set(TimeKind::kWaiting, waiting);
    device.busy = busy;
    device.idle = kWall - busy;
    for (const auto& [cause, time] : lost) device.by_cause[static_cast<std::size_t>(cause)] = time;
    return judge_device(device);
  }
};

}  // namespace

TEST_CASE("verdict: every bound has a name and a key of its own, every cause a bound") {
  std::set<std::string_view> names, keys;
  for (int b = 0; b <= static_cast<int>(Bound::kProgramGil); ++b) {
    names.insert(bound_name(static_cast<Bound>(b)));
    keys.insert(bound_key(static_cast<Bound>(b)));
  }
  CHECK(names.size() == static_cast<std::size_t>(Bound::kProgramGil) + 1);
  CHECK(keys.size() == names.size());
  std::set<Bound> bounds;
  for (const GapCause cause : all_gap_causes()) bounds.insert(bound_of(cause));
  CHECK(bounds.size() == kGapCauseCount);
  CHECK(bound_of(GapCause::kUnknown) == Bound::kUnknown);
  CHECK(bound_of(GapCause::kCommunication) == Bound::kCommunication);
  CHECK(bound_of(GapCause::kKernelSpacing) == Bound::kKernelSpacing);
}

TEST_CASE("verdict: a GPU that is busy for 85 % is limited by what it does") {
  const std::vector<std::pair<GapCause, Nanos>> launch{{GapCause::kLaunchBound, 150}};
  CHECK(MadeDevice{.compute = 850, .busy = 850, .lost = launch}.judge().bound == Bound::kCompute);
  const GpuVerdict idle = MadeDevice{.compute = 849, .busy = 849, .lost = {{GapCause::kLaunchBound, 151}}}.judge();
  CHECK(idle.bound == Bound::kLaunch);
  CHECK(idle.cause == GapCause::kLaunchBound);
  CHECK(idle.time == 151);
  CHECK(idle.of == kWall);
  const GpuVerdict busy = MadeDevice{.compute = 1000, .busy = 1000}.judge();
  CHECK(busy.bound == Bound::kCompute);
  CHECK(busy.time == 1000);
  CHECK_FALSE(busy.cause);
}

TEST_CASE("verdict: of what it does the most counts; of equals computing, then communicating") {
  const auto bound = [](MadeDevice made) {
    made.busy = 1000;
    return made.judge();
  };
  CHECK(bound({.compute = 500, .communication = 500}).bound == Bound::kCompute);
  CHECK(bound({.compute = 499, .communication = 500}).bound == Bound::kCommunication);
  CHECK(bound({.compute = 499, .communication = 500}).time == 500);
  CHECK(bound({.compute = 300, .communication = 600, .hidden = 300}).bound == Bound::kCompute);
  CHECK(bound({.compute = 500, .copies = 500}).bound == Bound::kCompute);
  CHECK(bound({.compute = 499, .copies = 300, .sets = 200}).bound == Bound::kCopies);
  CHECK(bound({.compute = 499, .copies = 300, .sets = 200}).time == 500);
  CHECK(bound({.communication = 500, .copies = 500}).bound == Bound::kCommunication);
  CHECK(bound({.communication = 499, .copies = 500}).bound == Bound::kCopies);
}

TEST_CASE("verdict: kernels that only wait are idle time for another stream") {
  CHECK(MadeDevice{.compute = 850, .waiting = 150, .busy = 1000}.judge().bound == Bound::kCompute);
  const GpuVerdict waits = MadeDevice{.compute = 200, .waiting = 800, .busy = 1000}.judge();
  CHECK(waits.bound == Bound::kDependency);
  CHECK(waits.time == 800);
  CHECK_FALSE(waits.cause);
  // Together with the gaps for other streams it is more than the next cause.
  const auto with = [](Nanos waiting, Nanos dependency, Nanos launch) {
    return MadeDevice{.compute = 100,
                      .waiting = waiting,
                      .busy = 100 + waiting,
                      .lost = {{GapCause::kDependency, dependency}, {GapCause::kLaunchBound, launch}}}
        .judge();
  };
  CHECK(with(200, 150, 349).bound == Bound::kDependency);
  CHECK(with(200, 150, 349).time == 200);
  CHECK(with(200, 150, 350).bound == Bound::kLaunch);
  CHECK(with(200, 200, 100).cause == GapCause::kDependency);  // its gaps say more, then
}

TEST_CASE("verdict: communication that nothing hides is work, where it is more than the idle time and computing") {
  const auto with = [](Nanos exposed, Nanos idle, Nanos compute) {
    return MadeDevice{.compute = compute,
                      .communication = exposed,
                      .busy = kWall - idle,
                      .lost = {{GapCause::kSynchronisation, idle}}}
        .judge()
        .bound;
  };
  CHECK(with(401, 400, 199) == Bound::kCommunication);
  CHECK(with(400, 400, 200) == Bound::kSynchronisation);
  CHECK(with(401, 198, 401) == Bound::kSynchronisation);
}

TEST_CASE("verdict: what is the profiler's is not the program's, unless it is nearly all") {
  const std::vector<std::pair<GapCause, Nanos>> most{{GapCause::kProfilerOverhead, 600}, {GapCause::kLaunchBound, 200}};
  const GpuVerdict verdict = MadeDevice{.compute = 200, .busy = 200, .lost = most}.judge();
  CHECK(verdict.bound == Bound::kLaunch);
  CHECK(verdict.of == 400);
  // Busy for 85 % of what is left.
  CHECK(MadeDevice{.compute = 340, .busy = 340, .lost = {{GapCause::kProfilerOverhead, 600}, {GapCause::kUnknown, 60}}}
            .judge()
            .bound == Bound::kCompute);
  CHECK(MadeDevice{.compute = 50, .busy = 50, .lost = {{GapCause::kProfilerOverhead, 950}}}.judge().bound ==
        Bound::kCompute);
  const GpuVerdict all = MadeDevice{.compute = 49, .busy = 49, .lost = {{GapCause::kProfilerOverhead, 951}}}.judge();
  CHECK(all.bound == Bound::kProfiler);
  CHECK(all.of == kWall);
  CHECK(all.time == 951);
}

TEST_CASE("confidence: the least of what is known, idle time that is not explained by how much there is") {
  const auto with = [](auto&& set) {
    Report report;
    report.use.wall = kWall;
    DeviceReport& device = report.devices.emplace_back();
    device.busy = 600;
    device.idle = 400;
    device.verdict.bound = Bound::kLaunch;
    report.missing.launch_calls = 1000;
    report.missing.activities = 1000;
    set(report);
    judge_confidence(report);
    return report.confidence;
  };
  using Level = Confidence::Level;
  const auto lose = [](Report& report, GapCause cause, Nanos time) {
    report.devices[0].by_cause[static_cast<std::size_t>(cause)] = time;
  };
  CHECK(with([](Report&) {}).level == Level::kHigh);
  CHECK(with([](Report&) {}).idle_explained == 1);
  CHECK(with([&](Report& r) {
          lose(r, GapCause::kUnknown, 100), lose(r, GapCause::kNotRecorded, 100);
        }).idle_explained == 0.5);
  CHECK(with([&](Report& r) { lose(r, GapCause::kUnknown, 100); }).level == Level::kHigh);  // 0.9 exactly
  CHECK(with([&](Report& r) { lose(r, GapCause::kUnknown, 104); }).level == Level::kMedium);
  CHECK(with([&](Report& r) { lose(r, GapCause::kLaunchBound, 400); }).level == Level::kHigh);
  // A verdict that says no more than that nothing explains the idle time is as sure as that is explained.
  CHECK(with([&](Report& r) {
          lose(r, GapCause::kUnknown, 300);
          r.devices[0].verdict.bound = Bound::kUnknown;
        }).level == Level::kLow);
  CHECK(with([&](Report& r) { lose(r, GapCause::kUnknown, 300); }).level == Level::kMedium);
  struct Case {
    std::uint64_t MissingReport::*count;
    double Confidence::*part;
  };
  for (const Case& one : {Case{&MissingReport::launches_without_work, &Confidence::launches_with_work},
                          Case{&MissingReport::unlinked, &Confidence::work_with_launch},
                          Case{&MissingReport::before_launch, &Confidence::in_order}}) {
    const auto judge = [&](std::uint64_t count) { return with([&](Report& r) { r.missing.*one.count = count; }); };
    CHECK(judge(100).*one.part == doctest::Approx(0.9));
    CHECK(judge(99).level == Level::kHigh);
    CHECK(judge(101).level == Level::kMedium);
    CHECK(judge(499).level == Level::kMedium);
    CHECK(judge(501).level == Level::kLow);
  }
  // Of those with a launch.
  CHECK(with([](Report& r) {
          r.missing.unlinked = 500;
          r.missing.before_launch = 250;
        }).in_order == 0.5);
  // Nothing at all is no reason to doubt.
  Report empty;
  judge_confidence(empty);
  const Confidence& none = empty.confidence;
  CHECK(none.launches_with_work == 1);
  CHECK(none.work_with_launch == 1);
  CHECK(none.in_order == 1);
  CHECK(none.idle_explained == 1);
  CHECK(none.level == Level::kHigh);
  const Confidence steps = with([](Report& r) {
    r.steps.steps.resize(5);
    r.steps.warm_up_count = 2;
    r.missing.has_shapes = true;
  });
  CHECK(steps.measured_steps == 3);
  CHECK(steps.by_shapes);
  CHECK_FALSE(steps.by_stacks);
  CHECK_FALSE(steps.by_memory);
  CHECK(confidence_key(Level::kHigh) == "high");
  CHECK(confidence_key(Level::kMedium) == "medium");
  CHECK(confidence_key(Level::kLow) == "low");
}

TEST_CASE("verdict on a process: what takes half of its time inside of the steps, of equals the first") {
  using enum CpuKind;
  const auto bound = [](std::initializer_list<std::pair<CpuKind, Nanos>> times) {
    CpuReport cpu;
    cpu.is_known = true;
    for (const auto& [kind, time] : times) {
      cpu.use.by_kind[static_cast<std::size_t>(kind)] = time;
      cpu.use.wall += time;
    }
    return judge_cpu(cpu);
  };
  const std::pair<CpuKind, Bound> bounds[] = {
      {kDataLoading, Bound::kDataLoading}, {kOperators, Bound::kCpuOperators},  {kCollectives, Bound::kCommunication},
      {kWaiting, Bound::kCpuWaiting},      {kPython, Bound::kCpuPython},        {kLongGaps, Bound::kCpuLongGaps},
      {kRanges, Bound::kCpuRanges},        {kUnrecorded, Bound::kCpuUnrecorded}};
  for (const auto& [kind, verdict] : bounds) {
    CHECK(bound({{kind, 10}}) == verdict);
    CHECK(bound({{kind, 10}, {kOutsideSteps, 90}}) == verdict);
  }
  CHECK(bound({{kOperators, 50}, {kPython, 25}, {kWaiting, 25}}) == Bound::kCpuOperators);
  CHECK(bound({{kOperators, 49}, {kPython, 25}, {kWaiting, 25}}) == Bound::kCpuMixed);
  CHECK(bound({{kOperators, 50}, {kDataLoading, 50}}) == Bound::kDataLoading);
  CHECK(bound({{kOutsideSteps, 90}}) == Bound::kNoGpu);
  CHECK(judge_cpu(CpuReport{}) == Bound::kNoGpu);
}

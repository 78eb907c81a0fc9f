// What advice goes by, of reports that are written down here: each fact from its own fields, and its places.

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "model/report/advice.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

constexpr Nanos kWindow = 1'000'000;

Report report_of_window() {
  Report report;
  report.window = {0, kWindow};
  report.use.wall = kWindow;
  return report;
}

DeviceReport& add_device(Report& report, Nanos busy = 0) {
  DeviceReport& device = report.devices.emplace_back();
  device.busy = busy;
  return device;
}

void lose(DeviceReport& device, GapCause cause, Nanos time) {
  device.by_cause[static_cast<std::size_t>(cause)] = time;
}

AdviceFacts facts_of(const Report& report) {
  TraceMaker make;
  return advice_facts(make.thread("aten::mm", 0, kWindow).build(), report);
}

/// The advice that `report` gets by the rule `key`; it must be there.
AdviceGiven given(const Trace& trace, const Report& report, std::string_view key) {
  for (const AdviceGiven& advice : give_advice(trace, report, nullptr))
    if (advice_rules()[advice.rule].key == key) return advice;
  FAIL("no advice ", key);
  return {};
}

SeenPlace seen(Nanos time, std::uint32_t index = 0) {
  SeenPlace place;
  place.time = time;
  place.longest = {time, time + 1};
  place.slice = {LaneId{0}, index};
  return place;
}

}  // namespace

TEST_CASE("advice facts: idle time by cause, each as part of the window, of the GPU that lost the most for it") {
  struct Case {
    GapCause cause;
    double AdviceFacts::*fact;
  };
  const Case cases[] = {{GapCause::kLaunchBound, &AdviceFacts::launch_bound},
                        {GapCause::kSynchronisation, &AdviceFacts::synchronisation},
                        {GapCause::kDataLoading, &AdviceFacts::data_loading},
                        {GapCause::kProfilerOverhead, &AdviceFacts::profiler},
                        {GapCause::kBlockingCopy, &AdviceFacts::blocking_copies},
                        {GapCause::kFirstUse, &AdviceFacts::first_use},
                        {GapCause::kAllocation, &AdviceFacts::allocation_idle},
                        {GapCause::kFullQueue, &AdviceFacts::full_queue},
                        {GapCause::kNotScheduled, &AdviceFacts::not_scheduled},
                        {GapCause::kHostCallback, &AdviceFacts::host_callbacks},
                        {GapCause::kLateRank, &AdviceFacts::late_ranks},
                        {GapCause::kDependency, &AdviceFacts::dependency},
                        {GapCause::kInsideGraph, &AdviceFacts::inside_graphs},
                        {GapCause::kNotRecorded, &AdviceFacts::not_recorded}};
  for (const Case& one : cases) {
    CAPTURE(cause_key(one.cause));
    Report report = report_of_window();
    add_device(report, 700'000);
    lose(add_device(report, 100'000), one.cause, 300'000);
    lose(add_device(report, 50'000), one.cause, 200'000);
    const AdviceFacts facts = facts_of(report);
    CHECK(facts.has_gpu);
    CHECK(facts.busy == 0.7);
    for (const Case& other : cases) CHECK(facts.*other.fact == (other.fact == one.fact ? 0.3 : 0));
  }
}

TEST_CASE("advice facts: late ranks are waited for in gaps and inside collectives, by the GPU that does most of both") {
  Report report = report_of_window();
  lose(add_device(report), GapCause::kLateRank, 200'000);
  DeviceReport& other = add_device(report);
  lose(other, GapCause::kLateRank, 100'000);
  other.rank_waits.exposed = 150'000;
  CHECK(facts_of(report).late_ranks == 0.25);
  other.rank_waits.exposed = 50'000;
  CHECK(facts_of(report).late_ranks == 0.2);
}

TEST_CASE("advice facts: without a GPU nothing is said of one") {
  Report report = report_of_window();
  report.missing.launch_calls = 10;
  report.missing.launches_without_work = 5;
  CHECK_FALSE(facts_of(report).has_gpu);
  CHECK(facts_of(report).missing_kernels == 0);
  add_device(report);
  CHECK(facts_of(report).missing_kernels == 0.5);
  report.missing.launch_calls = 0;
  CHECK(facts_of(report).missing_kernels == 0);
}

TEST_CASE("advice facts: data loading is idle time for it, or time with nothing else, whichever is more") {
  for (const auto& [idle, nothing_else, fact] : {std::tuple{300'000, 200'000, 0.3}, {100'000, 200'000, 0.2}}) {
    Report report = report_of_window();
    lose(add_device(report), GapCause::kDataLoading, idle);
    report.use.by_kind[static_cast<std::size_t>(TimeKind::kDataLoading)] = nothing_else;
    CHECK(facts_of(report).data_loading == fact);
  }
}

TEST_CASE("advice facts: times of the whole window") {
  Report report = report_of_window();
  report.use.communication = 400'000;
  report.use.overlap = 150'000;
  report.allocation_calls = 20'000;
  report.code_loading = 30'000;
  report.launch.launches = 8;
  report.launch.short_ones = 2;
  report.kernel.compute = 500'000;
  report.kernel.plain_matrix = 200'000;
  report.kernel.small_grids = 100'000;
  const AdviceFacts facts = facts_of(report);
  CHECK(facts.exposed_communication == 0.25);
  CHECK(facts.allocation == 0.02);
  CHECK(facts.code_loading == 0.03);
  CHECK(facts.short_launches == 0.25);
  CHECK(facts.tensor_eligible == 0.4);
  CHECK(facts.tensor_window == 0.2);
  CHECK(facts.small_grids == 0.2);
  CHECK(facts_of(report_of_window()).short_launches == 0);
}

TEST_CASE("advice facts: pageable copies add up, others do not count") {
  TraceMaker make;
  make.copy("Memcpy HtoD (Pageable -> Device)", 0, 10).copy("Memcpy DtoH (Device -> Pageable)", 20, 30);
  const Trace trace = make.copy("Memcpy HtoD (Pinned -> Device)", 40, 50).build();
  Report report = report_of_window();
  std::uint32_t index = 0;
  for (const char* name :
       {"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pageable)", "Memcpy HtoD (Pinned -> Device)"}) {
    ReportKernel& copy = report.copies.emplace_back();
    copy.name = trace.strings().find(name);
    copy.total = 10'000;
    copy.longest = {LaneId{0}, index++};
  }
  CHECK(advice_facts(trace, report).pageable_copies == 0.02);
  add_device(report);
  const AdviceGiven advice = given(trace, report, "pageableCopies");
  REQUIRE(advice.places.size() == 2);
  CHECK(advice.places[0].span == TimeSpan{0, 10});
  CHECK(advice.places[1].span == TimeSpan{20, 30});
}

TEST_CASE("advice facts: steps are uneven by their longest and shortest, on the CPU and on the GPU alike") {
  const auto spread = [](std::vector<Nanos> cpu, std::vector<Nanos> paced, std::size_t warm_up = 0) {
    Report report = report_of_window();
    for (std::size_t s = 0; s < cpu.size(); ++s) {
      MeasuredStep& step = report.steps.steps.emplace_back();
      step.span = {0, cpu[s]};
      step.paced = {0, paced[s]};
    }
    report.steps.warm_up_count = warm_up;
    const AdviceFacts facts = facts_of(report);
    CHECK(facts.measured_steps == cpu.size() - warm_up);
    return facts.step_spread;
  };
  CHECK(spread({100, 300, 200}, {100, 400, 200}) == 3);
  CHECK(spread({100, 300, 200}, {100, 200, 200}) == 2);
  CHECK(spread({900, 100, 200}, {900, 100, 200}, 1) == 2);
  CHECK(spread({100}, {100}) == 1);
  CHECK(spread({}, {}) == 1);
  CHECK(spread({0, 100}, {0, 100}) == 1);  // what takes no time tells nothing
}

TEST_CASE("advice facts: processes on the CPU, of the time inside of their steps") {
  using enum CpuKind;
  Report report = report_of_window();
  CpuReport& cpu = report.cpu;
  cpu.is_known = true;
  cpu.use.wall = kWindow;
  const auto take = [&](CpuKind kind, Nanos time) { cpu.use.by_kind[static_cast<std::size_t>(kind)] = time; };
  take(kOutsideSteps, 200'000);
  take(kOperators, 80'000);
  take(kPython, 160'000);
  take(kLongGaps, 240'000);
  take(kWaiting, 40'000);
  take(kCollectives, 16'000);
  take(kRanges, 8'000);
  take(kUnrecorded, 32'000);
  take(kDataLoading, 400'000);
  cpu.data_from_workers = 320'000;
  cpu.gil = 24'000;
  cpu.own_time = 50'000;
  cpu.matrix = 20'000;
  cpu.copies = 10'000;
  cpu.short_calls = 5'000;
  AdviceFacts facts = facts_of(report);
  CHECK(facts.has_cpu);
  CHECK(facts.cpu_operators == 0.1);
  CHECK(facts.cpu_python == 0.2);
  CHECK(facts.cpu_long_gaps == 0.3);
  CHECK(facts.cpu_waiting == 0.05);
  CHECK(facts.cpu_collectives == 0.02);
  CHECK(facts.cpu_ranges == 0.01);
  CHECK(facts.cpu_unrecorded == 0.04);
  CHECK(facts.data_from_workers == 0.4);
  CHECK(facts.data_in_process == 0.1);
  CHECK(facts.cpu_gil == 0.03);
  CHECK(facts.cpu_matrix == 0.4);
  CHECK(facts.cpu_copies == 0.2);
  CHECK(facts.cpu_short_calls == 0.1);
  add_device(report);  // with a GPU it is not about them
  CHECK_FALSE(facts_of(report).has_cpu);
  report.devices.clear();
  cpu.is_known = false;
  CHECK_FALSE(facts_of(report).has_cpu);
}

TEST_CASE("advice facts: programs, of the window") {
  using enum ProgramKind;
  Report report = report_of_window();
  ProgramReport& program = report.program;
  program.is_known = true;
  const auto take = [&](ProgramKind kind, Nanos time) { program.by_kind[static_cast<std::size_t>(kind)] = time; };
  take(kRunning, 10'000);
  take(kPreempted, 20'000);
  take(kLock, 30'000);
  take(kFiles, 1'000);
  take(kNetwork, 2'000);
  take(kPoll, 4'000);
  take(kDevice, 8'000);
  take(kSleep, 50'000);
  take(kChild, 60'000);
  take(kGil, 70'000);
  for (std::size_t w = 0; w < kKnownWorkCount; ++w) program.works[w].share = 0.1 + static_cast<double>(w);
  program.contention.waited = 80'000;
  const AdviceFacts facts = facts_of(report);
  CHECK(facts.has_program);
  CHECK(facts.program_running == 0.01);
  CHECK(facts.program_preempted == 0.02);
  CHECK(facts.program_locks == 0.03);
  CHECK(facts.program_input == 0.015);
  CHECK(facts.program_sleep == 0.05);
  CHECK(facts.program_child == 0.06);
  CHECK(facts.program_gil == 0.07);
  CHECK(facts.program_output == 0.1);
  CHECK(facts.program_sync == 1.1);
  CHECK(facts.program_collection == 2.1);
  CHECK(facts.program_names == 3.1);
  CHECK(facts.program_loop == 4.1);
  CHECK(facts.program_contention == 0.08);
}

TEST_CASE("advice facts: what a program had of the machine") {
  const auto facts = [](const MachineLimits& limits, Nanos running, Nanos preempted, std::uint64_t threads) {
    Report report = report_of_window();
    report.program.is_known = true;
    report.program.limits = limits;
    report.program.all_running = running;
    report.program.all_preempted = preempted;
    report.program.active_count = threads;
    const AdviceFacts of_program = facts_of(report);
    // The same of a process that Python's profiler saw.
    std::swap(report.program.is_known, report.cpu.is_known);
    report.cpu.limits = limits;
    report.cpu.all_running = running;
    report.cpu.all_preempted = preempted;
    report.cpu.active_threads = threads;
    const AdviceFacts of_cpu = facts_of(report);
    CHECK(of_cpu.quota == of_program.quota);
    CHECK(of_cpu.too_many == of_program.too_many);
    CHECK(of_cpu.page_faults == of_program.page_faults);
    CHECK(of_cpu.disk_faults == of_program.disk_faults);
    return of_program;
  };
  MachineLimits limits;
  limits.cores = 4;
  limits.throttled = 0.05;
  limits.disk_faults_per_second = 7;
  CHECK(facts(limits, 0, 0, 0).quota == 0.05);
  CHECK(facts(limits, 0, 0, 0).disk_faults == 7);
  // Half a microsecond for each page fault.
  limits.faults_per_second = 200'000;
  CHECK(facts(limits, 0, 0, 0).page_faults == 0);
  limits.program_cores = 0.5;
  CHECK(facts(limits, 0, 0, 0).page_faults == doctest::Approx(0.2));
  limits.program_cores = 0.01;
  CHECK(facts(limits, 0, 0, 0).page_faults == 1);
  // Twice as many threads as CPUs compete in any case; any more of them where they take 60 % of the CPUs.
  const Nanos most = 2'400'000;
  CHECK(facts(limits, 100, 300, 8).too_many == 0.75);
  CHECK(facts(limits, 100, 300, 7).too_many == 0);
  CHECK(facts(limits, most, most, 5).too_many == 0.5);
  CHECK(facts(limits, most - 1, most - 1, 5).too_many == 0);
  CHECK(facts(limits, most, most, 4).too_many == 0);
  // A quota counts as so many CPUs; where it held the program back, that is the reason.
  limits.quota_cores = 2;
  CHECK(facts(limits, 100, 300, 4).too_many == 0.75);
  CHECK(facts(limits, 100, 300, 3).too_many == 0);
  limits.quota_cores = 0.5;  // at least one
  CHECK(facts(limits, 100, 300, 2).too_many == 0.75);
  limits.throttled = kThrottledEnough;
  CHECK(facts(limits, 100, 300, 2).too_many == 0);
  limits.throttled = 0;
  limits.cores = 0;  // not known
  CHECK(facts(limits, 100, 300, 100).too_many == 0);
}

TEST_CASE("advice: idle time leads to the longest gap of the GPU that lost the most") {
  TraceMaker make;
  const Trace trace = make.kernel("gemm", 0, 10).kernel("gemm", 20, 30).build();
  Report report = report_of_window();
  lose(add_device(report, 10), GapCause::kSynchronisation, 60'000);
  DeviceReport& worst = add_device(report, 5);
  lose(worst, GapCause::kSynchronisation, 70'000);
  Gap& gap = worst.longest[static_cast<std::size_t>(GapCause::kSynchronisation)];
  gap.start = 10;
  gap.end = 20;
  gap.after = {LaneId{0}, 1};
  const AdviceGiven advice = given(trace, report, "synchronisation");
  REQUIRE(advice.places.size() == 1);
  CHECK(advice.places[0].span == TimeSpan{10, 20});
  CHECK(advice.places[0].slice == SliceId{LaneId{0}, 1});
  CHECK(advice_rules()[advice.rule].idle_for == GapCause::kSynchronisation);
  CHECK_FALSE(advice.gain);
}

TEST_CASE("advice: a rank that is waited for inside collectives alone leads to the longest wait") {
  TraceMaker make;
  const Trace trace = make.kernel("nccl", 0, 10).build();
  Report report = report_of_window();
  for (const Nanos longest : {100, 300, 200}) {
    DeviceReport& device = add_device(report);
    device.rank_waits.exposed = 100'000;
    device.rank_waits.longest.span = {longest, 2 * longest};
  }
  const AdviceGiven advice = given(trace, report, "lateRanks");
  REQUIRE(advice.places.size() == 1);
  CHECK(advice.places[0].span == TimeSpan{300, 600});
}

TEST_CASE("advice: uneven steps lead to the longest and the shortest that was measured") {
  TraceMaker make;
  for (Nanos s = 0; s < 4; ++s) make.thread("ProfilerStep#" + std::to_string(s), s * 100, s * 100 + 50);
  const Trace trace = make.build();
  Report report = report_of_window();
  add_device(report);
  const Nanos lengths[] = {9'000, 200, 900, 100};
  for (std::uint32_t s = 0; s < 4; ++s) {
    MeasuredStep& step = report.steps.steps.emplace_back();
    step.annotation = {LaneId{0}, s};
    step.span = step.paced = {0, lengths[s]};
  }
  report.steps.warm_up_count = 1;
  const AdviceGiven advice = given(trace, report, "unevenSteps");
  REQUIRE(advice.places.size() == 2);
  CHECK(advice.places[0].slice.index == 2);
  CHECK(advice.places[1].slice.index == 3);
}

TEST_CASE("advice: what a program did leads to the place in it") {
  using enum ProgramKind;
  TraceMaker make;
  for (Nanos s = 0; s < 9; ++s) make.thread("f", s * 10, s * 10 + 5);
  const Trace trace = make.build();
  struct Case {
    const char* key;
    ProgramKind kind;
    const char* meanwhile;  // whose places are told with it
  };
  for (const Case& one : {Case{"programRunning", kRunning, ""}, Case{"programPreempted", kPreempted, ""},
                          Case{"programLocks", kLock, "others"}, Case{"programGil", kGil, "others"},
                          Case{"programInput", kFiles, "children"}, Case{"programInput", kNetwork, "children"},
                          Case{"programInput", kPoll, "children"}, Case{"programInput", kDevice, "children"},
                          Case{"programSleep", kSleep, ""}, Case{"programChild", kChild, "children"}}) {
    CAPTURE(one.key);
    Report report = report_of_window();
    ProgramReport& program = report.program;
    program.is_known = true;
    program.by_kind[static_cast<std::size_t>(one.kind)] = kWindow;
    program.places[static_cast<std::size_t>(one.kind)] = {seen(50, 5), seen(40, 4)};
    program.meanwhile = {seen(30, 3)};
    program.children = {seen(20, 2)};
    program.longest_wait = {LaneId{0}, 7};
    const AdviceGiven advice = given(trace, report, one.key);
    REQUIRE(advice.blamed);
    CHECK(advice.blamed->time == 50);
    REQUIRE(advice.places.size() == 1);
    CHECK(advice.places[0].slice.index == 5);
    CHECK(advice.places[0].span == TimeSpan{50, 51});
    const std::string_view meanwhile = one.meanwhile;
    REQUIRE(advice.meanwhile.has_value() == !meanwhile.empty());
    if (advice.meanwhile) CHECK(advice.meanwhile->time == (meanwhile == "others" ? 30 : 20));
    // Nobody to blame: the longest wait, or the function that took the most.
    program.places = {};
    program.meanwhile = {};
    program.functions.emplace_back().longest = {LaneId{0}, 8};
    const AdviceGiven alone = given(trace, report, one.key);
    CHECK_FALSE(alone.blamed);
    REQUIRE(alone.places.size() == 1);
    CHECK(alone.places[0].slice.index == (one.kind == kRunning ? 8 : 7));
    if (meanwhile == "others") CHECK(alone.meanwhile->time == 20);  // then those of other processes
  }
}

TEST_CASE("advice: of several places the one with most time") {
  using enum ProgramKind;
  TraceMaker make;
  const Trace trace = make.thread("f", 0, 5).build();
  Report report = report_of_window();
  ProgramReport& program = report.program;
  program.is_known = true;
  const auto set = [&](ProgramKind kind, Nanos place) {
    program.by_kind[static_cast<std::size_t>(kind)] = kWindow / 5;
    program.places[static_cast<std::size_t>(kind)] = {seen(place)};
  };
  set(kFiles, 10);
  set(kNetwork, 30);
  set(kPoll, 20);
  CHECK(given(trace, report, "programInput").blamed->time == 30);
  set(kPreempted, 20);
  set(kRunning, 21);
  CHECK(given(trace, report, "programPreempted").blamed->time == 21);
  set(kRunning, 20);
  CHECK(given(trace, report, "programPreempted").blamed->longest == TimeSpan{20, 21});
  set(kRunning, 19);
  CHECK(given(trace, report, "programPreempted").blamed->time == 20);
}

TEST_CASE("advice: known work and contention have places of their own") {
  TraceMaker make;
  const Trace trace = make.thread("f", 0, 5).build();
  struct Case {
    const char* key;
    KnownWork work;
  };
  for (const Case& one : {Case{"programOutput", KnownWork::kOutput}, Case{"programSync", KnownWork::kSync},
                          Case{"programCollection", KnownWork::kCollection},
                          Case{"programNames", KnownWork::kNameLookup}, Case{"programLoop", KnownWork::kEventLoop}}) {
    CAPTURE(one.key);
    Report report = report_of_window();
    report.program.is_known = true;
    report.program.works[static_cast<std::size_t>(one.work)] = {0.9, seen(33)};
    CHECK(given(trace, report, one.key).blamed->time == 33);
    report.program.works[static_cast<std::size_t>(one.work)].place.slice = {};
    CHECK_FALSE(given(trace, report, one.key).blamed);
  }
  Report report = report_of_window();
  report.program.is_known = true;
  report.program.contention = {kWindow, TrackId{0}, seen(44), {seen(22), seen(11)}};
  const AdviceGiven advice = given(trace, report, "programContention");
  CHECK(advice.blamed->time == 44);
  CHECK(advice.meanwhile->time == 22);
}

TEST_CASE("advice: what a process on the CPU did leads to its longest, or to the place in the program") {
  using enum CpuKind;
  TraceMaker make;
  for (Nanos s = 0; s < 9; ++s) make.thread("f", s * 10, s * 10 + 5);
  const Trace trace = make.build();
  const auto slice = [](std::uint32_t index) { return SliceId{LaneId{0}, index}; };
  Report report = report_of_window();
  CpuReport& cpu = report.cpu;
  cpu.is_known = true;
  cpu.use.wall = 1000;
  for (Nanos& time : cpu.use.by_kind) time = 600;
  cpu.use.by_kind[static_cast<std::size_t>(kOutsideSteps)] = 0;
  cpu.own_time = cpu.matrix = cpu.copies = cpu.short_calls = 100;
  cpu.data_from_workers = 300;
  cpu.gil = 300;
  cpu.longest_matrix = slice(1);
  cpu.longest_copy = slice(2);
  cpu.longest_data = slice(3);
  cpu.longest_collective = slice(4);
  cpu.longest_short_gap = {7, 9};
  cpu.longest_long_gap = {70, 90};
  report.operators.emplace_back().longest = slice(5);
  CpuFrame& first = cpu.frames.emplace_back();
  first.longest = {1, 2};
  for (const std::uint32_t n : {6u, 7u}) {
    CpuFrame& frame = cpu.frames.emplace_back();
    frame.waits = true;
    frame.longest = {n, n + 1};
    frame.slice = slice(n);
  }
  const auto place = [&](const char* key) {
    const AdviceGiven advice = given(trace, report, key);
    CAPTURE(key);
    REQUIRE(advice.places.size() == 1);
    return advice.places[0];
  };
  CHECK(place("cpuMatrix").slice == slice(1));
  CHECK(place("cpuCopies").slice == slice(2));
  CHECK(place("cpuDataInProcess").slice == slice(3));
  CHECK(place("cpuDataFromWorkers").slice == slice(3));
  CHECK(place("cpuCollectives").slice == slice(4));
  CHECK(place("cpuWaiting").slice == slice(6));
  CHECK(place("cpuPython").span == TimeSpan{7, 9});
  CHECK(place("cpuLongGaps").span == TimeSpan{70, 90});
  CHECK(place("cpuRanges").span == TimeSpan{1, 2});
  cpu.matrix = cpu.copies = cpu.short_calls = 0;  // where nothing says more of the operators
  CHECK(place("cpuOperators").slice == slice(5));
  cpu.waiting_places = {seen(61)};
  cpu.gap_places = {seen(62)};
  cpu.loading = {seen(63)};
  cpu.workers = {seen(64)};
  cpu.gil_holders = {seen(65)};
  CHECK(given(trace, report, "cpuWaiting").blamed->time == 61);
  CHECK(given(trace, report, "cpuLongGaps").blamed->time == 62);
  CHECK(given(trace, report, "cpuDataInProcess").blamed->time == 63);
  CHECK(given(trace, report, "cpuDataFromWorkers").meanwhile->time == 64);
  CHECK(given(trace, report, "cpuGil").meanwhile->time == 65);
  // Whom it blames comes first of the places.
  CHECK(given(trace, report, "cpuWaiting").places.front().span == TimeSpan{61, 62});
  CHECK(given(trace, report, "cpuWaiting").places.size() == 2);
}

TEST_CASE("advice: what a replay changes to follow it") {
  TraceMaker make;
  const Trace trace = make.kernel("sgemm", 0, 10).kernel("dgemm", 20, 30).kernel("add", 40, 50).build();
  Report report = report_of_window();
  for (const char* name : {"sgemm", "add", "dgemm"}) {
    ReportKernel& kernel = report.kernels.emplace_back();
    kernel.name = trace.strings().find(name);
    kernel.matrix = std::string_view(name) == "add" ? MatrixUse::kNone : MatrixUse::kPlain;
  }
  for (const AdviceRule& rule : advice_rules()) {
    CAPTURE(rule.key);
    std::string changes;
    for (const WhatIfChange& change : changes_of_advice(trace, report, rule)) changes += what_if_text(change) + ";";
    if (rule.idle_for == GapCause::kNotRecorded)
      CHECK(changes.empty());  // what was not recorded cannot be left out, either
    else if (rule.idle_for)
      CHECK(changes == "--no-cause " + std::string(cause_key(*rule.idle_for)) + ";");
    else if (rule.key == "communication")
      CHECK(changes == "--overlap comm;");
    else if (rule.key == "pageableCopies")
      CHECK(changes == "--no-cause blocking_copy;");
    else if (rule.key == "allocation")
      CHECK(changes == "--no-cause allocation;");
    else if (rule.key == "codeLoading")
      CHECK(changes == "--no-cause first_use;");
    else if (rule.key == "tensorCores")
      CHECK(changes == "--scale sgemm=0.5;--scale dgemm=0.5;");
    else
      CHECK(changes.empty());
  }
}

TEST_CASE("advice: kernels that stand for their kind") {
  TraceMaker make;
  for (Nanos s = 0; s < 9; ++s) make.kernel("k", s * 10, s * 10 + 5);
  const Trace trace = make.build();
  const auto slice = [](std::uint32_t index) { return SliceId{LaneId{0}, index}; };
  Report report = report_of_window();
  add_device(report, 900'000);
  report.use.communication = 200'000;
  for (const std::uint32_t n : {1u, 2u, 3u}) {
    ReportKernel& kernel = report.kernels.emplace_back();
    kernel.kernel_class = n == 1 ? KernelClass::kGemm : KernelClass::kCommunication;
    kernel.longest = slice(n);
  }
  report.allocation_calls = 50'000;
  report.longest_allocation = slice(4);
  report.kernel.compute = 500'000;
  report.kernel.plain_matrix = report.kernel.small_grids = 300'000;
  report.kernel.longest_plain = slice(5);
  report.kernel.longest_small = slice(6);
  report.missing.launch_calls = 10;
  report.missing.launches_without_work = 5;
  report.missing.first_launch_without_work = slice(7);
  const auto place = [&](const char* key) {
    CAPTURE(key);
    const AdviceGiven advice = given(trace, report, key);
    REQUIRE(advice.places.size() == 1);
    CHECK(advice.places[0].span == trace.span(advice.places[0].slice));
    return advice.places[0].slice.index;
  };
  CHECK(place("communication") == 2);  // the first, which has the most time
  CHECK(place("allocation") == 4);
  CHECK(place("smallGrids") == 6);
  CHECK(place("missingKernels") == 7);
}

TEST_CASE("advice facts: memory at its peak, as part of the GPU's, and what the GPU can do") {
  const auto trace_of = [](const char* gpu) {
    Result<Trace> trace = import_json(std::string(R"({"deviceProperties":[{"id":0,"name":")") + gpu +
                                      R"(","totalGlobalMem":1000,"computeMajor":9,"computeMinor":0}],"traceEvents":[)" +
                                      R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":5,)" +
                                      R"("args":{"device":0,"stream":7}}]})");
    REQUIRE(trace.has_value());
    return std::move(*trace);
  };
  const Trace trace = trace_of("NVIDIA H100");
  Report report = report_of_window();
  report.source = SourceId{0};
  add_device(report).device = trace.strings().find("0");
  CHECK(advice_facts(trace, report).compute_major == 9);
  CHECK(advice_facts(trace_of("AMD Instinct MI300X"), report).compute_major == 0);  // those are other numbers
  report.code_loading = 30'000;
  CHECK(advice_facts(trace, report).code_loading > 0);
  CHECK(advice_facts(trace_of("AMD Instinct MI300X"), report).code_loading == 0);
  const auto add_memory = [&](bool is_gpu, std::vector<std::int64_t> allocated, std::size_t peak) {
    MemoryTimeline& memory = report.memory.emplace_back();
    memory.is_gpu = is_gpu;
    memory.peak = peak;
    memory.peak_operator = {LaneId{0}, 0};
    for (const std::int64_t bytes : allocated) {
      memory.times.push_back(100 * static_cast<Nanos>(memory.times.size() + 1));
      memory.allocated.push_back(bytes);
    }
  };
  CHECK(advice_facts(trace, report).memory_peak == 0);
  add_memory(true, {}, 0);
  add_memory(false, {990}, 0);
  CHECK(advice_facts(trace, report).memory_peak == 0);
  add_memory(true, {100, 950, 200}, 1);
  add_memory(true, {300}, 0);
  CHECK(advice_facts(trace, report).memory_peak == 0.95);
  const AdviceGiven advice = given(trace, report, "memory");
  REQUIRE(advice.places.size() == 2);
  CHECK(advice.places[0].span == TimeSpan{200, 200});
  CHECK(advice.places[0].slice == SliceId{LaneId{0}, 0});
  CHECK(advice.places[1].span == TimeSpan{100, 100});
}

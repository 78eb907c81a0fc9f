#include "model/report/advice.h"

#include <algorithm>

namespace lacuna {
namespace {

/// The GPU that lost the most for this reason.
const DeviceReport* worst_device(const Report& report, GapCause cause) {
  const auto worst =
      std::ranges::max_element(report.devices, {}, [&](const DeviceReport& device) { return device.lost(cause); });
  return worst == report.devices.end() ? nullptr : &*worst;
}

/// What a program had of the machine. `running` and `preempted`: of all threads of one process, together.
void add_limits(const MachineLimits& limits, Nanos running, Nanos preempted, std::uint64_t threads, Nanos wall,
                AdviceFacts& facts) {
  facts.quota = limits.throttled;
  facts.disk_faults = limits.disk_faults_per_second;
  if (limits.program_cores > 0)
    facts.page_faults = std::min(1.0, limits.faults_per_second * kPageFaultNs / 1e9 / limits.program_cores);
  // Others may take CPUs, too: so many more threads than there are compete with each other in any case.
  constexpr double kFarTooMany = 2, kMostOfThem = 0.6;
  const double cores = std::max(1.0, limits.least_usable_cores());
  const auto wanting = static_cast<double>(threads);
  const bool takes_most = static_cast<double>(running) >= kMostOfThem * cores * static_cast<double>(wall);
  if (limits.cores > 0 && facts.quota < kThrottledEnough &&
      (wanting >= kFarTooMany * cores || (wanting > cores && takes_most)))
    facts.too_many = TimeUse::part(preempted, running + preempted);
}

}  // namespace

AdviceFacts advice_facts(const Trace& trace, const Report& report) {
  AdviceFacts facts;
  const auto of_window = [&](Nanos t) { return TimeUse::part(t, report.use.wall); };
  if (const DeviceReport* device = report.busiest()) {
    facts.has_gpu = true;
    facts.busy = of_window(device->busy);
    const auto worst = [&](GapCause cause) { return of_window(worst_device(report, cause)->lost(cause)); };
    facts.launch_bound = worst(GapCause::kLaunchBound);
    facts.synchronisation = worst(GapCause::kSynchronisation);
    facts.data_loading = worst(GapCause::kDataLoading);
    facts.profiler = worst(GapCause::kProfilerOverhead);
    facts.blocking_copies = worst(GapCause::kBlockingCopy);
    facts.first_use = worst(GapCause::kFirstUse);
    facts.allocation_idle = worst(GapCause::kAllocation);
    facts.full_queue = worst(GapCause::kFullQueue);
    facts.not_scheduled = worst(GapCause::kNotScheduled);
    facts.host_callbacks = worst(GapCause::kHostCallback);
    for (const DeviceReport& each : report.devices)
      facts.late_ranks =
          std::max(facts.late_ranks, of_window(each.lost(GapCause::kLateRank) + each.rank_waits.exposed));
    facts.dependency = worst(GapCause::kDependency);
    facts.inside_graphs = worst(GapCause::kInsideGraph);
    facts.not_recorded = worst(GapCause::kNotRecorded);
    facts.missing_kernels = report.missing.launch_calls == 0
                                ? 0
                                : static_cast<double>(report.missing.launches_without_work) /
                                      static_cast<double>(report.missing.launch_calls);
  }
  facts.data_loading = std::max(facts.data_loading, report.use.share(TimeKind::kDataLoading));
  if (const CpuReport& cpu = report.cpu; cpu.is_known && report.devices.empty()) {
    facts.has_cpu = true;
    facts.cpu_operators = cpu.use.share(CpuKind::kOperators);
    facts.cpu_matrix = cpu.part_of_own(cpu.matrix);
    facts.cpu_copies = cpu.part_of_own(cpu.copies);
    facts.cpu_short_calls = cpu.part_of_own(cpu.short_calls);
    facts.cpu_python = cpu.use.share(CpuKind::kPython);
    facts.cpu_long_gaps = cpu.use.share(CpuKind::kLongGaps);
    facts.cpu_waiting = cpu.use.share(CpuKind::kWaiting);
    facts.cpu_collectives = cpu.use.share(CpuKind::kCollectives);
    facts.cpu_ranges = cpu.use.share(CpuKind::kRanges);
    facts.cpu_unrecorded = cpu.use.share(CpuKind::kUnrecorded);
    facts.data_from_workers = TimeUse::part(cpu.data_from_workers, cpu.use.judged());
    facts.cpu_gil = TimeUse::part(cpu.gil, cpu.use.judged());
    add_limits(cpu.limits, cpu.all_running, cpu.all_preempted, cpu.active_threads, report.use.wall, facts);
    facts.data_in_process = TimeUse::part(cpu.use.at(CpuKind::kDataLoading) - cpu.data_from_workers, cpu.use.judged());
  }
  if (const ProgramReport& program = report.program; program.is_known) {
    using enum ProgramKind;
    facts.has_program = true;
    facts.program_running = of_window(program.at(kRunning));
    facts.program_preempted = of_window(program.at(kPreempted));
    facts.program_locks = of_window(program.at(kLock));
    facts.program_input =
        of_window(program.at(kFiles) + program.at(kNetwork) + program.at(kPoll) + program.at(kDevice));
    facts.program_sleep = of_window(program.at(kSleep));
    facts.program_child = of_window(program.at(kChild));
    facts.program_gil = of_window(program.at(kGil));
    facts.program_output = program.work(KnownWork::kOutput).share;
    facts.program_sync = program.work(KnownWork::kSync).share;
    facts.program_collection = program.work(KnownWork::kCollection).share;
    facts.program_names = program.work(KnownWork::kNameLookup).share;
    facts.program_loop = program.work(KnownWork::kEventLoop).share;
    facts.program_contention = of_window(program.contention.waited);
    add_limits(program.limits, program.all_running, program.all_preempted, program.active_count, report.use.wall,
               facts);
  }
  facts.exposed_communication = of_window(report.use.exposed());
  Nanos pageable = 0;
  for (const ReportKernel& copy : report.copies)
    if (trace.text(copy.name).find("Pageable") != std::string_view::npos)
      pageable = saturating_add(pageable, copy.total);
  facts.pageable_copies = of_window(pageable);
  facts.allocation = of_window(report.allocation_calls);
  facts.code_loading = of_window(report.code_loading);
  if (report.launch.launches > 0)
    facts.short_launches = static_cast<double>(report.launch.short_ones) / static_cast<double>(report.launch.launches);
  facts.tensor_eligible = TimeUse::part(report.kernel.plain_matrix, report.kernel.compute);
  facts.tensor_window = of_window(report.kernel.plain_matrix);
  facts.small_grids = TimeUse::part(report.kernel.small_grids, report.kernel.compute);
  facts.fusible = of_window(report.roofline.fusible.time);
  facts.memory_product = of_window(report.roofline.memory_product.time);
  facts.slow_product = of_window(report.roofline.slow_product.time);
  facts.half_product = of_window(report.roofline.half_product.time);
  facts.tiny_kernels = of_window(report.roofline.tiny.time);
  if (const DeviceProperties* properties = report.properties(trace)) {
    // AMD's numbers are not compute capabilities, and HIP has no CUDA_MODULE_LOADING.
    if (properties->name.find("AMD") == std::string::npos)
      facts.compute_major = properties->compute_major;
    else
      facts.code_loading = 0;
    for (const MemoryTimeline& memory : report.memory)
      if (memory.is_gpu && properties->total_memory_bytes > 0 && !memory.times.empty())
        facts.memory_peak = std::max(facts.memory_peak, static_cast<double>(memory.allocated[memory.peak]) /
                                                            static_cast<double>(properties->total_memory_bytes));
  }
  facts.measured_steps = report.steps.steps.size() - report.steps.warm_up_count;
  // Where the CPU runs ahead, its steps are long when it is held up and short when it catches up, while the GPU goes
  // through them evenly; where the profiler held the GPU back, it is the other way round.
  const auto spread = [&](auto&& length) {
    Nanos shortest = kMaxNanos, longest = 0;
    for (std::size_t s = report.steps.warm_up_count; s < report.steps.steps.size(); ++s) {
      shortest = std::min(shortest, length(report.steps.steps[s]));
      longest = std::max(longest, length(report.steps.steps[s]));
    }
    return shortest > 0 && shortest <= longest ? TimeUse::part(longest, shortest) : 1;
  };
  facts.step_spread = std::min(spread([](const MeasuredStep& step) { return step.length(); }),
                               spread([](const MeasuredStep& step) { return step.span.duration(); }));
  return facts;
}

namespace {

/// Places for the rules about programs without a GPU.
void cpu_places(const Trace& trace, const Report& report, std::string_view key, std::vector<ReportPlace>& places) {
  const CpuReport& cpu = report.cpu;
  const auto add = [&](SliceId slice) {
    if (slice.valid()) places.push_back({trace.span(slice), slice});
  };
  const auto add_span = [&](TimeSpan span) {
    if (!span.empty()) places.push_back({span, {}});
  };
  if (key == "cpuMatrix") add(cpu.longest_matrix);
  if (key == "cpuCopies") add(cpu.longest_copy);
  if (key == "cpuOperators" && !report.operators.empty()) add(report.operators.front().longest);
  if (key == "cpuPython") add_span(cpu.longest_short_gap);
  if (key == "cpuLongGaps") add_span(cpu.longest_long_gap);
  if (key == "cpuDataInProcess" || key == "cpuDataFromWorkers") add(cpu.longest_data);
  if (key == "cpuCollectives") add(cpu.longest_collective);
  if (key == "cpuRanges" && !cpu.frames.empty())
    places.push_back({cpu.frames.front().longest, cpu.frames.front().slice});
  if (key == "cpuWaiting")
    for (const CpuFrame& frame : cpu.frames)
      if (frame.waits && places.empty()) places.push_back({frame.longest, frame.slice});
}

std::optional<SeenPlace> first_of(const std::vector<SeenPlace>& places) {
  return places.empty() ? std::nullopt : std::optional(places.front());
}

/// Names the place in the program that a rule about its threads is about.
void blame(const Report& report, std::string_view key, AdviceGiven& advice) {
  using enum ProgramKind;
  const ProgramReport& program = report.program;
  const CpuReport& cpu = report.cpu;
  const auto in = [&](ProgramKind kind) { return first_of(program.places_of(kind)); };
  const auto work = [&](KnownWork of) {
    const SeenPlace& place = program.work(of).place;
    return place.slice.valid() ? std::optional(place) : std::nullopt;
  };
  if (key == "programRunning" || key == "pageFaults") advice.blamed = in(kRunning);
  if (key == "programPreempted" || key == "quota" || key == "tooManyThreads") {
    advice.blamed = in(kPreempted);
    if (const auto running = in(kRunning); running && (!advice.blamed || running->time > advice.blamed->time))
      advice.blamed = running;
  }
  if (key == "programLocks" || key == "programGil") {
    advice.blamed = in(key == "programGil" ? kGil : kLock);
    advice.meanwhile = first_of(program.meanwhile);
    if (!advice.meanwhile) advice.meanwhile = first_of(program.children);
  }
  if (key == "programInput") {
    for (const ProgramKind kind : {kFiles, kNetwork, kPoll, kDevice})
      if (const auto place = in(kind); place && (!advice.blamed || place->time > advice.blamed->time))
        advice.blamed = place;
    advice.meanwhile = first_of(program.children);
  }
  if (key == "programSleep") advice.blamed = in(kSleep);
  if (key == "programChild") {
    advice.blamed = in(kChild);
    advice.meanwhile = first_of(program.children);
  }
  if (key == "programOutput") advice.blamed = work(KnownWork::kOutput);
  if (key == "programSync") advice.blamed = work(KnownWork::kSync);
  if (key == "programCollection") advice.blamed = work(KnownWork::kCollection);
  if (key == "programNames") advice.blamed = work(KnownWork::kNameLookup);
  if (key == "programLoop") advice.blamed = work(KnownWork::kEventLoop);
  if (key == "programContention") {
    advice.blamed = program.contention.place;
    advice.meanwhile = first_of(program.contention.meanwhile);
  }
  if (key == "cpuWaiting") advice.blamed = first_of(cpu.waiting_places);
  if (key == "cpuLongGaps") advice.blamed = first_of(cpu.gap_places);
  if (key == "cpuDataInProcess") advice.blamed = first_of(cpu.loading);
  if (key == "cpuDataFromWorkers") advice.meanwhile = first_of(cpu.workers);
  if (key == "cpuGil") advice.meanwhile = first_of(cpu.gil_holders);
}

}  // namespace

std::vector<AdviceGiven> give_advice(const Trace& trace, const Report& report, const WhatIf* what_if,
                                     unsigned threads) {
  std::vector<AdviceGiven> given;
  const AdviceFacts facts = advice_facts(trace, report);
  const auto gap_place = [&](GapCause cause, std::vector<ReportPlace>& places) {
    const DeviceReport* device = worst_device(report, cause);
    if (device == nullptr || device->lost(cause) == 0) return;
    const Gap& gap = device->longest[static_cast<std::size_t>(cause)];
    places.push_back({{gap.start, gap.end}, gap.after});
  };
  const auto slice_place = [&](SliceId slice, std::vector<ReportPlace>& places) {
    if (slice.valid()) places.push_back({trace.span(slice), slice});
  };
  const std::span<const AdviceRule> rules = advice_rules();
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (!rules[r].holds(facts)) continue;
    AdviceGiven& advice = given.emplace_back();
    advice.rule = static_cast<std::uint8_t>(r);
    const std::string_view key = rules[r].key;
    if (rules[r].idle_for) gap_place(*rules[r].idle_for, advice.places);
    if (key == "lateRanks" && advice.places.empty()) {
      const auto most = std::ranges::max_element(
          report.devices, {}, [](const DeviceReport& device) { return device.rank_waits.longest.span.duration(); });
      advice.places.push_back({most->rank_waits.longest.span, most->rank_waits.longest.collective});
    }
    if (key == "communication")
      for (const ReportKernel& kernel : report.kernels)
        if (kernel.kernel_class == KernelClass::kCommunication && advice.places.empty())
          slice_place(kernel.longest, advice.places);
    if (key == "pageableCopies")
      for (const ReportKernel& copy : report.copies)
        if (trace.text(copy.name).find("Pageable") != std::string_view::npos) slice_place(copy.longest, advice.places);
    if (key == "allocation") slice_place(report.longest_allocation, advice.places);
    if (key == "tensorCores") slice_place(report.kernel.longest_plain, advice.places);
    if (key == "smallGrids") slice_place(report.kernel.longest_small, advice.places);
    if (const RooflineReport::Part* part = roofline_part(report, key)) slice_place(part->longest, advice.places);
    if (key == "memory")
      for (const MemoryTimeline& memory : report.memory)
        if (memory.is_gpu && !memory.times.empty())
          advice.places.push_back({{memory.times[memory.peak], memory.times[memory.peak]}, memory.peak_operator});
    if (key == "missingKernels") slice_place(report.missing.first_launch_without_work, advice.places);
    cpu_places(trace, report, key, advice.places);
    blame(report, key, advice);
    if (advice.blamed)
      advice.places.insert(advice.places.begin(), {advice.blamed->longest, advice.blamed->slice});
    else if (key.starts_with("program") && key != "programRunning")
      slice_place(report.program.longest_wait, advice.places);
    else if (key == "programRunning" && !report.program.functions.empty())
      slice_place(report.program.functions.front().longest, advice.places);
    if (key == "unevenSteps") {
      const auto& steps = report.steps.steps;
      const auto first = steps.begin() + static_cast<std::ptrdiff_t>(report.steps.warm_up_count);
      const auto [shortest, longest] = std::minmax_element(
          first, steps.end(), [](const MeasuredStep& a, const MeasuredStep& b) { return a.length() < b.length(); });
      slice_place(longest->annotation, advice.places);
      slice_place(shortest->annotation, advice.places);
    }
  }
  rank_advice(trace, report, given, what_if, threads);
  return given;
}

}  // namespace lacuna

#include "model/report/advice.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr std::string_view kTensorBoard = "tb_plugin, run_generator.py (PyTorch's TensorBoard plugin)";
constexpr std::string_view kOurs = "Lacuna";

constexpr AdviceRule kRules[] = {
    {"launchBound", "the GPU idles for lack of launches for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.launch_bound >= 0.10; }, &AdviceFacts::launch_bound,
     "Give the GPU more work per launch or launch it with less effort: larger batches, "
     "torch.compile (mode=\"reduce-overhead\" uses CUDA graphs), fused or foreach optimisers."},
    {"synchronisation", "the GPU idles after synchronisations for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.synchronisation >= 0.05; }, &AdviceFacts::synchronisation,
     "Avoid making the CPU wait for the GPU: .item(), .cpu(), print and boolean tests of GPU "
     "tensors, nonzero and masks; keep such values on the GPU or read them later."},
    {"dataLoading", "waiting for data takes more than 5 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return !f.has_cpu && f.data_loading > 0.05; }, &AdviceFacts::data_loading,
     "Load data in the background: DataLoader(num_workers > 0, pin_memory=True, "
     "prefetch_factor, persistent_workers=True), or cheaper preprocessing."},
    {"communication", "communication that nothing hides takes more than 10 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return f.has_gpu && f.exposed_communication > 0.10; },
     &AdviceFacts::exposed_communication,
     "Overlap or shrink communication: larger DDP buckets or earlier ones, gradient accumulation, "
     "compression; and look for a rank that is late: the others' kernels then wait inside "
     "the collective."},
    {"profiler", "the GPU idles under the profiler's own overhead for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.profiler >= 0.05; }, &AdviceFacts::profiler,
     "These numbers are distorted by profiling: record with fewer options (with_stack, "
     "profile_memory, record_shapes off) and skip the first steps with schedule(warmup=…)."},
    {"pageableCopies", "copies from or to pageable memory take 1 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.pageable_copies >= 0.01; }, &AdviceFacts::pageable_copies,
     "Copy from pinned memory: DataLoader(pin_memory=True) and .to(device, non_blocking=True); "
     "a copy of pageable memory goes through a staging buffer and holds up the CPU."},
    {"allocation", "cudaMalloc, cudaFree and the like take 1 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.allocation >= 0.01; }, &AdviceFacts::allocation,
     "Memory is still being allocated from the driver: more warm-up, fewer changes of shape, or "
     "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."},
    {"codeLoading", "CUDA loads code for 1 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.code_loading >= 0.01; }, &AdviceFacts::code_loading,
     "First calls of kernels are in the window: profile later steps, or set "
     "CUDA_MODULE_LOADING=EAGER."},
    {"tensorCores",
     "compute capability 7 or higher, and matrix kernels without tensor cores take 10 % of the "
     "time of computing kernels or more, and 2 % of the window",
     "after tb_plugin, which asks for operators that never use them",
     [](const AdviceFacts& f) { return f.compute_major >= 7 && f.tensor_eligible >= 0.10 && f.tensor_window >= 0.02; },
     &AdviceFacts::tensor_eligible,
     "Let matrix products use tensor cores: torch.autocast (fp16, or bf16 from Ampere on), from "
     "Ampere on also TF32 (torch.set_float32_matmul_precision(\"high\")); sizes that are "
     "multiples of 8."},
    {"smallGrids",
     "kernels with less than one block per SM (collectives apart) take 20 % of the kernel time or "
     "more, while the GPU is busy for 85 % of the window or more",
     kOurs, [](const AdviceFacts& f) { return f.busy >= kBusyEnough && f.small_grids >= 0.20; },
     &AdviceFacts::small_grids,
     "The GPU is busy, but parts of it have nothing to do: larger batches, or independent work on "
     "several streams."},
    {"memory", "the peak of allocated memory is above 90 % of the GPU's", kTensorBoard,
     [](const AdviceFacts& f) { return f.memory_peak > 0.90; }, &AdviceFacts::memory_peak,
     "Little memory is left: activation checkpointing, gradient accumulation over smaller "
     "batches, or sharding (FSDP)."},
    {"unevenSteps",
     "of three or more measured steps, the longest takes 1.5 times as long as the "
     "shortest or more, on the CPU and from one end of their GPU work to the next",
     kOurs, [](const AdviceFacts& f) { return f.measured_steps >= 3 && f.step_spread >= 1.5; },
     &AdviceFacts::step_spread,
     "Averages hide how uneven the steps are: look at single ones (varying shapes, periodic work "
     "such as logging or checkpoints, a rank that waits for others)."},
    {"missingKernels", "1 % of the kernel launches or more have no kernel in the file", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.missing_kernels >= 0.01; }, &AdviceFacts::missing_kernels,
     "The numbers of the GPU are too low: records were lost. Synchronise before the profiler stops, "
     "or record fewer steps."},

    // Without a GPU.
    {"cpuMatrix",
     "operators take 50 % of the window or more, and matrix products, convolutions and attention 50 % of their own "
     "time or more",
     kOurs, [](const AdviceFacts& f) { return f.has_cpu && f.cpu_operators >= 0.50 && f.cpu_matrix >= 0.50; },
     &AdviceFacts::cpu_matrix,
     "The arithmetic is the limit: as many threads as there are cores (torch.set_num_threads), bfloat16 where the CPU "
     "has AMX or AVX512-BF16 (torch.autocast(\"cpu\")), channels_last for convolutions, quantisation for inference; or "
     "a GPU."},
    {"cpuShortCalls",
     "operators take 25 % of the window or more, and calls of less than 10 us of their own 25 % of their own time or "
     "more",
     kOurs, [](const AdviceFacts& f) { return f.has_cpu && f.cpu_operators >= 0.25 && f.cpu_short_calls >= 0.25; },
     &AdviceFacts::cpu_short_calls,
     "Many operators are so short that getting to them costs as much as they do, and recording them, too: larger "
     "batches, torch.compile, foreach or fused optimisers, torch.inference_mode() where nothing is trained."},
    {"cpuCopies", "operators take 25 % of the window or more, and copies 20 % of their own time or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_operators >= 0.25 && f.cpu_copies >= 0.20; },
     &AdviceFacts::cpu_copies,
     "Much is copied rather than computed: keep one dtype and one memory format, avoid cat, clone and contiguous in "
     "the loop, write into what is there (out=, copy_ once)."},
    {"cpuOperators", "operators take 50 % of the window or more, and none of the three rules before says why", kOurs,
     [](const AdviceFacts& f) {
       return f.has_cpu && f.cpu_operators >= 0.50 && f.cpu_matrix < 0.50 && f.cpu_short_calls < 0.25 &&
              f.cpu_copies < 0.20;
     },
     &AdviceFacts::cpu_operators,
     "The time is inside operators: begin with those at the top of the table below. torch.compile fuses element-wise "
     "ones, which mostly wait for memory; more threads help where the machine has cores to spare; else smaller types, "
     "another algorithm, or a GPU."},
    {"cpuPython", "Python between operators takes 20 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_python >= 0.20; }, &AdviceFacts::cpu_python,
     "Python takes its time between operators: fewer and larger ones, torch.compile, whole-tensor operations in place "
     "of loops, logging and metrics out of the loop; the section on what is between operators says where it is."},
    {"cpuLongGaps", "gaps of 1 ms or more between operators take 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_long_gaps >= 0.10; }, &AdviceFacts::cpu_long_gaps,
     "Look at the longest gaps one by one: work of the program's own (NumPy, files, logging), first calls and imports, "
     "garbage collection; or the thread did not run, because others had the cores or a container's CPU limit was "
     "reached."},
    {"cpuDataInProcess", "waiting for data that the process loads itself takes more than 5 % of the window",
     kTensorBoard, [](const AdviceFacts& f) { return f.has_cpu && f.data_in_process > 0.05; },
     &AdviceFacts::data_in_process,
     "Load data in the background: DataLoader(num_workers=1 or more, persistent_workers=True), with cores left for "
     "them; or make preprocessing cheaper, or do it once."},
    {"cpuDataFromWorkers", "waiting for worker processes to load data takes more than 5 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return f.has_cpu && f.data_from_workers > 0.05; }, &AdviceFacts::data_from_workers,
     "The workers are too slow or too late: more of them while there are cores, a larger prefetch_factor, "
     "persistent_workers=True, cheaper preprocessing; and see that they and the operators' threads do not fight for "
     "the same cores (torch.set_num_threads)."},
    {"cpuWaiting", "waiting for locks, I/O or time takes 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_waiting >= 0.05; }, &AdviceFacts::cpu_waiting,
     "The thread waits without computing: read and write in a thread of its own, queue results instead of joining, "
     "hold locks for less long, remove sleeps and polls from the loop."},
    {"cpuCollectives", "collectives that no operator hides take more than 10 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_collectives > 0.10; }, &AdviceFacts::cpu_collectives,
     "Overlap or shrink communication: larger or earlier DDP buckets, gradient accumulation, compression; and look for "
     "a rank that is late: the others wait for it inside the collective."},
    {"cpuRanges", "without any operator, named ranges and Python frames take 50 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_ranges >= 0.50; }, &AdviceFacts::cpu_ranges,
     "Begin with the range or frame at the top of the table below; where its own time is long, name its parts (NVTX "
     "ranges, record_function)."},
    {"cpuUnrecorded", "without any operator, 50 % of the window or more is in no range and no frame", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_unrecorded >= 0.50; }, &AdviceFacts::cpu_unrecorded,
     "Most of the time has no name in this trace: put ranges around the parts of the program (NVTX, record_function)."},

    // Programs of which only thread states and stacks are known.
    {"programRunning", "the thread that ran most ran for 50 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_running >= 0.50; }, &AdviceFacts::program_running,
     "It computes: begin with the function at the top of the sampled stacks below. Share the work among more threads "
     "or "
     "processes where the machine has cores to spare; in Python move loops into native code (NumPy, torch, numba)."},
    {"programPreempted", "the thread that ran most waited for a CPU for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_preempted >= 0.10; }, &AdviceFacts::program_preempted,
     "More threads want to run than there are CPUs: start fewer (OMP_NUM_THREADS, torch.set_num_threads, workers), "
     "stop "
     "what else runs there, or raise the container's CPU limit."},
    {"programLocks", "it waited for locks for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_locks >= 0.10; }, &AdviceFacts::program_locks,
     "It waits for other threads: look at what they do meanwhile, on the lanes beside it; hold locks for less long, "
     "hand "
     "over work in larger pieces; in Python the interpreter's own lock counts as well."},
    {"programInput", "it waited for files, the network, polls or devices for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_input >= 0.10; }, &AdviceFacts::program_input,
     "Read and write in a thread of its own or ahead of time, in larger pieces; keep files where they are read fast."},
    {"programSleep", "it slept for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_sleep >= 0.10; }, &AdviceFacts::program_sleep,
     "It sleeps: wait for what is meant (a condition, an event) instead of for a time, or poll more often."},
    {"programChild", "it waited for a child process for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_child >= 0.10; }, &AdviceFacts::program_child,
     "The work is in a process that it started: look at that one's lanes."},
};

}  // namespace

std::span<const AdviceRule> advice_rules() {
  return kRules;
}

namespace {

/// The GPU that lost the most for this reason.
const DeviceReport* worst_device(const Report& report, GapCause cause) {
  const auto worst =
      std::ranges::max_element(report.devices, {}, [&](const DeviceReport& device) { return device.lost(cause); });
  return worst == report.devices.end() ? nullptr : &*worst;
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
    for (const DeviceReport& each : report.devices)
      facts.data_loading =
          std::max(facts.data_loading, of_window(each.lost(GapCause::kDataLoading) + each.edge_data_loading));
    facts.profiler = worst(GapCause::kProfilerOverhead);
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
  if (const DeviceProperties* properties = report.properties(trace)) {
    // AMD's numbers are not compute capabilities.
    if (properties->name.find("AMD") == std::string::npos) facts.compute_major = properties->compute_major;
    for (const MemoryTimeline& memory : report.memory)
      if (memory.is_gpu && properties->total_memory_bytes > 0 && !memory.times.empty())
        facts.memory_peak = std::max(facts.memory_peak, static_cast<double>(memory.allocated[memory.peak]) /
                                                            static_cast<double>(properties->total_memory_bytes));
  }
  Nanos shortest = kMaxNanos, longest = 0;
  for (std::size_t s = report.steps.warm_up_count; s < report.steps.steps.size(); ++s) {
    shortest = std::min(shortest, report.steps.steps[s].span.duration());
    longest = std::max(longest, report.steps.steps[s].span.duration());
    ++facts.measured_steps;
  }
  if (facts.measured_steps > 0 && shortest > 0) facts.step_spread = TimeUse::part(longest, shortest);
  // Where the CPU runs ahead, its steps are long when it is held up and short when it catches up; the
  // GPU, which is what counts, may go through them evenly.
  const std::vector<Nanos> paces = report.gpu_paces();
  if (const auto [least, most] = std::ranges::minmax_element(paces); paces.size() >= 2 && *least > 0)
    facts.step_spread = std::min(facts.step_spread, TimeUse::part(*most, *least));
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

}  // namespace

std::vector<AdviceGiven> give_advice(const Trace& trace, const Report& report) {
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
  for (std::size_t r = 0; r < std::size(kRules); ++r) {
    if (!kRules[r].holds(facts)) continue;
    AdviceGiven& advice = given.emplace_back();
    advice.rule = static_cast<std::uint8_t>(r);
    const std::string_view key = kRules[r].key;
    if (key == "launchBound") gap_place(GapCause::kLaunchBound, advice.places);
    if (key == "synchronisation") gap_place(GapCause::kSynchronisation, advice.places);
    if (key == "dataLoading") {
      gap_place(GapCause::kDataLoading, advice.places);
      // It may all have been before the first activity.
      for (const DeviceReport& device : report.devices)
        if (advice.places.empty() && device.edge_data_loading > 0)
          advice.places.push_back({device.edges[device.edges[0].duration() >= device.edges[1].duration() ? 0 : 1], {}});
    }
    if (key == "profiler") gap_place(GapCause::kProfilerOverhead, advice.places);
    if (key == "communication")
      for (const ReportKernel& kernel : report.kernels)
        if (kernel.is_communication && advice.places.empty()) slice_place(kernel.longest, advice.places);
    if (key == "pageableCopies")
      for (const ReportKernel& copy : report.copies)
        if (trace.text(copy.name).find("Pageable") != std::string_view::npos) slice_place(copy.longest, advice.places);
    if (key == "allocation") slice_place(report.longest_allocation, advice.places);
    if (key == "tensorCores") slice_place(report.kernel.longest_plain, advice.places);
    if (key == "smallGrids") slice_place(report.kernel.longest_small, advice.places);
    if (key == "memory")
      for (const MemoryTimeline& memory : report.memory)
        if (memory.is_gpu && !memory.times.empty())
          advice.places.push_back({{memory.times[memory.peak], memory.times[memory.peak]}, memory.peak_operator});
    if (key == "missingKernels") slice_place(report.missing.first_launch_without_work, advice.places);
    cpu_places(trace, report, key, advice.places);
    if (key == "programRunning" && !report.program.functions.empty())
      slice_place(report.program.functions.front().longest, advice.places);
    else if (key.starts_with("program"))
      slice_place(report.program.longest_wait, advice.places);
    if (key == "unevenSteps") {
      const auto& steps = report.steps.steps;
      const auto first = steps.begin() + static_cast<std::ptrdiff_t>(report.steps.warm_up_count);
      const auto [shortest, longest] = std::minmax_element(
          first, steps.end(),
          [](const ReportStep& a, const ReportStep& b) { return a.span.duration() < b.span.duration(); });
      slice_place(longest->annotation, advice.places);
      slice_place(shortest->annotation, advice.places);
    }
  }
  return given;
}

}  // namespace lacuna

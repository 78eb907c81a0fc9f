#include "model/help/column_help.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"
#include "model/help/panel_help.h"
#include "model/report/cpu_use.h"
#include "model/report/time_use.h"

namespace lacuna {
namespace {

constexpr std::string_view kStatistics = "statistics";
constexpr std::string_view kTorch = "torch";
constexpr std::string_view kStatisticsSource = "Lacuna, model/statistics/statistics.h";
constexpr std::string_view kReport = "report";
constexpr std::string_view kRoofline = "roofline";
constexpr std::string_view kGroupsSource = "Lacuna, model/groups/group_table.h";
constexpr std::string_view kRooflineSource = "Lacuna, model/roofline/roofline.h";
constexpr std::string_view kModels = "Lacuna, model/roofline/work_models.h";
constexpr std::string_view kReportSource = "Lacuna, model/report/report.h";
constexpr std::string_view kCpuSource = "Lacuna, model/report/cpu_report.h";
constexpr std::string_view kTable = "torch/autograd/profiler_util.py, _build_table(), torch 2.15";
constexpr std::string_view kEvent = "torch/autograd/profiler_util.py, FunctionEvent, torch 2.15";
constexpr std::string_view kAverages = "torch/autograd/profiler_util.py, key_averages(), torch 2.15";
constexpr std::string_view kCovered = "Lacuna, model/torch/torch_covered.h; torch has no such column";

constexpr std::array kColumns{
    ColumnHelp{kStatistics, "Name", "name", "The name of the slices, as in the file.", kStatisticsSource},
    ColumnHelp{kStatistics, "Category", "category", "Their category (\"cat\"), as in the file.", kStatisticsSource},
    ColumnHelp{kStatistics, "Count", "count", "Number of slices of that name and category.", kStatisticsSource},
    ColumnHelp{kStatistics, "Total", "total totalNs total_ns",
               "Sum of the durations of all slices of that name. Nested ones each count, so that a "
               "function "
               "that calls itself counts twice. In a range their parts inside it count.",
               kStatisticsSource},
    ColumnHelp{kStatistics, "Self", "self selfNs self_ns",
               "Total less the time inside direct children on the same track. On a GPU stream self "
               "= total, "
               "since kernels that overlap run side by side.",
               kStatisticsSource},
    ColumnHelp{
        kStatistics, "Avg", "avg avgNs avg_ns average",
        "Total / count, rounded to the nearest ns: in a range of the parts inside it, where Min and Max are of whole "
        "slices.",
        kStatisticsSource},
    ColumnHelp{kStatistics, "Min", "min minNs min_ns", "The shortest whole duration.", kStatisticsSource},
    ColumnHelp{kStatistics, "Max", "max maxNs max_ns", "The longest whole duration.", kStatisticsSource},
    ColumnHelp{kStatistics, "Share", "share sharePercent share_percent",
               "GPU activity: total as part of all GPU activity of the trace. CPU slices: self "
               "time as part of "
               "all self time on CPU threads. 0 for async slices and GPU annotations, whose time "
               "is counted "
               "elsewhere.",
               kStatisticsSource},
    ColumnHelp{kStatistics, "P50", "p50 p50Ns p50_ns median",
               "The duration that half of the slices reach at most (nearest rank), of whole durations.", kGroupsSource},
    ColumnHelp{kStatistics, "P99", "p99 p99Ns p99_ns",
               "The duration that 99 % of the slices reach at most (nearest rank), of whole durations.", kGroupsSource},
    ColumnHelp{kStatistics, "Launch delay", "launch_delay launchDelayNs launch_delay_ns",
               "GPU activity: mean time from the end of the call that launched it to its start, not "
               "below 0. Only activities whose launch is in the file.",
               "Holistic Trace Analysis, get_cuda_kernel_launch_stats()"},
    ColumnHelp{kStatistics, "GPU time", "gpu_time gpuTimeNs gpu_time_ns",
               "CPU slices: durations, added up, of the kernels, copies and sets launched inside them, "
               "nested slices included; work inside nested slices of one row counts once.",
               kGroupsSource},
    ColumnHelp{kStatistics, "Occupancy", "occupancy occupancyPercent occupancy_percent",
               "Kernels: mean of \"est. achieved occupancy %\" of the file, weighted by duration. An "
               "estimate from registers, shared memory and grid, not a measurement. 0 where a single block "
               "would be more (Kineto's estimate fails for kernels with much shared memory) counts as unknown.",
               "tb_plugin; the estimate is Kineto's (CuptiActivity.cpp)"},
    ColumnHelp{kStatistics, "Bytes", "bytes",
               "Copies and sets: sum of args.bytes; of those that a range cuts, the part of their time inside it.",
               kGroupsSource},
    ColumnHelp{
        kStatistics, "GB/s", "gbps gigabytesPerSecond gigabytes_per_second",
        "Bytes / Total, 10^9 bytes a second; copies at the same time count their times added up. Operators with a "
        "model: the bytes of memory that they need, for the GPU time that they launched.",
        kGroupsSource},
    ColumnHelp{
        kStatistics, "FLOPs", "flops",
        "Floating-point operations of mm, addmm, bmm, baddbmm, linear, convolutions and attention, "
        "from the shapes of their inputs (record_shapes=True): a multiply and an add count two. "
        "Operators that pass the work on (aten::linear to aten::addmm) count in their own row, too. Causal attention "
        "counts without its mask, as in torch: twice what FLOP/B, Of roof and the roofline count, which leave out "
        "what the mask does.",
        "torch/utils/flop_counter.py, torch 2.15"},
    ColumnHelp{kStatistics, "TFLOP/s", "tflops",
               "FLOPs / durations, added up, of the GPU work launched inside those calls; for calls that "
               "launched nothing, of the calls. With kernels that only copy or convert among them it is "
               "below what the matrix kernel reaches.",
               kGroupsSource},
    ColumnHelp{kStatistics, "Peak %", "peak peakPercent peak_percent",
               "TFLOP/s as part of what the maker states for the GPU in deviceProperties and the type of "
               "the first input, dense. float counts against fp32 without tensor cores: with TF32 allowed "
               "it can pass 100 %.",
               "Data sheets, named in model/roofline/gpu_peaks.cpp"},
    ColumnHelp{kStatistics, "FLOP/B", "intensity flopPerByte flop_per_byte",
               "Arithmetic intensity of the operators that have a model: their operations per byte of memory, each "
               "operand read or written once. Of operators inside each other the outermost counts.",
               kModels},
    ColumnHelp{kStatistics, "Of roof", "roof percentOfRoof percent_of_roof",
               "The time that the GPU's peaks allow for those operators, as part of the GPU time that they took.",
               kRooflineSource},
    ColumnHelp{kStatistics, "Bound by", "bound",
               "What holds back most of their GPU time: memory, compute, or latency (too small for the GPU).",
               kRooflineSource},
    ColumnHelp{kStatistics, "Grid", "grid",
               "Kernels: blocks in x, y and z of the first one; … where others of the row differ.", kGroupsSource},
    ColumnHelp{kStatistics, "Block", "block",
               "Kernels: threads of a block in x, y and z of the first one; … where others differ.", kGroupsSource},

    ColumnHelp{kReport, "Step", "step", "A ProfilerStep; those that are warm-up are shown, but not measured.",
               kReportSource},
    ColumnHelp{
        kReport, "Length", "length lengthNs wall wallNs wall_ns",
        "From when the step began, or the one before it had ended if that is later, to when its annotation and all "
        "GPU work that it launched had ended. Steps that follow each other add up.",
        kReportSource},
    ColumnHelp{kReport, "On the CPU", "on_the_cpu", "From the start of the step's annotation to its end, on the CPU.",
               kReportSource},
    ColumnHelp{kReport, "What", "what", "What a moment counts as: the first of the rows that was going on then.",
               kReportSource},
    ColumnHelp{kReport, "Time", "time",
               "Length of the union inside the measured window: what happens twice at a time counts once. Of copies: "
               "their durations, added up.",
               kReportSource},
    ColumnHelp{kReport, "Share", "share", "Time as part of the measured wall time.", kReportSource},
    ColumnHelp{kReport, "Definition", "definition", "What makes a moment count as this.", kReportSource},
    ColumnHelp{kReport, "GPU", "gpu device", "The GPU that waited: its ordinal, as in the file.", kReportSource},
    ColumnHelp{kReport, "Operator", "operator",
               "The operator, as in the file; where the CPU was in none, a Python frame, runtime call or annotation.",
               kReportSource},
    ColumnHelp{kReport, "Of the window", "of_the_window", "Time as part of the measured wall time.", kReportSource},
    ColumnHelp{kReport, "Places", "places", "Gaps of which the row is charged some.", kReportSource},
    ColumnHelp{kReport, "Kernel", "kernel", "The kernel's name, as in the file.", kReportSource},
    ColumnHelp{kReport, "Class", "class", "What kernels are for, by their names; copies and sets are copies.",
               kReportSource},
    ColumnHelp{kReport, "Of GPU work", "of_gpu_work",
               "Total as part of that of all kernels, copies and sets of the measured window.", kReportSource},
    ColumnHelp{kReport, "Count", "count", "How many of that name overlap the measured window.", kReportSource},
    ColumnHelp{kReport, "Total", "total totalNs total_ns", "Durations inside the measured window, added up.",
               kReportSource},
    ColumnHelp{kReport, "Avg", "avg", "Total / count.", kReportSource},
    ColumnHelp{kReport, "Occupancy", "occupancy occupancyPercent",
               "Mean of \"est. achieved occupancy %\", weighted by time: Kineto's estimate, without those that "
               "failed (0 although a single block would be more).",
               "TensorBoard plugin of PyTorch"},
    ColumnHelp{kReport, "Calls", "calls", "Calls of the operator that overlap the measured window.", kReportSource},
    ColumnHelp{kReport, "GPU time", "gpu_time gpuTimeNs gpu_time_ns",
               "Durations, added up, of what was launched with the operator as the innermost one.", kReportSource},
    ColumnHelp{kReport, "Self CPU", "self_cpu selfCpuNs self_cpu_ns",
               "Time in the operator itself, without what it calls.", kReportSource},
    ColumnHelp{kReport, "Of self CPU", "of_self_cpu", "Self CPU as part of the self CPU time of all operators.",
               kReportSource},
    ColumnHelp{kReport, "Kind", "kind", "What was copied from where to where, or set.", kReportSource},
    ColumnHelp{kReport, "Bytes", "bytes", "The args' \"bytes\", added up.", kReportSource},
    ColumnHelp{kReport, "Device", "device", "Whose memory.", kReportSource},
    ColumnHelp{kReport, "At", "at", "Since the first event of the trace.", kReportSource},
    ColumnHelp{kReport, "Operator then", "operator_then peakOperator peak_operator",
               "The innermost operator at that time on the thread that allocated.", kReportSource},
    ColumnHelp{kReport, "Allocations", "allocations", "[memory] records with positive bytes.", kReportSource},
    ColumnHelp{kReport, "kernel", "kernelNs kernel_ns", kTimeKindDefinitions[0], kReportSource},
    ColumnHelp{kReport, "memcpy", "memcpyNs memcpy_ns", kTimeKindDefinitions[1], kReportSource},
    ColumnHelp{kReport, "memset", "memsetNs memset_ns", kTimeKindDefinitions[2], kReportSource},
    ColumnHelp{kReport, "communication", "communicationNs communication_ns", kTimeKindDefinitions[3], kReportSource},
    ColumnHelp{kReport, "waiting kernel", "waiting_kernel waitingKernel waitingKernelNs waiting_kernel_ns",
               kTimeKindDefinitions[4], kReportSource},
    ColumnHelp{kReport, "runtime", "runtimeNs runtime_ns", kTimeKindDefinitions[5], kReportSource},
    ColumnHelp{kReport, "data loading", "dataLoading dataLoadingNs data_loading_ns", kTimeKindDefinitions[6],
               kReportSource},
    ColumnHelp{kReport, "CPU operators", "cpu cpuNs cpu_ns", kTimeKindDefinitions[7], kReportSource},
    ColumnHelp{kReport, "other", "otherNs other_ns", kTimeKindDefinitions[8], kReportSource},
    ColumnHelp{kReport, "waiting for data", "waiting_for_data", kCpuKindDefinitions[0], kCpuSource},
    ColumnHelp{kReport, "operators", "operatorsNs operators_ns", kCpuKindDefinitions[1], kCpuSource},
    ColumnHelp{kReport, "collectives", "collectivesNs collectives_ns", kCpuKindDefinitions[2], kCpuSource},
    ColumnHelp{kReport, "waiting", "waitingNs waiting_ns", kCpuKindDefinitions[3], kCpuSource},
    ColumnHelp{kReport, "outside of steps", "outside_of_steps outsideStepsNs outside_steps_ns", kCpuKindDefinitions[4],
               kCpuSource},
    ColumnHelp{kReport, "Python", "pythonNs python_ns", kCpuKindDefinitions[5], kCpuSource},
    ColumnHelp{kReport, "long gaps", "longGapsNs long_gaps_ns", kCpuKindDefinitions[6], kCpuSource},
    ColumnHelp{kReport, "ranges and frames", "ranges_and_frames rangesNs ranges_ns", kCpuKindDefinitions[7],
               kCpuSource},
    ColumnHelp{kReport, "unrecorded", "unrecordedNs unrecorded_ns", kCpuKindDefinitions[8], kCpuSource},
    ColumnHelp{kReport, "Thread", "thread", "A thread of the process that had operators in the window.", kCpuSource},
    ColumnHelp{kReport, "In operators", "in_operators", "Union of the thread's operators: nested ones count once.",
               kCpuSource},
    ColumnHelp{kReport, "Frame or range", "frame_or_range",
               "The innermost Python frame or named range of the leading thread; frames of C code count for the frame "
               "that called them, ProfilerSteps for nothing.",
               kCpuSource},
    ColumnHelp{
        kReport, "Waits in", "waits_in waitsIn",
        "The call of C code that waits there for a lock, I/O, a process or a time. Empty: no such call was open.",
        kCpuSource},
    ColumnHelp{kReport, "Own time", "own_time ownNs own_ns",
               "Time without operators, data loading and collectives, and without the frames and ranges inside.",
               kCpuSource},
    ColumnHelp{kReport, "GPU busy", "gpu_busy gpuBusyNs gpu_busy_ns",
               "Union of kernels, copies and sets of all GPUs of the file: what overlaps counts once.", kReportSource},
    ColumnHelp{kReport, "GPU idle", "gpu_idle",
               "The measured window less the time in which the GPU was busy: its gaps of any length, as far as "
               "they lie in the window, and the time before its first and after its last activity.",
               kReportSource},
    ColumnHelp{kReport, "GPU lag", "gpu_lag gpuLagNs gpu_lag_ns",
               "From the end of the step on the CPU to the end of the last GPU work launched in it; 0 where "
               "that had ended before.",
               kReportSource},
    ColumnHelp{kReport, "Launches", "launches", "Calls inside the step that started GPU work; a graph launch is one.",
               kReportSource},
    ColumnHelp{kReport, "Idle GPU time", "idle_gpu_time lostNs lost_ns",
               "Idle time of the GPU that the CPU caused, charged to the outermost operator (else "
               "Python frame, call or annotation) that ran while the next launch was due.",
               "Lacuna, model/causes/cause_ranking.h"},
    ColumnHelp{kReport, "Kernel time", "kernel_time",
               "Total as part of the durations of all kernels of the window, added up.", kReportSource},
    ColumnHelp{kReport, "Tensor cores", "tensor_cores tensorCores",
               "Whether the kernel's name says that it uses tensor (matrix) cores. Empty: no matrix product, "
               "convolution or attention by its name.",
               "Lacuna, model/report/tensor_cores.cpp, after tb_plugin's list"},
    ColumnHelp{kReport, "Rate", "rate",
               "Bytes / time: 10^9 bytes a second; none for copies of less than 64 KiB on average, "
               "which measure latency.",
               kReportSource},
    ColumnHelp{kReport, "Peak allocated", "peak_allocated peakBytes peak_bytes",
               "Highest \"Total Allocated\" of the [memory] records (tensors); in files of 2021 the highest "
               "sum of their bytes since the recording began.",
               kReportSource},
    ColumnHelp{kReport, "Peak reserved", "peak_reserved peakReservedBytes peak_reserved_bytes",
               "Highest \"Total Reserved\": what the caching allocator held.", kReportSource},

    ColumnHelp{kTorch, "Name", "name key",
               "What the events of a row share: their name (C++ names demangled, ProfilerStep#N as "
               "ProfilerStep*), whether they ran on the CPU or a GPU, and whether they are "
               "annotations. With "
               "--group-by-input-shape and --group-by-stack-n also those. Kernels and copies have "
               "rows of their "
               "own beside the operators that launched them.",
               kAverages},
    ColumnHelp{kTorch, "Self CPU %", "selfCpuPercent self_cpu_percent",
               "Self CPU as part of the sum of Self CPU over all rows, shown or not.", kTable},
    ColumnHelp{kTorch, "Self CPU", "selfCpuNs self_cpu_ns self_cpu_time_total",
               "CPU total less the CPU total of the direct children. An event is a child of the "
               "innermost event "
               "of its thread that contains it entirely; partial overlap makes no child. Never "
               "clamped: it is "
               "negative where children on paper last longer than their parent. 0 for GPU rows and "
               "asynchronous "
               "events.",
               kEvent},
    ColumnHelp{kTorch, "CPU total %", "cpuTotalPercent cpu_total_percent",
               "CPU total as part of the sum of Self CPU over all rows. Nested events of one name "
               "each count, so "
               "it can pass 100 %. 0 for asynchronous events.",
               kTable},
    ColumnHelp{kTorch, "CPU total", "cpuTotalNs cpu_total_ns cpu_time_total",
               "Sum of the durations of the row's CPU events, children included. 0 for GPU rows.", kEvent},
    ColumnHelp{kTorch, "CPU time avg", "cpuAvgNs cpu_avg_ns cpu_time", "CPU total / # of Calls.", kTable},
    ColumnHelp{kTorch, "Self CUDA", "selfDeviceNs self_device_ns self_device_time_total",
               "CPU rows: durations, added up, of the kernels, copies and sets that the events themselves "
               "launched (by External id); kernels at the same time on two streams count twice. GPU rows: "
               "durations of the events. With --time union: time covered instead, so that what overlaps "
               "counts "
               "once.",
               kEvent},
    ColumnHelp{kTorch, "Self CUDA %", "selfDevicePercent self_device_percent",
               "Self CUDA as part of the sum of Self CUDA over GPU rows without annotations. Each "
               "kernel counts in "
               "its own row and in its operator's, so the column adds up to about 200 %. With "
               "--time union: as part "
               "of the time in which the GPU did anything.",
               kTable},
    ColumnHelp{kTorch, "CUDA total", "deviceTotalNs device_total_ns device_time_total",
               "CPU rows: Self CUDA plus the CUDA total of the children. GPU rows: as Self CUDA. "
               "There is no "
               "percentage of it.",
               kEvent},
    ColumnHelp{kTorch, "CUDA time avg", "deviceAvgNs device_avg_ns device_time", "CUDA total / # of Calls.", kTable},
    ColumnHelp{kTorch, "CPU covered", "cpuCoveredNs cpu_covered_ns",
               "Time in which at least one of the row's CPU events ran, on whatever thread: the "
               "union of their "
               "intervals. Recursion and parallel threads count once.",
               kCovered},
    ColumnHelp{kTorch, "CPU cover %", "cpuCoveredPercent cpu_covered_percent",
               "CPU covered as part of the time in which any CPU event ran. Never above 100 %.", kCovered},
    ColumnHelp{kTorch, "CPU overlap", "cpuOverlapNs cpu_overlap_ns", "CPU total less CPU covered.", kCovered},
    ColumnHelp{kTorch, "Self overlap", "selfDeviceOverlapNs self_device_overlap_ns",
               "torch's Self CUDA less the time covered: what overlapping streams count twice.", kCovered},
    ColumnHelp{kTorch, "CUDA covered", "deviceCoveredNs device_covered_ns selfDeviceCoveredNs",
               "Time in which at least one of the kernels behind CUDA total ran: the union of "
               "their intervals, over "
               "all streams and devices.",
               kCovered},
    ColumnHelp{kTorch, "CUDA overlap", "deviceOverlapNs device_overlap_ns", "torch's CUDA total less CUDA covered.",
               kCovered},
    ColumnHelp{kTorch, "CPU Mem", "cpuMemoryBytes cpu_memory_bytes cpu_memory_usage",
               "Bytes of CPU memory allocated less bytes freed from the start to the end of each "
               "event, by whatever "
               "thread.",
               kEvent},
    ColumnHelp{kTorch, "Self CPU Mem", "selfCpuMemoryBytes self_cpu_memory_bytes self_cpu_memory_usage",
               "CPU Mem less that of the direct children. Negative where more was freed.", kEvent},
    ColumnHelp{kTorch, "CUDA Mem", "deviceMemoryBytes device_memory_bytes device_memory_usage",
               "As CPU Mem, for GPU memory.", kEvent},
    ColumnHelp{kTorch, "Self CUDA Mem", "selfDeviceMemoryBytes self_device_memory_bytes self_device_memory_usage",
               "As Self CPU Mem, for GPU memory.", kEvent},
    ColumnHelp{kTorch, "# of Calls", "count calls",
               "Number of events. An event that is the only child of one of its own name is merged "
               "into it and "
               "does not count.",
               kAverages},
    ColumnHelp{kTorch, "Input Shapes", "inputShapes input_shapes",
               "Sizes of the tensors passed in, [] for anything else, a list of tensors included. Needs "
               "record_shapes=True when recording.",
               kAverages},
    ColumnHelp{kTorch, "Source Location", "stack source",
               "The innermost frames of the stack; a backward operator has that of its forward operator. "
               "Needs "
               "with_stack=True and experimental_config=_ExperimentalConfig(verbose=True) when recording.",
               kAverages},

    ColumnHelp{kRoofline, "Operator", "roofline_operator",
               "Calls of one operator with the same shapes, types and strides. One without a model, or with incomplete "
               "args, has no row.",
               kRooflineSource},
    ColumnHelp{kRoofline, "Input dims", "roofline_dims", "Sizes of the tensors passed in.", kRooflineSource},
    ColumnHelp{kRoofline, "Class", "roofline_class", "What the operator is for, as kernels are classed.", kModels},
    ColumnHelp{kRoofline, "Calls", "roofline_calls", "Number of calls.", kRooflineSource},
    ColumnHelp{kRoofline, "GPU time", "roofline_gpu_time",
               "Durations of the GPU work that the calls launched, added up.", kRooflineSource},
    ColumnHelp{kRoofline, "GFLOP", "roofline_flop",
               "Floating-point operations of one call, by a model of the operator and its shapes, in billions.",
               kModels},
    ColumnHelp{kRoofline, "MiB", "roofline_bytes",
               "Bytes that one call reads and writes, each operand once, in units of 1,048,576.", kModels},
    ColumnHelp{kRoofline, "FLOP/B", "flopPerByte flop_per_byte", "Arithmetic intensity: FLOP for each byte moved.",
               kRooflineSource},
    ColumnHelp{kRoofline, "TFLOP/s", "roofline_tflops", "FLOP of all calls for their GPU time.", kRooflineSource},
    ColumnHelp{kRoofline, "GB/s", "roofline_gbps", "Bytes of all calls for their GPU time.", kRooflineSource},
    ColumnHelp{kRoofline, "Bound by", "roofline_bound",
               "At the GPU's peaks, what takes longer: moving the bytes (memory) or the operations (compute). Latency: "
               "that would be less than 2 us, and the call took over twice as long.",
               kRooflineSource},
    ColumnHelp{kRoofline, "Of roof", "percentOfRoof percent_of_roof",
               "The time that the call would take at the GPU's peaks as a part of the time that it took.",
               kRooflineSource},
    ColumnHelp{
        kRoofline, "Time in the roofline", "roofline_time",
        "GPU time of work launched by operators with a row, each activity once, as part of all GPU work with a launch "
        "in the file.",
        kRooflineSource},
};

/// Lower case without spaces and underscores; every device is cuda.
std::string simplified(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '_' && c != '-') result += to_lower(c);
  for (const std::string_view device : {"device", "xpu"})
    for (std::size_t at = 0; (at = result.find(device, at)) != std::string::npos;)
      result.replace(at, device.size(), "cuda");
  return result;
}

bool has_key(std::string_view keys, std::string_view wanted) {
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find(' '));
    if (simplified(key) == wanted) return true;
    keys.remove_prefix(std::min(keys.size(), key.size() + 1));
  }
  return false;
}

}  // namespace

std::span<const ColumnHelp> column_help() {
  static const std::vector<ColumnHelp> kAll = [] {
    std::vector<ColumnHelp> all(kColumns.begin(), kColumns.end());
    all.insert(all.end(), panel_help().begin(), panel_help().end());
    return all;
  }();
  return kAll;
}

std::vector<const ColumnHelp*> explain_column(std::string_view text) {
  const std::string wanted = simplified(text);
  std::vector<const ColumnHelp*> found;
  for (const ColumnHelp& column : column_help())
    if (simplified(column.title) == wanted || has_key(column.keys, wanted)) found.push_back(&column);
  return found;
}

}  // namespace lacuna

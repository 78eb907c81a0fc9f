#include "model/help/panel_help.h"

#include <array>

namespace lacuna {
namespace {

constexpr std::string_view kGaps = "gaps";
constexpr std::string_view kRanking = "ranking";
constexpr std::string_view kPlaces = "places";
constexpr std::string_view kDead = "dead";
constexpr std::string_view kInstances = "dead_instances";
constexpr std::string_view kDiff = "diff";
constexpr std::string_view kStructure = "diff_structure";
constexpr std::string_view kPairs = "kernel_pairs";
constexpr std::string_view kSummary = "diff_summary";
constexpr std::string_view kGroups = "groups";
constexpr std::string_view kDetails = "details";
constexpr std::string_view kBars = "bars";
constexpr std::string_view kWork = "work";
constexpr std::string_view kCalls = "calls";
constexpr std::string_view kMemory = "memory";

constexpr std::string_view kJobComparison = "job_comparison";
constexpr std::string_view kPath = "path";
constexpr std::string_view kWhatIf = "what_if";

constexpr std::string_view kCriticalPath = "Lacuna, model/path/critical_path.h";
constexpr std::string_view kJobs = "Lacuna, model/job/job_compare.h";
constexpr std::string_view kReplay = "Lacuna, model/path/replay.h";
constexpr std::string_view kCauses = "Lacuna, model/causes/gap_rules.cpp";
constexpr std::string_view kRankings = "Lacuna, model/causes/cause_ranking.h";
constexpr std::string_view kWindows = "Lacuna, model/causes/dead_windows.h";
constexpr std::string_view kGap = "Lacuna, model/gaps/gaps.h";
constexpr std::string_view kCompare = "Lacuna, model/diff/trace_diff.h";
constexpr std::string_view kStructureSource = "Lacuna, model/diff/structure_diff.h";
constexpr std::string_view kKernelPairs = "Lacuna, model/diff/kernel_pairs.h";
constexpr std::string_view kTrace = "Lacuna, model/trace/trace.h";
constexpr std::string_view kBusy = "Lacuna, model/index/busy_index.h";
constexpr std::string_view kTree = "Lacuna, model/calls/call_tree.h";
constexpr std::string_view kLaunched = "Lacuna, model/calls/launched_work.h";
constexpr std::string_view kOutside = "Lacuna, model/causes/outside_evidence.h";
constexpr std::string_view kLive = "Lacuna, capture/session/live_capture.h";

constexpr std::string_view kPieces = "Lacuna, model/holders/memory_history.h";

constexpr std::string_view kStartTime = "Time since the start of the trace.";

constexpr std::array kEntries{
    ColumnHelp{kGaps, "Duration", "gap_duration",
               "How long the stream was idle: from the last end of "
               "what ran on it to the next start.",
               kGap},
    ColumnHelp{kGaps, "Cause", "gap_cause", "The first matching rule; lacuna gaps --help lists the rules.", kCauses},
    ColumnHelp{kGaps, "Start", "gap_start", kStartTime, kTrace},
    ColumnHelp{kGaps, "Step", "gap_step",
               "The step of the program (ProfilerStep) in which the gap begins; between: outside all steps.", kTrace},
    ColumnHelp{kGaps, "Stream", "gap_stream", "Device and stream.", kGap},
    ColumnHelp{kGaps, "Activity before", "activity_before", "The activity whose end starts the gap.", kGap},
    ColumnHelp{kGaps, "Activity after", "activity_after", "The activity whose start ends the gap.", kGap},
    ColumnHelp{kGaps, "Launched by", "launched_by", "The call that launched the activity that ends the gap.", kGap},
    ColumnHelp{
        kGaps, "Idle", "gaps_idle",
        "Gaps at least as long as chosen here that touch the selected range, or else of the whole trace; each gap "
        "counts in full, between the first and the last activity. Where the measured time is chosen, gaps of whole "
        "GPUs are cut to it, and the time before the first and after the last activity counts: with gaps of any "
        "length, this is the report's figure. The list adds their time up over the streams: two streams "
        "idle at once count twice.",
        kGap},
    ColumnHelp{kGaps, "Left out", "gaps_left_out",
               "Gaps shorter than the length chosen here. The title of the "
               "track and the report count them, too.",
               kGap},

    ColumnHelp{kPath, "Name", "path_name", "The slice's name; for a wait, the name of the activity that waited.",
               kCriticalPath},
    ColumnHelp{kPath, "Cause", "path_cause", "What the time went to.", kCriticalPath},
    ColumnHelp{kPath, "Lane", "path_lane", "The thread or stream where it is.", kCriticalPath},
    ColumnHelp{kPath, "On the path", "path_time",
               "Time on the critical path: the chain of work and waits that the end of the range depended on. All rows "
               "together are as long as the range.",
               kCriticalPath},
    ColumnHelp{kPath, "Share", "path_share", "Time on the path as part of the range.", kCriticalPath},
    ColumnHelp{kPath, "Parts", "path_parts", "Number of stretches of the path with this name, cause and lane.",
               kCriticalPath},
    ColumnHelp{kPath, "Beside it", "path_beside",
               "Time of the same name and lane that is not on the path; for CPU slices, their self time only.",
               kCriticalPath},
    ColumnHelp{
        kPath, "Slack", "path_slack",
        "How much later the tightest of these slices could end without delaying the end of the range, by a replay of "
        "launches, streams and waits. Empty for threads that launch nothing.",
        kReplay},
    ColumnHelp{kWhatIf, "Change", "what_if_change", "The only change in the replay. A click chooses it.", kReplay},
    ColumnHelp{kWhatIf, "Gain", "what_if_gain",
               "How much time all steps together would save, or the whole trace if it has no steps.", kReplay},
    ColumnHelp{kWhatIf, "Share", "what_if_share", "The gain as part of what the replay without a change takes.",
               kReplay},
    ColumnHelp{kMemory, "Size", "memory_size", "Bytes requested.", kPieces},
    ColumnHelp{kMemory, "Allocated by", "memory_label",
               "In a trace, the innermost operator then; in a snapshot, the innermost Python frame outside PyTorch. "
               "Click: its stack. Double click: the place on the timeline.",
               kPieces},
    ColumnHelp{kMemory, "Allocated", "memory_begin", "Time of the allocation; \"before\": before the recording began.",
               kPieces},
    ColumnHelp{kMemory, "Freed", "memory_end", "Time of the free; \"not freed\": not while recording.", kPieces},
    ColumnHelp{kMemory, "Unused", "memory_unused",
               "Time before the free without a recorded use. In a trace: on the CPU, from the end of the "
               "outermost operator that allocated it to the start of the one that freed it; what other operators read "
               "meanwhile is not recorded. In a snapshot: from the request to free it until other streams release "
               "it.",
               kPieces},
    ColumnHelp{kMemory, "Own peak", "memory_own_peak", "Most bytes of this category at any moment of the file.",
               kPieces},
    ColumnHelp{kMemory, "Category", "memory_category", "As torch.profiler's export_memory_timeline calls it.", kPieces},
    ColumnHelp{kMemory, "Frees", "memory_frees",
               "Activations allocated in the module that are held at the moment: the most that checkpointing it frees.",
               kPieces},
    ColumnHelp{kMemory, "Part", "memory_part", "… as a part of all that is held then.", kPieces},
    ColumnHelp{kMemory, "Count", "memory_activation_count", "How many allocations these are.", kPieces},
    ColumnHelp{
        kMemory, "Module", "memory_module",
        "The innermost nn.Module around the allocation; of a snapshot the innermost own function called forward.",
        kPieces},
    ColumnHelp{kMemory, "Here", "memory_here", "Bytes held at the moment of the page.", kPieces},
    ColumnHelp{kMemory, "There", "memory_there", "Bytes held at the peak of the trace compared with.", kPieces},
    ColumnHelp{kMemory, "Change", "memory_change", "There less here.", kPieces},
    ColumnHelp{kMemory, "First", "memory_first", "Bytes held at the first moment looked at.", kPieces},
    ColumnHelp{kMemory, "Last", "memory_last", "Bytes held at the last moment looked at.", kPieces},
    ColumnHelp{kMemory, "Growth", "memory_growth", "Last less first.", kPieces},

    ColumnHelp{kRanking, "Cause", "cause", "The first matching rule; lacuna gaps --help lists the rules.", kCauses},
    ColumnHelp{kRanking, "Operator", "charged_operator",
               "The outermost operator that the CPU was in before it issued the next activity, or that "
               "synchronised; where there was none, the Python frame, runtime call or annotation. Each is "
               "charged the part of the gap in which it ran.",
               kRankings},
    ColumnHelp{kRanking, "Lost", "lost", "Idle time of the row's places added up.", kRankings},
    ColumnHelp{kRanking, "Share", "lost_share", "Lost as part of the idle time of all gaps that count here.",
               kRankings},
    ColumnHelp{kRanking, "Places", "lost_places", "Number of gaps.", kRankings},
    ColumnHelp{kRanking, "Before launch", "before_launch before_issue",
               "Part of the lost time before the next activity was issued: the CPU's share.", kRankings},
    ColumnHelp{kRanking, "In queue", "in_queue",
               "The rest: issued, but not yet started; or its launch is not in the file.", kRankings},
    ColumnHelp{kRanking, "In syncs", "in_syncs in_synchronisation",
               "Part of the lost time in gaps whose cause is a synchronisation.", kRankings},
    ColumnHelp{kRanking, "Mostly in", "mostly_in", "The innermost operator with the most of it, if another.",
               kRankings},
    ColumnHelp{kRanking, "Not the CPU's", "not_charged",
               "Idle time with other causes, or without a launch in the trace.", kRankings},
    ColumnHelp{kPlaces, "Lost", "place_lost", "The part of this gap charged to the row; a cause is charged all of it.",
               kRankings},
    ColumnHelp{kPlaces, "Gap", "place_gap", "Its whole length.", kGap},
    ColumnHelp{kPlaces, "Start", "place_start", kStartTime, kTrace},
    ColumnHelp{kPlaces, "Activity after", "place_after", "The activity whose start ends the gap.", kGap},

    ColumnHelp{kDead, "Annotation", "annotation", "All instances of one name; all ProfilerSteps are one.", kWindows},
    ColumnHelp{kDead, "Instances", "instances", "Number of instances.", kWindows},
    ColumnHelp{kDead, "Dead", "dead dead_time",
               "Time from the start to the first operator, call or annotation inside, on its thread, added "
               "up over the instances. Python frames do not count.",
               kWindows},
    ColumnHelp{kDead, "Median", "dead_median", "The usual dead time of one instance.", kWindows},
    ColumnHelp{kDead, "Longest", "dead_longest", "The longest dead time of one instance.", kWindows},
    ColumnHelp{kDead, "To GPU", "to_gpu", "Median time from the start to the first GPU activity launched inside.",
               kWindows},
    ColumnHelp{kDead, "Outliers", "outliers",
               "Instances longer than the third quartile by 3 times the distance of the quartiles, and at "
               "least 20 µs above the median.",
               kWindows},
    ColumnHelp{kInstances, "Instance", "instance", "One of them; a click goes there.", kWindows},
    ColumnHelp{kInstances, "Start", "instance_start", kStartTime, kTrace},
    ColumnHelp{kInstances, "Dead", "instance_dead", "Up to the first thing inside.", kWindows},
    ColumnHelp{kInstances, "To GPU", "instance_to_gpu", "Up to the first GPU activity launched inside.", kWindows},

    ColumnHelp{kJobComparison, "Both jobs, by step", "job_figures",
               "A is the job shown, B the other. Times are by step, so that jobs of different lengths compare.", kJobs},
    ColumnHelp{kJobComparison, "A", "job_a", "The job shown.", kJobs},
    ColumnHelp{kJobComparison, "B", "job_b", "The other job.", kJobs},
    ColumnHelp{kJobComparison, "Change", "job_change", "B against A. Collectives come with the largest change first.",
               kJobs},
    ColumnHelp{kJobComparison, "Rank", "job_rank", "The rank that made the others wait.", kJobs},
    ColumnHelp{kJobComparison, "Cause", "job_cause", "What it did more of than the median of the ranks in that step.",
               kJobs},
    ColumnHelp{kJobComparison, "Collective", "job_collective", "Collectives of one name in groups of one kind.", kJobs},
    ColumnHelp{kJobComparison, "Group", "job_group", "The kind of their groups: tp, dp.", kJobs},
    ColumnHelp{kJobComparison, "A a step", "a_per_step", "How many A has in one step.", kJobs},
    ColumnHelp{kJobComparison, "B a step", "b_per_step", "How many B has in one step.", kJobs},
    ColumnHelp{kJobComparison, "A waited", "a_waited",
               "Mean time of one rank in one collective until the last rank came, in A.", kJobs},
    ColumnHelp{kJobComparison, "B waited", "b_waited",
               "Mean time of one rank in one collective until the last rank came, in B.", kJobs},
    ColumnHelp{kJobComparison, "A transfer", "a_transfer", "Mean of the shortest part, which waits least, in A.",
               kJobs},
    ColumnHelp{kJobComparison, "B transfer", "b_transfer", "Mean of the shortest part, which waits least, in B.",
               kJobs},
    ColumnHelp{kDiff, "Name", "diff_name",
               "Slices of one name and kind on both sides; numbers of steps and addresses in names do not "
               "count.",
               kCompare},
    ColumnHelp{kDiff, "Count A", "count_a", "Number of these slices in A's measured window.", kCompare},
    ColumnHelp{kDiff, "Count B", "count_b", "Number of these slices in B's measured window.", kCompare},
    ColumnHelp{kDiff, "Total A", "total_a", "Sum of the durations in A's measured window.", kCompare},
    ColumnHelp{kDiff, "Total B", "total_b", "Sum of the durations in B's measured window.", kCompare},
    ColumnHelp{kDiff, "Self A", "self_a", "Total less the time of direct children; on a GPU the total.", kCompare},
    ColumnHelp{kDiff, "Self B", "self_b", "Total less the time of direct children; on a GPU the total.", kCompare},
    ColumnHelp{kDiff, "Avg A", "avg_a", "Total divided by count.", kCompare},
    ColumnHelp{kDiff, "Avg B", "avg_b", "Total divided by count.", kCompare},
    ColumnHelp{kDiff, "B − A", "b-a difference", "The difference. Rows come with the largest first.", kCompare},
    ColumnHelp{kDiff, "B / A", "b/a ratio", "The ratio; new or gone where one side has none.", kCompare},
    ColumnHelp{kDiff, "Per step", "per_step",
               "The sides have different numbers of measured steps: counts and times are divided by them.", kCompare},
    ColumnHelp{kStructure, "Place", "structure_place",
               "What calls what, aligned from the top: modules, operators, and the kernels right below them. A click "
               "shows the longest call of each side, one below the other; a click on the triangle opens the row.",
               kStructureSource},
    ColumnHelp{kStructure, "How", "structure_relation",
               "Fused: several of A for one of B, or for what torch.compile made in B; split: the other way round; "
               "replaced: one for another at the same place; empty: the same name.",
               kStructureSource},
    ColumnHelp{kStructure, "Calls A", "structure_calls_a",
               "Calls at this place in A's measured window; of kernels, how often they ran.", kStructureSource},
    ColumnHelp{kStructure, "Calls B", "structure_calls_b",
               "Calls at this place in B's measured window; of kernels, how often they ran.", kStructureSource},
    ColumnHelp{kStructure, "Kernel time A", "structure_time_a",
               "Time of the kernels launched here and below, inside A's measured window.", kStructureSource},
    ColumnHelp{kStructure, "Kernel time B", "structure_time_b",
               "Time of the kernels launched here and below, inside B's measured window.", kStructureSource},
    ColumnHelp{kStructure, "B − A", "structure_difference",
               "The difference in kernel time. Below each place, the largest change comes first.", kStructureSource},
    ColumnHelp{kPairs, "Operator", "pair_operator",
               "The operator that launched both kernels, or one for each side. A click shows the longest run of each "
               "side below the other.",
               kKernelPairs},
    ColumnHelp{kPairs, "What differs", "pair_difference",
               "How the two names differ; the same: both sides ran the same kernel. Where both launched equally many "
               "kernels (a step), they are paired in order; else they are paired by name, then by time.",
               kKernelPairs},
    ColumnHelp{kPairs, "Total A", "pair_total_a",
               "Time of the kernel in A's measured window. Pairs come with the most time of both sides first.",
               kKernelPairs},
    ColumnHelp{kPairs, "Total B", "pair_total_b", "Time of the kernel in B's measured window.", kKernelPairs},
    ColumnHelp{kSummary, "Measured window", "measured_window",
               "What is compared: the reports of both sides, over their measured steps.", kCompare},
    ColumnHelp{kSummary, "A", "a", "The open trace.", kCompare},
    ColumnHelp{kSummary, "B", "b", "The other one.", kCompare},
    ColumnHelp{kSummary, "B − A", "summary_difference", "The difference.", kCompare},

    ColumnHelp{kGroups, "Group", "group",
               "What the slices of a row have in common. A click goes to the longest of them and steps "
               "through all.",
               "Lacuna, model/groups/group_table.h"},
    ColumnHelp{kGroups, "Category", "group_category", "As in the file.", kTrace},

    ColumnHelp{kDetails, "Class", "kernel_class",
               "What the kernel is for, as its name tells: GEMM, attention, copy and so on.", kTrace},
    ColumnHelp{kDetails, "Duration", "slice_duration", "End − start, to the nanosecond of the file.", kTrace},
    ColumnHelp{kDetails, "Self", "slice_self", "Duration less the time inside direct children on the same track.",
               kTrace},
    ColumnHelp{kDetails, "Share", "slice_share", "Duration as part of that of the slice directly around it.", kTrace},
    ColumnHelp{kDetails, "Start", "slice_start",
               "Time since the start of the trace; ts is the file's own, in microseconds.", kTrace},
    ColumnHelp{kDetails, "End", "gap_end", kStartTime, kTrace},
    ColumnHelp{kDetails, "Depth", "depth",
               "Number of slices of the track around it; for crossing slices, in their own rows.", kTrace},
    ColumnHelp{kDetails, "Launch delay", "slice_launch_delay",
               "From the end of the launch call to the start of the activity, not below 0: launch latency "
               "and time in the queue behind other work.",
               "Holistic Trace Analysis, get_cuda_kernel_launch_stats()"},
    ColumnHelp{kDetails, "Why later", "why_later",
               "The launch delay in parts: while its stream was busy with work ahead of it, and while the stream was "
               "idle. Work of the profiler that takes half of the idle part is named.",
               "Lacuna, model/causes/start_delay.h"},
    ColumnHelp{kDetails, "At", "instant_at", "The time of the instant, as the ruler counts and as the file has it.",
               kTrace},
    ColumnHelp{kDetails, "Applies to", "instant_scope", "The scope that the file gives for the instant.", kTrace},
    ColumnHelp{kDetails, "Graph", "graph",
               "All activities of a CUDA graph carry the correlation of the one call that launched it.", "Kineto"},
    ColumnHelp{kDetails, "Short", "short",
               "The GPU needs less time than the launch call took: such work cannot keep the GPU ahead of the CPU.",
               "Holistic Trace Analysis, get_cuda_kernel_launch_stats()"},
    ColumnHelp{
        kDetails, "Off the CPU", "gap_off_cpu",
        "How long the thread that ended the gap was not scheduled meanwhile, by its states: waiting, or preempted "
        "while it could have run.",
        kOutside},
    ColumnHelp{kDetails, "Sampled in", "gap_sampled_in",
               "The innermost frame that at least half of the samples of that thread's stack in the gap share. An "
               "estimate: a sample stands for the time between two.",
               kOutside},
    ColumnHelp{kDetails, "Idle before", "idle_before", "How long its stream was idle before it started.", kGap},
    ColumnHelp{kDetails, "Launches", "launched",
               "GPU activities with the correlation of this call: how long each took, and when it started "
               "since the call began.",
               kTrace},
    ColumnHelp{kDetails, "Parts", "parts",
               "Coloured: before the launch was issued. Grey: in the queue, issued but not started.", kCauses},
    ColumnHelp{kDetails, "Before launch", "gap_before_launch",
               "From the start of the gap until the launch of the next activity was issued: the CPU's part.", kCauses},
    ColumnHelp{kDetails, "In the queue", "gap_in_queue",
               "From when it was issued to its start: it waited on the GPU. All of the gap where the launch is not in "
               "the file.",
               kCauses},
    ColumnHelp{kDetails, "Held up by", "held_up_by",
               "The synchronising call that cost the most, and how much earlier the launch could have come "
               "without such calls: only their time while the GPU was busy counts.",
               kCauses},
    ColumnHelp{kDetails, "Waited for", "waited_for",
               "The activity that an event of the trace names, or whose end is so close that it released "
               "this one.",
               kCauses},
    ColumnHelp{kDetails, "Annotation", "cpu_annotation", "The innermost record_function with the most time.", kCauses},
    ColumnHelp{kDetails, "Operator", "cpu_operator",
               "The outermost operator with the most time: what the program called.", kCauses},
    ColumnHelp{kDetails, "Innermost", "cpu_innermost", "The innermost operator with the most time.", kCauses},
    ColumnHelp{kDetails, "Python", "cpu_python", "The innermost Python frame with the most time.", kCauses},
    ColumnHelp{kDetails, "Runtime", "cpu_runtime", "The CUDA runtime or driver call with the most time.", kCauses},
    ColumnHelp{kDetails, "Unrecorded", "unrecorded", "No operator, runtime call or Python frame on that thread.",
               kCauses},
    ColumnHelp{kDetails, "From", "range_from", kStartTime, kTrace},
    ColumnHelp{kDetails, "To", "range_to", kStartTime, kTrace},
    ColumnHelp{kDetails, "Tracks", "range_tracks",
               "How many tracks the selection holds; tables and sums count only those.", kTrace},
    ColumnHelp{kDetails, "GPU", "gpu_busy_share",
               "Part of the time in which at least one kernel, copy or set ran on any stream of the GPU: "
               "what overlaps counts once. The rest is idle.",
               kBusy},
    ColumnHelp{kDetails, "Stream busy", "stream_busy_share",
               "Part of the time in which at least one kernel, copy or set ran on the stream.", kGap},
    ColumnHelp{kDetails, "Time", "trace_time", "From the first start to the last end of anything in the trace.",
               kTrace},
    ColumnHelp{kDetails, "Events", "events", "Entries of traceEvents of every kind; slices are those with a duration.",
               kTrace},
    ColumnHelp{kDetails, "GPU work", "gpu_work",
               "Kernels, copies and sets, and how many of them a call in the file launched (same "
               "correlation).",
               kTrace},
    ColumnHelp{kDetails, "On disk", "details_on_disk",
               "Slices of a recording that are not in memory: the oldest go to an unnamed file on disk, and are "
               "read from it when they are shown.",
               kTrace},
    ColumnHelp{kDetails, "Loaded", "loaded",
               "From opening the files to the first complete picture; memory of the trace in this program, "
               "without what a compressed file takes unpacked.",
               kTrace},
    ColumnHelp{kDetails, "Histogram", "histogram",
               "How the durations of the name are spread, in the selected range: each bar is 9 % wider than "
               "the one before it. Percentiles by nearest rank.",
               "Lacuna, model/groups/histogram.h"},

    ColumnHelp{kWork, "Kernel, copy or set", "launched_name",
               "GPU work that was launched inside the slice or the row's slices; the name leads to the first.",
               kLaunched},
    ColumnHelp{kWork, "Operator", "launched_in_operator",
               "The innermost operator around the launches; where there was none, the launching call.", kLaunched},
    ColumnHelp{kWork, "Module", "launched_in_module", "The innermost nn.Module around the launches.", kLaunched},
    ColumnHelp{kWork, "Python frame", "launched_in_frame",
               "The innermost Python frame around the launches that is neither C code nor a module.", kLaunched},
    ColumnHelp{kWork, "Count", "launched_count", "Kernels, copies and sets.", kLaunched},
    ColumnHelp{kWork, "GPU time", "launched_gpu_time",
               "Durations of the kernels, copies and sets added up, clipped to the selected range: what runs "
               "on two streams at once counts twice.",
               kLaunched},

    ColumnHelp{kCalls, "Frame", "call_frame",
               "Slices of one name with the same frames around them; all ProfilerSteps are one frame, and all modules "
               "of a class.",
               kTree},
    ColumnHelp{kCalls, "Total", "call_total",
               "Time of the frame and of all below it; bottom-up: the part of the first level's own time that "
               "was called this way. The whole is the self time on CPU threads, the GPU time, the idle time or the "
               "sampled time (~, an estimate) of the selection.",
               kTree},
    ColumnHelp{kCalls, "Share", "call_share", "Total as part of the whole.", kTree},
    ColumnHelp{kCalls, "Self", "call_self", "Total without the frames below it.", kTree},
    ColumnHelp{
        kCalls, "Count", "call_count",
        "CPU time, samples: slices of the frame. GPU time: kernels, copies and sets below it. Idle time: parts of "
        "gaps that are charged to it or below. Bottom-up: what Total adds up.",
        kTree},

    ColumnHelp{kBars, "Events and time", "events_and_time",
               "Entries of traceEvents of every kind, and the time from the first start to the last end.", kTrace},
    ColumnHelp{kBars, "View", "view", "The time shown, since the start of the trace.", kTrace},
    ColumnHelp{kBars, "Range", "range", "The selected time, since the start of the trace; tables and sums are of it.",
               kTrace},
    ColumnHelp{kBars, "Rows and slices", "rows_and_slices",
               "Rows that the filter lets through, and the slices that they count.", kTrace},
    ColumnHelp{kBars, "GPU busy", "minimap_gpu_busy",
               "Mean over the GPUs of the part of this moment in which at least one kernel, copy or set ran.", kBusy},
    ColumnHelp{kBars, "CPU threads", "minimap_cpu",
               "Time of outermost slices on CPU threads around this moment, as part of that of the busiest one.",
               kBusy},
    ColumnHelp{kBars, "Track busy", "track_busy",
               "Of a GPU or stream: part of the time in which at least one kernel, copy or set ran; what overlaps "
               "counts once. The time is the report's measured time while all of it is in view, else the time in view.",
               kBusy},
    ColumnHelp{kBars, "Track idle", "track_idle",
               "For a GPU or stream: the time when nothing ran on it, in the report's measured time while all of that "
               "is in view, else in the time in view.",
               kBusy},
    ColumnHelp{kBars, "Recorded events", "recorded_events",
               "Events received so far, less those forgotten to stay within the limit.", kLive},
    ColumnHelp{kBars, "On disk", "recorded_on_disk",
               "Slices that are not in memory: the oldest go to an unnamed file in lacuna's folder of the "
               "user's cache, and are read from there when they are shown.",
               kLive},
    ColumnHelp{kBars, "Processes", "recorded_processes",
               "Processes of the program with recorded data, children included.", kLive},
    ColumnHelp{kBars, "Steps", "recorded_steps", "Calls of an optimizer's step() seen so far.", kLive},
};

}  // namespace

std::span<const ColumnHelp> panel_help() {
  return kEntries;
}

}  // namespace lacuna

// What is advised when, and from where the thresholds come.

#include "model/report/advice.h"

namespace lacuna {
namespace {

constexpr std::string_view kTensorBoard = "tb_plugin, run_generator.py (PyTorch's TensorBoard plugin)";
constexpr std::string_view kOurs = "Lacuna";
constexpr std::string_view kByRoofline = "Lacuna, by the roofline model (Williams et al., CACM 52/4, 2009)";

constexpr std::string_view kGilText =
    "Its threads run Python, of which only one at a time can: processes instead (multiprocessing, "
    "ProcessPoolExecutor), loops in code that lets go of the lock (NumPy, torch, numba with nogil), or fewer threads.";

constexpr AdviceRule kRules[] = {
    {"launchBound", "the GPU idles for lack of launches for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.launch_bound >= 0.10; }, &AdviceFacts::launch_bound,
     "Give the GPU more work per launch or launch it with less effort: larger batches, "
     "torch.compile (mode=\"reduce-overhead\" uses CUDA graphs), fused or foreach optimisers.",
     GapCause::kLaunchBound},
    {"synchronisation", "the GPU idles after synchronisations for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.synchronisation >= 0.05; }, &AdviceFacts::synchronisation,
     "Avoid making the CPU wait for the GPU: .item(), .cpu(), print and boolean tests of GPU "
     "tensors, nonzero and masks; keep such values on the GPU or read them later.",
     GapCause::kSynchronisation},
    {"dataLoading", "waiting for data takes more than 5 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return !f.has_cpu && f.data_loading > 0.05; }, &AdviceFacts::data_loading,
     "Load data in the background: DataLoader(num_workers > 0, pin_memory=True, "
     "prefetch_factor, persistent_workers=True), or cheaper preprocessing.",
     GapCause::kDataLoading},
    {"communication", "communication that nothing hides takes more than 10 % of the window", kTensorBoard,
     [](const AdviceFacts& f) { return f.has_gpu && f.exposed_communication > 0.10; },
     &AdviceFacts::exposed_communication,
     "Overlap or shrink communication: larger DDP buckets or earlier ones, gradient accumulation, "
     "compression; and look for a rank that is late: the others' kernels then wait inside "
     "the collective."},
    {"lateRanks", "the GPU waits for ranks that come later to a collective for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.late_ranks >= 0.05; }, &AdviceFacts::late_ranks,
     "Another rank comes late: lacuna job of all ranks says which, and why (slower kernels, more work, data loading, "
     "launches, a preempted thread); mend it there. Where the late one changes, give all ranks equal work: batches "
     "by length, equal shards.",
     GapCause::kLateRank},
    {"profiler", "the GPU idles under the profiler's own overhead for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.profiler >= 0.05; }, &AdviceFacts::profiler,
     "These numbers are distorted by profiling: record with fewer options (with_stack, "
     "profile_memory, record_shapes off) and skip the first steps with schedule(warmup=…).",
     GapCause::kProfilerOverhead},
    {"blockingCopies", "the GPU idles behind copy calls that block for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.blocking_copies >= 0.05; }, &AdviceFacts::blocking_copies,
     "Copy without holding up the CPU: from and to pinned memory with non_blocking=True (cudaMemcpyAsync), on a stream "
     "of its own, a step ahead; read results back together, and later.",
     GapCause::kBlockingCopy},
    {"firstUse", "the GPU idles while code is loaded, compiled or tuned for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.first_use >= 0.05; }, &AdviceFacts::first_use,
     "Do it in advance: a warm-up with every shape, torch.compile(dynamic=True) or padded shapes where it "
     "compiles again, torch.backends.cudnn.benchmark off where shapes change, a kept Triton or Inductor cache.",
     GapCause::kFirstUse},
    {"allocationStalls", "the GPU idles while memory is allocated or freed for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.allocation_idle >= 0.05; }, &AdviceFacts::allocation_idle,
     "Keep what was allocated: no torch.cuda.empty_cache() in the loop, expandable_segments:True, fixed shapes, "
     "buffers "
     "that are used again (cudaMallocAsync with a pool); cudaFree also waits for the whole GPU.",
     GapCause::kAllocation},
    {"fullQueue", "the GPU idles because 1,024 launches were outstanding for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.full_queue >= 0.05; }, &AdviceFacts::full_queue,
     "One stream has more launches outstanding than fit, and other streams wait with it: launch the short work of the "
     "other streams first or from another thread, and put runs of small kernels into a CUDA graph, which is one "
     "launch.",
     GapCause::kFullQueue},
    {"notScheduled", "the GPU idles while the launching thread does not run for 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.not_scheduled >= 0.05; }, &AdviceFacts::not_scheduled,
     "The launching thread was preempted, or waited for a lock or for I/O: fewer threads than cores (OMP_NUM_THREADS, "
     "workers), a higher CPU limit, cores of its own (taskset, numactl); in Python fewer threads that want the GIL.",
     GapCause::kNotScheduled},
    {"hostCallbacks", "the GPU idles behind functions that its streams call on the CPU for 5 % of the window or more",
     kOurs, [](const AdviceFacts& f) { return f.has_gpu && f.host_callbacks >= 0.05; }, &AdviceFacts::host_callbacks,
     "A stream waits for the CPU function to return (cudaLaunchHostFunc): record an event instead and let a thread of "
     "its own wait for that, or do it on a stream that nothing else needs.",
     GapCause::kHostCallback},
    {"dependency", "the GPU idles because issued work waits for another stream for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.dependency >= 0.10; }, &AdviceFacts::dependency,
     "Streams wait for each other while the GPU has nothing else to do: wait for the event of what is needed instead "
     "of "
     "the whole stream (wait_event, not synchronize or wait_stream), issue what others need first, split long chains.",
     GapCause::kDependency},
    {"insideGraphs", "the GPU idles between nodes of graph launches for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.inside_graphs >= 0.10; }, &AdviceFacts::inside_graphs,
     "Nodes of a graph wait for each other: capture independent work on several streams, so that the graph has "
     "branches, fuse runs of small nodes, and record every node (CUPTI's graph-level tracing leaves nodes out).",
     GapCause::kInsideGraph},
    {"notRecorded", "the file lacks the GPU's activity for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_gpu && f.not_recorded >= 0.10; }, &AdviceFacts::not_recorded,
     "The GPU may have been busy then: record the CPU side as well, begin a step earlier, keep all events, and let the "
     "profiler stop only after a synchronisation.",
     GapCause::kNotRecorded},
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
    {"fuse",
     "elementwise, row-wise and copying operators that memory bounds take 15 % of the window or more, while the GPU is "
     "busy for 85 % of it",
     kByRoofline, [](const AdviceFacts& f) { return f.fusible >= 0.15; }, &AdviceFacts::fusible,
     "These operators move memory and compute little: torch.compile fuses neighbours into one pass, as fused layer "
     "norms "
     "and optimizers (fused=True) do. The gain supposes that two passes become one."},
    {"fewerBytes",
     "matrix products and attention that memory bounds take 20 % of the window or more, while the GPU is busy for 85 % "
     "of it",
     kByRoofline, [](const AdviceFacts& f) { return f.memory_product >= 0.20; }, &AdviceFacts::memory_product,
     "These products read their operands for few operations: larger batches use each weight more often, and weights or "
     "caches of half the bits take half the time. The gain supposes half the bytes."},
    {"largerTiles",
     "matrix products that arithmetic bounds take 20 % of the window or more at less than half of the peak, while the "
     "GPU is busy for 85 % of it",
     kByRoofline, [](const AdviceFacts& f) { return f.slow_product >= 0.20; }, &AdviceFacts::slow_product,
     "These products stay far below the peak: sizes that are multiples of 64, larger batches, channels_last for "
     "convolutions, or torch.compile(mode=\"max-autotune\") find better tiles. The gain supposes half of the peak."},
    {"lowerPrecision",
     "matrix products in 16 bits that reach half of the peak or more take 30 % of the window or more, while the GPU is "
     "busy for 85 % of it, and it is faster in 8 bits",
     kByRoofline, [](const AdviceFacts& f) { return f.half_product >= 0.30; }, &AdviceFacts::half_product,
     "These products are near their roof in 16 bits: FP8 (torchao.float8, Transformer Engine) has a higher one. The "
     "gain supposes the same part of it."},
    {"tinyKernels",
     "operators whose kernels are too short to reach a roof take 10 % of the window or more, while the GPU is busy for "
     "85 % of it",
     kByRoofline, [](const AdviceFacts& f) { return f.tiny_kernels >= 0.10; }, &AdviceFacts::tiny_kernels,
     "These kernels take about as long as it takes to start one: torch.compile or larger batches make fewer and larger "
     "ones. The gain supposes half as many."},
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

    // What the machine allowed a program without a GPU.
    {"quota", "the CPU quota of the cgroup held the program back in 10 % of its periods or more", kOurs,
     [](const AdviceFacts& f) { return (f.has_cpu || f.has_program) && f.quota >= kThrottledEnough; },
     &AdviceFacts::quota,
     "The container's CPU quota is used up, and then nothing of it runs until the next period (of 100 ms, mostly): "
     "raise the limit (docker --cpus, Kubernetes resources.limits.cpu), or start no more threads than it allows."},
    {"tooManyThreads",
     "its threads wanted a CPU for 25 % of their time or more and had none, while they took most of the CPUs "
     "themselves",
     kOurs,
     [](const AdviceFacts& f) { return (f.has_cpu || f.has_program) && f.too_many >= 0.25 && f.program_gil < 0.25; },
     &AdviceFacts::too_many,
     "It starts more threads than there are CPUs, which then take them from each other (oversubscription): as many as "
     "there are CPUs (torch.set_num_threads, OMP_NUM_THREADS, MKL_NUM_THREADS), divided among its processes."},

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

    // Programs without a GPU, by what was seen of their threads.
    {"cpuGil", "waiting for the lock of Python's interpreter takes 5 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_cpu && f.cpu_gil >= 0.05; }, &AdviceFacts::cpu_gil, kGilText},
    {"pageFaults", "page faults took 10 % of the time that it ran or more, at 0.5 us each", kOurs,
     [](const AdviceFacts& f) { return (f.has_cpu || f.has_program) && f.page_faults >= 0.10; },
     &AdviceFacts::page_faults,
     "Memory is taken from the system and given back again and again, and each new page is cleared first: keep and "
     "reuse buffers (out=, preallocated arrays), or an allocator that keeps memory (jemalloc, tcmalloc, "
     "MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ of glibc)."},
    {"diskFaults", "100 page faults a second or more had to wait for the disk", kOurs,
     [](const AdviceFacts& f) { return (f.has_cpu || f.has_program) && f.disk_faults >= 100; },
     &AdviceFacts::disk_faults,
     "Memory is read back from the disk: the machine swaps, or a mapped file is read for the first time: use less "
     "memory or more of the machine's, or read the file ahead."},

    // Programs of which only thread states and stacks are known.
    {"programGil", "its threads waited for the lock of Python's interpreter for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_gil >= 0.10; }, &AdviceFacts::program_gil, kGilText},
    {"programOutput", "print and logging take 20 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_output >= 0.20; }, &AdviceFacts::program_output,
     "It writes messages: write fewer (every N steps, a higher log level), without flush=True, or from a "
     "thread of their own (logging.handlers.QueueHandler)."},
    {"programSync", "fsync and the like take 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_sync >= 0.10; }, &AdviceFacts::program_sync,
     "It waits until the disk has what was written: call fsync once for many writes, at the end or in a thread of its "
     "own, and only where a crash of the machine must lose nothing."},
    {"programCollection", "gc.collect() takes 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_collection >= 0.10; },
     &AdviceFacts::program_collection,
     "It collects garbage by hand: call gc.collect() more rarely, gc.freeze() what stays for good, and break cycles "
     "of references instead."},
    {"programNames", "looking up names of hosts takes 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_names >= 0.10; }, &AdviceFacts::program_names,
     "It waits for name servers (DNS): keep connections and addresses, look at /etc/resolv.conf (timeout, search) for "
     "servers that do not answer."},
    {"programLoop", "callbacks of asyncio's event loop wait for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_loop >= 0.10; }, &AdviceFacts::program_loop,
     "A call blocks the event loop, and all other tasks with it: await its asynchronous form (asyncio.sleep, an "
     "asynchronous client), or run it in a thread (asyncio.to_thread)."},
    {"programRunning", "its leading threads ran for 50 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_running >= 0.50; }, &AdviceFacts::program_running,
     "It computes: begin with the function at the top of the sampled stacks below. Share the work among more threads "
     "or processes where the machine has cores to spare; in Python move loops into native code (NumPy, torch, numba)."},
    {"programPreempted", "its leading threads waited for a CPU that others had for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) {
       return f.has_program && f.program_preempted >= 0.10 && f.quota < kThrottledEnough && f.too_many < 0.25;
     },
     &AdviceFacts::program_preempted,
     "More threads want to run than there are CPUs: start fewer (OMP_NUM_THREADS, torch.set_num_threads, workers), "
     "stop what else runs there, or raise the container's CPU limit."},
    {"programLocks", "its leading threads waited for locks for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_locks >= 0.10; }, &AdviceFacts::program_locks,
     "It waits for other threads: hold locks for less long, not while waiting for something else, and hand over work "
     "in larger pieces."},
    {"programContention", "another thread of it waited for a lock for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_contention >= 0.10; },
     &AdviceFacts::program_contention,
     "A thread waits for a lock that another one holds: hold it for less long, or not at all while computing or "
     "waiting."},
    {"programInput",
     "its leading threads waited for files, the network, polls or devices for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_input >= 0.10; }, &AdviceFacts::program_input,
     "Read and write in a thread of its own or ahead of time, in larger pieces; keep files where they are read fast."},
    {"programSleep", "its leading threads slept for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_sleep >= 0.10; }, &AdviceFacts::program_sleep,
     "It sleeps: wait for what is meant (a condition, an event) instead of for a time, or poll more often."},
    {"programChild", "its leading threads waited for a child process for 10 % of the window or more", kOurs,
     [](const AdviceFacts& f) { return f.has_program && f.program_child >= 0.10; }, &AdviceFacts::program_child,
     "The work is in a process that it started: look at that one's lanes."},
};

}  // namespace

std::span<const AdviceRule> advice_rules() {
  return kRules;
}

}  // namespace lacuna

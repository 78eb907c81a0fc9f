#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/path/what_if.h"
#include "model/report/report.h"

namespace lacuna {

/// The inputs of the rules: fractions of the window (0 … 1) unless stated otherwise, so that a test can
/// set them directly. With several GPUs: the one that lost the most for that reason (`busy`: the busiest).
struct AdviceFacts {
  bool has_gpu = false;
  double busy = 0;
  double launch_bound = 0;     ///< idle for lack of launches
  double synchronisation = 0;  ///< idle because the CPU was waiting for the GPU before
  double data_loading = 0;     ///< idle, or nothing but data loading on the CPU
  double exposed_communication = 0;
  double profiler = 0;  ///< idle because of the profiler's overhead
  // Idle time of the other causes of gaps.
  double blocking_copies = 0;
  double first_use = 0;
  double allocation_idle = 0;
  double full_queue = 0;
  double not_scheduled = 0;
  double host_callbacks = 0;
  double late_ranks = 0;  ///< idle, or busy with nothing but collectives that waited for a rank
  double dependency = 0;
  double inside_graphs = 0;
  double not_recorded = 0;

  double pageable_copies = 0;  ///< sum of copies from or to pageable memory
  double allocation = 0;       ///< in cudaMalloc, cudaFree and the like
  double code_loading = 0;
  double short_launches = 0;   ///< fraction of the launches
  double tensor_eligible = 0;  ///< plain matrix kernels as a fraction of the compute kernels' time
  double tensor_window = 0;    ///< the same kernels as a fraction of the window
  double small_grids = 0;      ///< kernels with less than one block per SM, as a fraction of the compute kernels' time
  double fusible = 0;          ///< from RooflineReport's parts
  double memory_product = 0;
  double slow_product = 0;
  double half_product = 0;
  double tiny_kernels = 0;
  double memory_peak = 0;      ///< fraction of the GPU's memory
  double step_spread = 1;      ///< longest / shortest measured step
  double missing_kernels = 0;  ///< fraction of the launches
  double compute_major = 0;    ///< compute capability; 0: unknown
  std::size_t measured_steps = 0;

  // Facts about a process without a GPU: fractions of the window's steps unless stated otherwise.
  bool has_cpu = false;  ///< whether the report has a CPU process to judge
  double cpu_operators = 0;
  double cpu_matrix = 0;       ///< matrix products and the like, as a fraction of the operators' self time
  double cpu_copies = 0;       ///< copies, as a fraction of the same
  double cpu_short_calls = 0;  ///< calls of less than kShortCallNs of self time, as a fraction of the same
  double cpu_python = 0;
  double cpu_long_gaps = 0;
  double cpu_waiting = 0;
  double cpu_collectives = 0;
  double cpu_ranges = 0;
  double cpu_unrecorded = 0;
  // Facts about a program with thread states only: fractions of its leading thread's time.
  bool has_program = false;
  double program_running = 0;
  double program_preempted = 0;
  double program_locks = 0;
  double program_input = 0;  ///< waiting for files, network, polling, devices
  double program_sleep = 0;
  double program_child = 0;
  double program_gil = 0;
  double program_output = 0;      ///< in print and logging
  double program_sync = 0;        ///< in fsync and the like
  double program_collection = 0;  ///< in gc.collect()
  double program_names = 0;       ///< in host name look-ups
  double program_loop = 0;        ///< waiting inside a callback of asyncio's event loop
  double program_contention = 0;  ///< another thread's wait for a lock
  // Facts about both kinds of programs without a GPU.
  double quota = 0;     ///< fraction of the periods in which the cgroup's CPU quota throttled the program
  double too_many = 0;  ///< fraction of the time in which its threads were runnable without a CPU, if it uses all cores
  double page_faults = 0;  ///< time of page faults, at kPageFaultNs each, as a fraction of its processes' running time
  double disk_faults = 0;  ///< page faults per second that waited for the disk
  double cpu_gil = 0;

  double data_in_process = 0;    ///< waiting for data that the process loads itself
  double data_from_workers = 0;  ///< waiting for data that worker processes load
};

/// Typical cost of a page fault that maps a new page (4 KiB are cleared; Linux on x86, 2020 to 2025).
inline constexpr double kPageFaultNs = 500;

/// One rule: fires if `holds` returns true.
struct AdviceRule {
  std::string_view key;        ///< in JSON
  std::string_view threshold;  ///< the condition in words, with the number
  std::string_view source;     ///< where the threshold comes from
  bool (*holds)(const AdviceFacts&);
  double AdviceFacts::*value;             ///< the fact that the threshold applies to, for display
  std::string_view text;                  ///< the advice: what to do
  std::optional<GapCause> idle_for = {};  ///< the cause of gaps that it addresses, if any
};

/// All rules, in the order in which advice is given if no replay can rank it.
std::span<const AdviceRule> advice_rules();

AdviceFacts advice_facts(const Trace& trace, const Report& report);
/// Returns the rules that fire, each with places that show the problem and its predicted gain: first those with a
/// gain, the largest first, then those that no replay can predict, then those without a gain.
/// `what_if`: for the report's file and window, asked with `threads` questions at once; null to make no
/// replays.
std::vector<AdviceGiven> give_advice(const Trace& trace, const Report& report, const WhatIf* what_if,
                                     unsigned threads = 2);

/// Returns the part of the report that a roofline rule uses; null for other rules.
const RooflineReport::Part* roofline_part(const Report& report, std::string_view rule);
/// Returns the changes of a replay that simulate a rule's advice; none: no replay can tell.
std::vector<WhatIfChange> changes_of_advice(const Trace& trace, const Report& report, const AdviceRule& rule);
/// Fills in changes and gains, and sorts. One replay per rule that fired and has changes; none without GPU work.
void rank_advice(const Trace& trace, const Report& report, std::vector<AdviceGiven>& given, const WhatIf* what_if,
                 unsigned threads = 2);

}  // namespace lacuna

#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/path/what_if.h"
#include "model/report/report.h"

namespace lacuna {

/// What the rules look at: parts of the window (0 … 1) unless said otherwise, so that a test can
/// write one down. Of several GPUs: the one that lost the most for that reason (`busy`: the busiest).
struct AdviceFacts {
  bool has_gpu = false;
  double busy = 0;
  double launch_bound = 0;     ///< idle for lack of launches
  double synchronisation = 0;  ///< idle because the CPU had waited for the GPU
  double data_loading = 0;     ///< idle, or nothing but data loading on the CPU
  double exposed_communication = 0;
  double profiler = 0;  ///< idle under the profiler's overhead
  // Idle for the other causes of gaps.
  double blocking_copies = 0;
  double first_use = 0;
  double allocation_idle = 0;
  double full_queue = 0;
  double not_scheduled = 0;
  double host_callbacks = 0;
  double late_ranks = 0;  ///< idle, or with nothing to do beside collectives that waited for a rank
  double dependency = 0;
  double inside_graphs = 0;
  double not_recorded = 0;

  double pageable_copies = 0;  ///< sum of copies from or to pageable memory
  double allocation = 0;       ///< in cudaMalloc, cudaFree and the like
  double code_loading = 0;
  double short_launches = 0;   ///< part of the launches
  double tensor_eligible = 0;  ///< plain matrix kernels as part of the time of kernels that compute
  double tensor_window = 0;    ///< the same kernels as part of the window
  double small_grids = 0;      ///< kernels with less than a block per SM, likewise
  double fusible = 0;          ///< RooflineReport's parts
  double memory_product = 0;
  double slow_product = 0;
  double half_product = 0;
  double tiny_kernels = 0;
  double memory_peak = 0;      ///< part of the GPU's memory
  double step_spread = 1;      ///< longest / shortest measured step
  double missing_kernels = 0;  ///< part of the launches
  double compute_major = 0;    ///< compute capability; 0: unknown
  std::size_t measured_steps = 0;

  // These facts are about a process without a GPU. They are parts of the window's steps unless said otherwise.
  bool has_cpu = false;  ///< the report has a process on the CPU to judge
  double cpu_operators = 0;
  double cpu_matrix = 0;       ///< matrix products and the like, part of the operators' own time
  double cpu_copies = 0;       ///< likewise
  double cpu_short_calls = 0;  ///< likewise: calls of less than kShortCallNs of their own
  double cpu_python = 0;
  double cpu_long_gaps = 0;
  double cpu_waiting = 0;
  double cpu_collectives = 0;
  double cpu_ranges = 0;
  double cpu_unrecorded = 0;
  // These are about a program of which only thread states are known: likewise parts, of its leading thread.
  bool has_program = false;
  double program_running = 0;
  double program_preempted = 0;
  double program_locks = 0;
  double program_input = 0;  ///< files, network, polling, devices
  double program_sleep = 0;
  double program_child = 0;
  double program_gil = 0;
  double program_output = 0;      ///< on print and logging
  double program_sync = 0;        ///< on fsync and the like
  double program_collection = 0;  ///< on gc.collect()
  double program_names = 0;       ///< on looking up names of hosts
  double program_loop = 0;        ///< waiting inside of a callback of asyncio's event loop
  double program_contention = 0;  ///< that another thread waited for a lock
  // These are of both kinds of programs without a GPU.
  double quota = 0;  ///< part of the periods in which the cgroup's CPU quota held the program back
  double too_many =
      0;  ///< part of the time in which its threads wanted a CPU and had none, where it uses all there are
  double page_faults = 0;  ///< time that page faults took, by kPageFaultNs each, of all that its processes ran
  double disk_faults = 0;  ///< page faults a second that waited for the disk
  double cpu_gil = 0;

  double data_in_process = 0;    ///< waiting for data that the process loads itself
  double data_from_workers = 0;  ///< … that worker processes load
};

/// A page fault that hands out a new page takes about so long (4 KiB are cleared; Linux on x86 of 2020 to 2025).
inline constexpr double kPageFaultNs = 500;

/// One rule: fires when `holds`.
struct AdviceRule {
  std::string_view key;        ///< in JSON
  std::string_view threshold;  ///< what must hold, in words, with the number
  std::string_view source;     ///< where the threshold comes from
  bool (*holds)(const AdviceFacts&);
  double AdviceFacts::*value;             ///< the fact that the threshold is about, to be shown
  std::string_view text;                  ///< what to do
  std::optional<GapCause> idle_for = {};  ///< the cause of gaps that it is about, if it is one
};

/// All rules, in the order in which advice is given where no replay says what it would return.
std::span<const AdviceRule> advice_rules();

AdviceFacts advice_facts(const Trace& trace, const Report& report);
/// The rules that fire, each with places that show it and what a replay without it would gain: those first that
/// would gain the most, then those that no replay can tell, then those that would gain nothing.
/// `what_if`: of the report's file and window, asked with `threads` questions at once; null where no replay is to be
/// made.
std::vector<AdviceGiven> give_advice(const Trace& trace, const Report& report, const WhatIf* what_if,
                                     unsigned threads = 2);

/// The part of the report that such a rule is about; null: another kind of rule.
const RooflineReport::Part* roofline_part(const Report& report, std::string_view rule);
/// What to change in a replay to follow a rule's advice; none: no replay can tell.
std::vector<WhatIfChange> changes_of_advice(const Trace& trace, const Report& report, const AdviceRule& rule);
/// Fills in changes and gains, and sorts. One replay for each rule that fired and has changes; none without GPU work.
void rank_advice(const Trace& trace, const Report& report, std::vector<AdviceGiven>& given, const WhatIf* what_if,
                 unsigned threads = 2);

}  // namespace lacuna

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/steps/measured_steps.h"
#include "model/steps/server_work.h"
#include "model/trace/engine_steps.h"

namespace lacuna {

/// The steps of an inference server in one phase, or those of them with one batch size. Times in ns.
struct PhaseTimes {
  StepPhase phase = StepPhase::kDecode;
  std::optional<std::int64_t> batch_size;  ///< number of requests; nothing: all sizes
  std::uint64_t steps = 0;
  Nanos median = 0;           ///< of MeasuredStep::length()
  Nanos host_median = 0;      ///< of the annotation's duration, on the CPU
  Nanos gpu_span_median = 0;  ///< from the first start to the last end of its GPU work
  Nanos length = 0;           ///< sum of MeasuredStep::length()
  Nanos busy = 0;             ///< part of `length` in which the file's GPUs had work of any kind
  std::uint64_t graph_launches = 0;
  Nanos graph_launch_time = 0;  ///< total time in these calls
  std::int64_t requests = 0;    ///< sum
  std::int64_t tokens = 0;      ///< sum; 0: not recorded
  /// GPU idle time from the end of the previous steps' GPU work to the start of this one's, and what the steps' thread
  /// did meanwhile, which adds up to it.
  Nanos idle_before = 0;
  std::array<Nanos, kServerWorkCount> idle_by{};
  Nanos idle_inside = 0;                        ///< GPU idle within the GPU work of the steps
  TimeSpan longest_idle = TimeSpan::nothing();  ///< the longest of those before a step
  SliceId longest;                              ///< the step after it, else the longest step

  Nanos at(ServerWork work) const { return idle_by[static_cast<std::size_t>(work)]; }
  /// GPU time that the phase does not use.
  Nanos lost() const { return saturating_add(idle_before, idle_inside); }
};

/// The part of a recording in which a server has its full number of requests, without ramp-up and drain.
struct SteadyState {
  std::size_t first = 0, last = 0;  ///< indices in MeasuredSteps::steps
  TimeSpan window;
  std::int64_t most = 0;    ///< number of requests that at least a tenth of the decode steps reach
  std::size_t ramp_up = 0;  ///< number of steps before the steady state
  std::size_t drain = 0;    ///< number of steps after it
};

/// A decode step belongs to the steady state if it has at least this fraction of SteadyState::most.
inline constexpr double kSteadyBatch = 0.8;
/// At least this many decode steps are needed to find it, and this fraction of all steps must remain.
inline constexpr std::size_t kLeastSteadySteps = 10;
inline constexpr double kLeastSteadyPart = 0.5;

struct StepPhases {
  std::vector<PhaseTimes> phases;     ///< in the order of StepPhase, without empty ones
  std::vector<PhaseTimes> by_batch;   ///< the same by batch size, ascending
  std::optional<SteadyState> steady;  ///< set if something is to be left out

  bool empty() const { return phases.empty(); }
  /// Returns the phase with at least kMostLost of the GPU time lost by all phases; null if none, or only one phase.
  const PhaseTimes* loses_most() const;
  /// Returns the host's work during at least half of the idle time before steps; nothing if not known.
  std::optional<ServerWork> mostly_at() const;
};

inline constexpr double kMostLost = 2.0 / 3;
/// Idle GPU time below this fraction of the steps is not worth naming a phase.
inline constexpr double kWorthNaming = 0.1;

/// Groups the measured steps by phase, given by their names (parse_engine_step()); empty for steps that are not of
/// inference servers. Read-only, any thread. O(GPU activities + launches log steps + slices of the thread of the steps
/// that lie between them).
StepPhases find_step_phases(const Trace& trace, const MeasuredSteps& steps);

}  // namespace lacuna

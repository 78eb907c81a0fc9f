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

/// The steps of an inference server that are in one phase, or those of them with one batch size. Times in ns.
struct PhaseTimes {
  StepPhase phase = StepPhase::kDecode;
  std::optional<std::int64_t> batch_size;  ///< requests; nothing: of all sizes
  std::uint64_t steps = 0;
  Nanos median = 0;           ///< MeasuredStep::length()
  Nanos host_median = 0;      ///< its annotation, on the CPU
  Nanos gpu_span_median = 0;  ///< from the first start to the last end of its GPU work
  Nanos length = 0;           ///< sum of MeasuredStep::length()
  Nanos busy = 0;             ///< of it, in which the GPUs of the file had work of any kind
  std::uint64_t graph_launches = 0;
  Nanos graph_launch_time = 0;  ///< in these calls
  std::int64_t requests = 0;    ///< sum
  std::int64_t tokens = 0;      ///< sum; 0: not said
  /// GPU idle from the end of the GPU work of the steps before to the start of this one's, and what the thread of the
  /// steps was at meanwhile, which adds up to it.
  Nanos idle_before = 0;
  std::array<Nanos, kServerWorkCount> idle_by{};
  Nanos idle_inside = 0;                        ///< GPU idle within the GPU work of the steps
  TimeSpan longest_idle = TimeSpan::nothing();  ///< of those before a step
  SliceId longest;                              ///< the step after it, else the longest step

  Nanos at(ServerWork work) const { return idle_by[static_cast<std::size_t>(work)]; }
  /// GPU time that the phase leaves unused.
  Nanos lost() const { return saturating_add(idle_before, idle_inside); }
};

/// The part of a recording in which a server has its full number of requests, without ramp up and drain.
struct SteadyState {
  std::size_t first = 0, last = 0;  ///< indices in MeasuredSteps::steps
  TimeSpan window;
  std::int64_t most = 0;    ///< requests of the steps that decode: as many in a tenth of them, or more
  std::size_t ramp_up = 0;  ///< steps before it
  std::size_t drain = 0;    ///< steps after it
};

/// A step that decodes counts as one of the steady state where it has at least this part of SteadyState::most.
inline constexpr double kSteadyBatch = 0.8;
/// So many steps that decode are needed to tell, and this part of all steps has to be left.
inline constexpr std::size_t kLeastSteadySteps = 10;
inline constexpr double kLeastSteadyPart = 0.5;

struct StepPhases {
  std::vector<PhaseTimes> phases;     ///< in the order of StepPhase, those that there are
  std::vector<PhaseTimes> by_batch;   ///< the same by batch size, ascending
  std::optional<SteadyState> steady;  ///< where something is to be left out

  bool empty() const { return phases.empty(); }
  /// The phase that has at least kMostLost of the GPU time lost by all of them, of several; null: none has.
  const PhaseTimes* loses_most() const;
  /// What the host was at for half or more of the idle time before steps; nothing where that is not known.
  std::optional<ServerWork> mostly_at() const;
};

inline constexpr double kMostLost = 2.0 / 3;
/// Less idle GPU time than this part of the steps is no reason to name a phase.
inline constexpr double kWorthNaming = 0.1;

/// The measured steps by phase, as their names say it (parse_engine_step()); empty of other steps than those of
/// inference servers. Reads only, any thread. O(GPU activities + launches log steps + slices of the thread of the steps
/// that lie between them).
StepPhases find_step_phases(const Trace& trace, const MeasuredSteps& steps);

}  // namespace lacuna

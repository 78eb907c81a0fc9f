#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/causes/cpu_timeline.h"
#include "model/causes/gap_cause.h"
#include "model/causes/outside_evidence.h"
#include "model/gaps/gaps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The name in which a CPU thread spent most of a window, at one level.
struct CpuShare {
  StringId name = kEmptyString;
  Nanos time = 0;  ///< inside the window, over all slices with that name
  std::uint32_t stretches = 0;
  SliceId longest;  ///< the slice with the largest part of it; invalid if there is none
};

/// What the responsible CPU thread (GapDiagnosis::thread) did before the launch was issued, or
/// during the whole gap if it was issued in time.
struct GapEvidence {
  TimeSpan window;
  TrackId thread;
  std::array<CpuShare, kCpuLevelCount> most;  ///< by CpuLevel: the name with the most time
  OutsideEvidence outside;                    ///< states of that thread, and samples of its stack
  Nanos unrecorded = 0;                       ///< no operator, no runtime call and no Python frame on that thread
  SliceId sync_operator;                      ///< the outermost operator around GapDiagnosis::sync_call

  const CpuShare& at(CpuLevel level) const { return most[static_cast<std::size_t>(level)]; }
};

/// Examines the gap on demand: O(rows log n + slices of the thread inside it). Any thread.
GapEvidence gather_evidence(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis);

/// gather_evidence() for many gaps: flattens a thread once if it is queried often, so that the total cost is at most
/// O(slices log n) for disjoint gaps. Refers to the trace. One thread at a time.
class GapEvidences {
 public:
  explicit GapEvidences(const Trace& trace);
  GapEvidence of(const Gap& gap, const GapDiagnosis& diagnosis);

 private:
  struct OfThread {
    std::uint64_t looked_at = 0;  // number of rows, and of stretches in them, visited
    std::optional<CpuTimeline> whole;
  };
  SliceId outermost_operator(SliceId call);

  const Trace& trace_;
  TracksBeside beside_;
  std::unordered_map<TrackId, OfThread> threads_;
  std::unordered_map<SliceId, SliceId> operators_;  // outermost operators around queried slices
};

/// Returns the rule's sentence with its values: "cudaLaunchKernel came 3.2 ms late: 2.9 ms in aten::index …".
/// `duration` formats a length of time.
std::string explain_gap(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis, const GapEvidence& evidence,
                        std::string (*duration)(Nanos));

/// Returns a kernel's name without return type, parameters and template arguments, cut to `limit`
/// bytes: "at::native::vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name, std::size_t limit = 48);

}  // namespace lacuna

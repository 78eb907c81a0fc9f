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

/// What a CPU thread did most of some window, at one level.
struct CpuShare {
  StringId name = kEmptyString;
  Nanos time = 0;  ///< inside the window, in all slices of that name
  std::uint32_t stretches = 0;
  SliceId longest;  ///< the slice with the most of it; invalid when there is none
};

/// What the responsible CPU thread (GapDiagnosis::thread) did before the launch was issued, or
/// during the whole gap where it was issued in time.
struct GapEvidence {
  TimeSpan window;
  TrackId thread;
  std::array<CpuShare, kCpuLevelCount> most;  ///< by CpuLevel: the name with the most time
  OutsideEvidence outside;                    ///< of that thread: its states, and samples of its stack
  Nanos unrecorded = 0;                       ///< no operator, no runtime call and no Python frame on that thread
  SliceId sync_operator;                      ///< the outermost operator around GapDiagnosis::sync_call

  const CpuShare& at(CpuLevel level) const { return most[static_cast<std::size_t>(level)]; }
};

/// Looks at the gap on demand: O(rows log n + slices of the thread inside it). Any thread may call.
GapEvidence gather_evidence(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis);

/// gather_evidence() of many gaps: a thread of which much is asked is laid flat once, so that all of them cost no more
/// than O(slices log n), where gaps lie beside each other. Holds a reference to the trace. One thread at a time.
class GapEvidences {
 public:
  explicit GapEvidences(const Trace& trace);
  GapEvidence of(const Gap& gap, const GapDiagnosis& diagnosis);

 private:
  struct OfThread {
    std::uint64_t looked_at = 0;  // rows, and stretches in them
    std::optional<CpuTimeline> whole;
  };
  SliceId outermost_operator(SliceId call);

  const Trace& trace_;
  TracksBeside beside_;
  std::unordered_map<TrackId, OfThread> threads_;
  std::unordered_map<SliceId, SliceId> operators_;  // the outermost ones around slices that were asked for
};

/// The rule's sentence, filled in: "cudaLaunchKernel came 3.2 ms late: 2.9 ms in aten::index …".
/// `duration` formats a length of time.
std::string explain_gap(const Trace& trace, const Gap& gap, const GapDiagnosis& diagnosis, const GapEvidence& evidence,
                        std::string (*duration)(Nanos));

/// A kernel's name without return type, parameters and template arguments, and at most `limit`
/// bytes of it: "at::native::vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name, std::size_t limit = 48);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/causes/cause_index.h"
#include "model/causes/cause_ranking.h"
#include "model/gaps/growing_gaps.h"
#include "model/index/busy_index.h"
#include "model/trace/lane_growth.h"

namespace lacuna {

/// The idle time of a running recording, as far as it is known.
struct IdleTime {
  std::vector<StreamActivity> streams;                ///< as from analyze_streams()
  std::vector<SharedVector<GapDiagnosis>> by_stream;  ///< for the first gaps of each stream; later ones have none yet
  std::vector<CausedGaps> devices;                    ///< as from diagnose_devices(); likewise
  std::vector<StreamBusyIndex> device_busy;           ///< for each of `devices`
  std::vector<std::size_t> kept;  ///< by stream: how many of the first gaps are unchanged from the previous trace
  Nanos known_until = kMinNanos;  ///< all gaps that end until then have a diagnosis
};

/// The gaps of a running recording and their causes, updated from trace to trace. A gap is diagnosed when all slices
/// that ended until some time after it have arrived (`known_after`, which is measured): slices that arrive later
/// restart everything, with twice the time. That time never shrinks: what came late once will come late again (a buffer
/// is delivered when full, or at the end), a restart takes as long as the recording is, and a long time only costs
/// that diagnoses come later, by at most 10 s. Diagnoses that late slices would change are repeated.
/// Each diagnosis equals that of a CauseIndex of the whole trace. For one recording; one thread at a time.
class GrowingCauses {
 public:
  explicit GrowingCauses(Nanos known_after = 150'000'000) : known_after_(known_after) {}

  /// O(newly ended + open slices + gaps not diagnosed so far).
  /// `is_last`: everything has arrived, and every gap is diagnosed.
  IdleTime update(const Trace& trace, bool is_last = false);

  /// Number of diagnoses so far, including repeated ones.
  std::uint64_t judged() const { return judged_; }
  /// How often everything was restarted.
  std::uint32_t starts_over() const { return starts_over_; }

 private:
  using Key = std::tuple<SourceId, StringId, StringId>;  // source, device, stream
  using Verdicts = SharedVector<GapDiagnosis>;
  Verdicts judge(Verdicts& known, const SharedVector<Gap>& gaps, std::size_t kept, Nanos since,
                 const LaneGrowth::News& news);

  Nanos known_after_;
  LaneGrowth growth_;
  GrowingGaps gaps_;
  CauseIndex index_;
  std::map<Key, Verdicts> of_streams_;
  std::map<Key, Verdicts> of_devices_;
  std::map<Key, StreamBusyIndex> busy_devices_;
  std::uint64_t judged_ = 0;
  std::uint32_t starts_over_ = 0;
};

}  // namespace lacuna

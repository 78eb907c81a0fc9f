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

/// What is known of the idle time of a recording under way.
struct IdleTime {
  std::vector<StreamActivity> streams;                ///< as analyze_streams()
  std::vector<SharedVector<GapDiagnosis>> by_stream;  ///< of the first gaps of each: the others end too late
  std::vector<CausedGaps> devices;                    ///< as diagnose_devices(); likewise
  std::vector<StreamBusyIndex> device_busy;           ///< of each of `devices`
  std::vector<std::size_t> kept;  ///< by stream: the number of gaps that are those of the previous trace
  Nanos known_until = kMinNanos;  ///< all gaps that end until then have their verdict
};

/// Gaps and their causes, kept up from one trace of a recording to the next. A gap gets its verdict when all that ended
/// some time after its slices have arrived (`known_after`, which is measured): what arrives later than that starts
/// all over, with twice the time. It never falls again: what came late once comes late again (a buffer is handed over
/// when it is full, or at the end), beginning anew takes as long as the recording is, and all that a long time costs is
/// that a verdict comes later, by 10 s at most. Verdicts that late slices would change are made anew.
/// Each verdict is that of a CauseIndex made of the whole trace. Of one recording; one thread at a time.
class GrowingCauses {
 public:
  explicit GrowingCauses(Nanos known_after = 150'000'000) : known_after_(known_after) {}

  /// O(slices newly ended + slices open + gaps not judged so far).
  /// `is_last`: everything has arrived, and every gap gets its verdict.
  IdleTime update(const Trace& trace, bool is_last = false);

  /// Verdicts were found so far, those that were found again included.
  std::uint64_t judged() const { return judged_; }
  /// How often all began anew.
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

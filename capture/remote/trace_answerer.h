#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/remote/page_answerer.h"
#include "capture/remote/remote_questions.h"
#include "model/causes/cause_index.h"
#include "model/gaps/gaps.h"
#include "model/statistics/statistics.h"

namespace lacuna {

/// Answers a window's questions about a trace of this machine with the same results as a local window: the
/// same statistics, gaps, causes and pages. Two threads: one for work_out(), one for answers.
class TraceAnswerer {
 public:
  /// `trace` must outlive it. `format`: of numbers in texts.
  TraceAnswerer(const Trace& trace, const ReportFormat& format)
      : trace_(trace), format_(format), pages_(trace, format) {}

  /// Computes in advance what every question needs: O(n log n) in the events. Stops soon after `cancel`. `statistics`:
  /// of the whole trace, if known. Call once. Throws std::bad_alloc.
  void work_out(std::optional<Statistics> statistics, const std::atomic<bool>& cancel);
  /// Returns the statistics of the whole trace; null until computed.
  const Statistics* statistics() const { return has_statistics_ ? &statistics_ : nullptr; }

  struct Answer {
    RemoteAnswers answers;
    Statistics statistics;  ///< at most kMostRemoteRows, with the largest self times
  };
  /// Answers with the results so far. O(slices in the range, activities in it, and in the gaps of the answer). Throws
  /// std::bad_alloc.
  Answer answer(const RemoteQuestions& questions);

 private:
  void answer_statistics(const RemoteQuestions& questions, Answer& result);
  void answer_gaps(const RemoteQuestions& questions, RemoteAnswers& answers) const;
  RemoteSlice answer_slice(const AskedSlice& asked) const;
  std::optional<AskedGap> answer_step(const RemoteQuestions& questions) const;
  std::optional<RemoteGap> answer_gap(const AskedGap& asked) const;
  RemoteGap remote_gap(const StreamActivity& stream, const Gap& gap) const;
  RemoteLink remote_link(RemoteLinkKind kind, SliceId slice) const;
  std::string name_of(SliceId slice) const;

  const Trace& trace_;
  const ReportFormat format_;
  // Each is written before its flag is set.
  Statistics statistics_;
  std::atomic<bool> has_statistics_{false};
  std::vector<StreamActivity> streams_;
  std::unique_ptr<CauseIndex> causes_;
  std::unique_ptr<const CausedTrace> caused_;  // of both
  std::atomic<bool> has_causes_{false};
  // The last expensive answer; answering thread only. Consecutive pictures often have the same question.
  struct LastCount {
    TimeSpan range;
    std::vector<TrackId> tracks;
    Statistics statistics;
    std::vector<RemoteStream> streams;
    std::uint64_t rows_left_out = 0;
  };
  std::optional<LastCount> last_count_;
  std::optional<RemoteAnswers> last_gaps_;
  PageAnswerer pages_;
};

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/report/headline.h"

namespace lacuna {

/// The headline of a range, or of the newest part of a recording under way; that of the measured time is ReportView's.
/// Computed in the background, once for each range: the verdicts come first, what replays gain follows. UI thread.
class HeadlineView {
 public:
  /// How much of a recording under way it is about: up to the last moment whose idle time has causes.
  static constexpr Nanos kNewestNs = 10'000'000'000;

  explicit HeadlineView(BackgroundJobs& jobs) : job_(jobs) {}

  /// Asks about `range`, which is called `name`; nothing: about the newest of a recording, and of other traces nothing.
  /// Once a frame; costs nothing while the question is the same. Previews of files have no answer.
  void ask(const DocumentPtr& document, const std::optional<TimeSpan>& range, std::string_view name);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  struct Answer {
    Headline headline;
    std::string name;  ///< of what it is about: "Step 3", "Last 10.0 s"
    bool is_recording = false;
  };
  /// The latest, maybe of the range before while that of another is computed. Null: no range is asked about, or there
  /// is none yet.
  const Answer* answer() const { return answer_.get(); }

 private:
  struct Prepared;

  DocumentPtr document_;
  std::optional<TimeSpan> range_;
  std::shared_ptr<Prepared> prepared_;  // of the document; only the job looks into it
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

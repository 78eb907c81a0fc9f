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

/// The headline of a range, or of the newest part of a running recording; ReportView has that of the measured time.
/// Computed in the background, once per range: first the verdicts, then the gains that replays predict; or on the
/// machine from which the trace is seen. UI thread.
class HeadlineView {
 public:
  /// The length of that part of a running recording, up to the last moment whose idle time has causes.
  static constexpr Nanos kNewestNs = 10'000'000'000;

  explicit HeadlineView(BackgroundJobs& jobs) : job_(jobs) {}

  /// Requests the headline of `range`, called `name`. Without a range: of the newest part of a recording, and none for
  /// other traces. Call once a frame; costs nothing for the same question. Previews of files get no answer.
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
  /// The latest answer; of the previous range while the next one is computed. Null: no range was given, or nothing is
  /// computed yet.
  const Answer* answer() const { return answer_.get(); }

 private:
  struct Prepared;
  void take_remote(const DocumentPtr& document, const std::optional<TimeSpan>& range, std::string_view name);

  DocumentPtr document_;
  std::optional<TimeSpan> range_;
  std::shared_ptr<Prepared> prepared_;  // for the document; used by the job only
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

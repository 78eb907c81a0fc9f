#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/report/headline.h"
#include "model/report/report.h"
#include "model/report/report_cards.h"
#include "model/report/report_words.h"

namespace lacuna {

/// Returns the number format of reports in the window.
ReportFormat window_format();

/// The report of a document as text, computed in the background on first request.
/// UI thread.
class ReportView {
 public:
  /// The report of one file; for each file of the document that has slices.
  struct File {
    SourceId source;
    std::vector<ReportSection> sections;
    std::vector<ReportCard> cards;
    TimeSpan window;  ///< the measured time
    std::string window_name;
  };

  explicit ReportView(BackgroundJobs& jobs) : job_(jobs) {}

  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until it is there.
  const std::vector<File>* files() const { return answer_ ? &answer_->files : nullptr; }
  /// Returns the headline of all files; null before the first answer.
  const Headline* headline() const { return answer_ ? &answer_->headline : nullptr; }
  /// Index of the shown file; always within files().
  std::size_t chosen = 0;

 private:
  struct Answer {
    std::vector<File> files;
    Headline headline;
  };

  DocumentPtr document_;
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

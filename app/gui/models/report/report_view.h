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

/// How the window writes a report's numbers.
ReportFormat window_format();

/// The report of a document in words, computed in the background when it is first asked for.
/// UI thread.
class ReportView {
 public:
  /// One for each file of the document that has slices.
  struct File {
    SourceId source;
    std::vector<ReportSection> sections;
    std::vector<ReportCard> cards;
    TimeSpan window;  ///< that it measures
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
  /// The headline of all files; null before the first answer.
  const Headline* headline() const { return answer_ ? &answer_->headline : nullptr; }
  /// The file shown; always within files().
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

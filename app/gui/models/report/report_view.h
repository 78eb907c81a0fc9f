#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/report/described_reports.h"

namespace lacuna {

/// The report of a document as text: computed in the background on first request, or on the machine from which the
/// trace is seen. UI thread.
class ReportView {
 public:
  explicit ReportView(BackgroundJobs& jobs) : job_(jobs) {}

  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until it is there.
  const std::vector<DescribedReport>* files() const { return answer_ ? &answer_->files : nullptr; }
  /// Returns the headline of all files; null before the first answer.
  const Headline* headline() const { return answer_ ? &answer_->headline : nullptr; }
  /// Why another machine has no report; empty: it has one, or none was asked for.
  const std::string& problem() const { return problem_; }
  /// Index of the shown file; always within files().
  std::size_t chosen = 0;

 private:
  void take_remote(const DocumentPtr& document);

  DocumentPtr document_;
  std::shared_ptr<const DescribedReports> answer_;
  std::string problem_;
  LatestJob<DescribedReports> job_;
};

}  // namespace lacuna

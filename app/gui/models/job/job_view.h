#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/job/job_map.h"
#include "model/job/flight_dumps.h"
#include "model/job/job.h"
#include "model/job/job_compare.h"
#include "model/job/load_job.h"
#include "model/report/report.h"

namespace lacuna {

/// The merged ranks of a job, computed in the background: those of a document on first request, or those
/// of files (digests, or traces reduced one by one), none of which needs to be open. UI thread.
class JobView {
 public:
  struct Answer {
    Job job;
    std::string error;  ///< why there is no job; empty: there is one
    HangFiles hang;     ///< from flight recorder files beside the traces
  };
  /// A comparison of the job with another one.
  struct Comparison {
    JobComparison both;              ///< b is the other job
    std::vector<std::string> paths;  ///< files of the other job
    std::string error;               ///< why the other job cannot be read; empty: it was
  };

  explicit JobView(BackgroundJobs& jobs) : job_(jobs), comparison_job_(jobs) {}
  ~JobView() { stop(); }

  /// Requests the job of the document; no effect while files are shown.
  void ask(const DocumentPtr& document);
  /// Shows the job of these files, independent of the open document, until close_files().
  void open_files(std::vector<std::string> paths, const ImportOptions& import);
  void close_files() { reset(); }
  bool has_files() const { return !files_.empty(); }
  const std::vector<std::string>& files() const { return files_; }
  /// The numbers of files read so far and in total; 0 of 0 when nothing is being read.
  std::pair<std::size_t, std::size_t> files_read() const;

  /// Compares the job, which must be computed, with the job of these files.
  void compare_with(std::vector<std::string> paths, const ImportOptions& import);
  void close_comparison();
  bool is_comparing() const { return comparison_job_.is_busy(); }
  /// Null until it is there.
  const Comparison* comparison() const { return comparison_.get(); }

  bool update();
  void settle();
  /// Drops everything.
  void reset();
  bool is_computing() const { return job_.is_busy() || comparison_job_.is_busy(); }

  /// Null until it is there.
  const Answer* answer() const { return answer_.get(); }
  /// Row order of the map; initially by value for a job of many ranks.
  JobMapOrder order;
  /// The map of answer()'s job in `order`.
  const JobMap& map();

  /// Returns the timeline place of a piece of evidence, with the GPU slice of this source (SourceId) there, if
  /// there is one. `start`: in the trace's clock.
  static ReportPlace place_of(const Trace& trace, std::uint32_t source, Nanos start, Nanos duration);
  /// Returns the step of one rank in its file's times; an empty span if it has none.
  static TimeSpan step_of(const Job& job, std::size_t rank, std::size_t step);

 private:
  /// Asks the running read to end soon.
  void stop();
  void forget_answer();

  DocumentPtr document_;
  std::vector<std::string> files_;
  std::shared_ptr<LoadRanksProgress> reading_;
  std::shared_ptr<LoadRanksProgress> reading_other_;
  std::shared_ptr<const Answer> answer_;
  std::shared_ptr<const Comparison> comparison_;
  std::optional<JobMap> map_;
  JobMapOrder map_order_;  ///< the order of `map_`
  LatestJob<Answer> job_;
  LatestJob<Comparison> comparison_job_;
};

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/job/job_map.h"
#include "app/tables/job_comparison_tables.h"
#include "model/job/flight_dumps.h"
#include "model/job/job.h"
#include "model/job/job_compare.h"
#include "model/job/load_job.h"
#include "model/report/report.h"

namespace lacuna {

/// The ranks of a job, brought together in the background: those of a document when they are first asked for, or those
/// of files (digests, or traces that are reduced one by one) of which none needs to be open. UI thread.
class JobView {
 public:
  struct Answer {
    Job job;
    std::string error;  ///< why there is none; empty: there is one
    HangFiles hang;     ///< of flight recorder files beside the traces
  };
  /// The job compared with another.
  struct Comparison {
    JobComparison both;              ///< b is the other job
    std::vector<JobTable> tables;    ///< the same, as shown
    std::vector<std::string> paths;  ///< of the other job
    std::string error;               ///< why it cannot be read; empty: it was
  };

  explicit JobView(BackgroundJobs& jobs) : job_(jobs), comparison_job_(jobs) {}
  ~JobView() { stop(); }

  /// Asks for the job of the document; changes nothing while files are shown.
  void ask(const DocumentPtr& document);
  /// Shows the job of these files, whatever document is open, until close_files().
  void open_files(std::vector<std::string> paths, const ImportOptions& import);
  void close_files() { reset(); }
  bool has_files() const { return !files_.empty(); }
  const std::vector<std::string>& files() const { return files_; }
  /// Files read so far, of those that there are; 0 of 0 when nothing is being read.
  std::pair<std::size_t, std::size_t> files_read() const;

  /// Compares the job, which must be there, with that of these files.
  void compare_with(std::vector<std::string> paths, const ImportOptions& import);
  void close_comparison();
  bool is_comparing() const { return comparison_job_.is_busy(); }
  /// Null until it is there.
  const Comparison* comparison() const { return comparison_.get(); }

  bool update();
  void settle();
  /// Forgets all of it.
  void reset();
  bool is_computing() const { return job_.is_busy() || comparison_job_.is_busy(); }

  /// Null until it is there.
  const Answer* answer() const { return answer_.get(); }
  /// How the map lies; a job of many ranks has those at its top that it is about.
  JobMapOrder order;
  /// The map of answer()'s job in `order`.
  const JobMap& map();

  /// Where a place of the job's evidence is on the timeline: with the GPU slice of this source (SourceId) there, if
  /// there is one. `start`: by the trace's clock.
  static ReportPlace place_of(const Trace& trace, std::uint32_t source, Nanos start, Nanos duration);
  /// The step of one rank in the times of its file; an empty span where it has none.
  static TimeSpan step_of(const Job& job, std::size_t rank, std::size_t step);

 private:
  /// Tells what is being read to end soon.
  void stop();
  void forget_answer();

  DocumentPtr document_;
  std::vector<std::string> files_;
  std::shared_ptr<LoadRanksProgress> reading_;
  std::shared_ptr<LoadRanksProgress> reading_other_;
  std::shared_ptr<const Answer> answer_;
  std::shared_ptr<const Comparison> comparison_;
  std::optional<JobMap> map_;
  JobMapOrder map_order_;  ///< what `map_` was made for
  LatestJob<Answer> job_;
  LatestJob<Comparison> comparison_job_;
};

}  // namespace lacuna

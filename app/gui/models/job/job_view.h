#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/job/flight_dumps.h"
#include "model/job/job.h"
#include "model/report/report.h"

namespace lacuna {

/// What a cell of the job's map is coloured by.
enum class JobColumn : std::uint8_t { kLost, kWaited, kDelay, kLength };

/// The ranks of a document as a job, brought together in the background when they are first asked for. UI thread.
class JobView {
 public:
  struct Answer {
    Job job;
    std::string error;  ///< why there is none; empty: there is one
    HangFiles hang;     ///< of flight recorder files beside the traces
  };

  explicit JobView(BackgroundJobs& jobs) : job_(jobs) {}

  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until it is there.
  const Answer* answer() const { return answer_.get(); }
  JobColumn column = JobColumn::kLost;
  std::string grouping;  ///< of the map's rows: one of groupings(); empty: in order of rank

  /// A row of the map.
  struct Row {
    static constexpr std::size_t kHeading = static_cast<std::size_t>(-1);
    std::size_t rank = kHeading;  ///< index in Job::ranks
    std::string heading;          ///< of the rows that follow: "tp 0 1 2 3", "host a"
  };
  /// What the rows can be grouped by: "host" where traces name several, and the kinds of groups that part the ranks
  /// ("tp", "dp" …).
  static std::vector<std::string> groupings(const Job& job);
  /// Each rank once; those of no group last, under a heading that says so. Without a grouping there are no headings.
  static std::vector<Row> rows(const Job& job, const std::string& grouping);

  /// The value of a cell by `column`.
  static Nanos value(const JobCell& cell, JobColumn column);
  /// Where a place of the job's evidence is on the timeline: with the slice there, if there is one.
  static ReportPlace place_of(const Trace& trace, const JobRank& rank, Nanos start, Nanos duration);
  /// The step of one rank.
  static ReportPlace step_of(const Trace& trace, const Job& job, std::size_t rank, std::size_t step);

 private:
  DocumentPtr document_;
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

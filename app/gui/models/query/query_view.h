#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/query/query_rows.h"
#include "model/report/report.h"

namespace lacuna {

class QueryEngine;

/// The SQL page: a text, its run on a worker, and the rows that came of it. UI thread.
class QueryView {
 public:
  /// Rows kept of an answer; all are counted.
  static constexpr std::uint64_t kMostShown = 100'000;

  struct Answer {
    std::string sql;
    QueryRows rows;
    std::vector<SliceId> slices;  ///< by row, where a column is an id of slices; else empty
    std::uint64_t count = 0;      ///< of all rows
    bool is_cut_short = false;    ///< counting was given up: there are more
    std::string error;            ///< empty: there is none
    std::optional<std::uint64_t> error_offset;
    bool is_cancelled = false;
    double seconds = 0;
  };

  explicit QueryView(BackgroundJobs& jobs);
  ~QueryView();

  std::string text;  ///< what the editor shows

  /// Runs the text on the document. What its queries made before (views, tables) is still there.
  void run(const DocumentPtr& document);
  void cancel();
  bool update();
  void settle();
  /// Forgets the answer and the trace.
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until one is there.
  const Answer* answer() const { return answer_.get(); }
  /// How many answers there were: tells one from the next.
  std::uint64_t answer_count() const { return answer_count_; }
  /// Rows of the answer in the order chosen.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// By a column of the answer; -1: as they came.
  void sort(int column, bool descending);
  /// Where a row is on the timeline: its slice, else its ts and dur; nothing without them.
  std::optional<ReportPlace> place_of(std::size_t row) const;

 private:
  std::shared_ptr<QueryEngine> engine_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the run under way
  std::shared_ptr<const Answer> answer_;
  std::uint64_t answer_count_ = 0;
  std::vector<std::uint32_t> order_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

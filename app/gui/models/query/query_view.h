#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/query/query_rows.h"
#include "model/query/result_track.h"
#include "model/report/report.h"

namespace lacuna {

class QueryEngine;

/// Returns a query's title: the text of the comment (-- words) that it begins with, else the query itself on one line.
std::string query_title(std::string_view sql);

/// Whether queries may run on the document: not on files still loading, nor on another machine's pictures, which have
/// too little; on a running recording they see the events so far.
bool may_be_queried(const Document& document);

/// The SQL page: the query text, its run on a worker, the result rows, and those shown on the timeline. UI thread.
class QueryView {
 public:
  /// The most rows kept of an answer; all are counted.
  static constexpr std::uint64_t kMostShown = 100'000;

  struct Answer {
    std::string sql;
    QueryRows rows;
    std::vector<SliceId> slices;  ///< by row, if a column has ids of slices; else empty
    std::uint64_t count = 0;      ///< of all rows
    bool is_cut_short = false;    ///< counting was given up: there are more rows
    std::string error;            ///< empty: no error
    std::optional<std::uint64_t> error_offset;
    bool is_cancelled = false;
    double seconds = 0;
  };

  /// Rows of an answer that stay on the timeline when the next answer comes.
  struct Shown {
    ResultTrack track;
    std::string title;
    std::shared_ptr<const Answer> answer;
    std::uint64_t number = 0;  ///< unique number
  };
  static constexpr std::size_t kMostTracks = 12;

  /// How the rows are shown: as a table, or as a plot of one column over another.
  struct Plot {
    bool is_shown = false;
    std::size_t x = 0, y = 1;  ///< columns of the answer
  };

  explicit QueryView(BackgroundJobs& jobs);
  ~QueryView();

  std::string text;  ///< contents of the editor

  /// Runs the text on the document. Views and tables made by earlier queries still exist; for a running recording only
  /// while the document is the same.
  void run(const DocumentPtr& document);
  void cancel();
  bool update();
  void settle();
  /// Drops the answer, the results on the timeline, and the trace.
  void reset();
  /// Resets if `document` is another one, as rows of one trace are invalid in another. Not during a
  /// recording.
  void keep_to(const DocumentPtr& document);
  bool is_computing() const { return job_.is_busy(); }

  /// Null until the first answer.
  const Answer* answer() const { return answer_.get(); }
  /// The number of answers so far, which identifies the current one.
  std::uint64_t answer_count() const { return answer_count_; }
  /// The rows of the answer in the chosen order.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// Sorts the rows by a column of the answer; -1: in their original order.
  void sort(int column, bool descending);
  /// Returns the place of a row on the timeline: of its slice, else by its ts and dur; nothing if it has neither.
  std::optional<ReportPlace> place_of(std::size_t row) const;
  std::optional<ReportPlace> place_of(const Answer& answer, std::size_t row) const;

  /// Shows the rows of the answer on the timeline. Returns an empty string, or why that is impossible.
  std::string show_as(ResultTrack::Kind kind);
  /// Results on the timeline, oldest first.
  const std::vector<Shown>& shown() const { return shown_; }
  void remove(std::uint64_t number);
  void remove_all() { shown_.clear(); }

  Plot plot;

 private:
  void choose_plot();

  std::shared_ptr<QueryEngine> engine_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running query
  std::shared_ptr<const Answer> answer_;
  std::uint64_t answer_count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::string> plotted_names_;
  std::vector<Shown> shown_;
  std::uint64_t shown_count_ = 0;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

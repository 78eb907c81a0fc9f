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

/// What a query is called: the words of a comment (-- words) that it begins with, else itself on one line.
std::string query_title(std::string_view sql);

/// Files that are being read are there soon, and what is seen from afar is too little; recordings tell what came so
/// far.
bool may_be_queried(const Document& document);

/// The SQL page: a text, its run on a worker, the rows that came of it, and those put on the timeline. UI thread.
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

  /// Rows of an answer that stay on the timeline when another one comes.
  struct Shown {
    ResultTrack track;
    std::string title;
    std::shared_ptr<const Answer> answer;
    std::uint64_t number = 0;  ///< tells it from the others
  };
  static constexpr std::size_t kMostTracks = 12;

  /// How the rows are shown: as a table, or a column over another one.
  struct Plot {
    bool is_shown = false;
    std::size_t x = 0, y = 1;  ///< columns of the answer
  };

  explicit QueryView(BackgroundJobs& jobs);
  ~QueryView();

  std::string text;  ///< what the editor shows

  /// Runs the text on the document. What its queries made before (views, tables) is still there; of a recording under
  /// way only in the same document.
  void run(const DocumentPtr& document);
  void cancel();
  bool update();
  void settle();
  /// Forgets the answer, what of answers is on the timeline, and the trace.
  void reset();
  /// The same when `document` is another one: rows of one trace mean nothing in the next. Not while a recording goes
  /// on.
  void keep_to(const DocumentPtr& document);
  bool is_computing() const { return job_.is_busy(); }

  /// Null until one is there.
  const Answer* answer() const { return answer_.get(); }
  /// How many answers there were: tells one from the next.
  std::uint64_t answer_count() const { return answer_count_; }
  /// Rows of the answer in the order chosen.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// Sorts the rows by a column of the answer; -1: as they came.
  void sort(int column, bool descending);
  /// The place of a row on the timeline: its slice, else its ts and dur; nothing without them.
  std::optional<ReportPlace> place_of(std::size_t row) const;
  std::optional<ReportPlace> place_of(const Answer& answer, std::size_t row) const;

  /// Puts the rows of the answer on the timeline. Empty, or why that cannot be.
  std::string show_as(ResultTrack::Kind kind);
  /// Results on the timeline, oldest first.
  const std::vector<Shown>& shown() const { return shown_; }
  void remove(std::uint64_t number);
  void remove_all() { shown_.clear(); }

  Plot plot;

 private:
  void choose_plot();

  std::shared_ptr<QueryEngine> engine_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the run under way
  std::shared_ptr<const Answer> answer_;
  std::uint64_t answer_count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::string> plotted_names_;
  std::vector<Shown> shown_;
  std::uint64_t shown_count_ = 0;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

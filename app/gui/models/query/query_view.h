#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "capture/remote/remote_page.h"
#include "model/query/query_engine.h"
#include "model/query/result_track.h"

namespace lacuna {

/// Returns a query's title: the text of the comment (-- words) that it begins with, else the query itself on one line.
std::string query_title(std::string_view sql);

/// Whether queries may run on the document: not on files still loading; on a running recording they see the events so
/// far, and those of a trace on another machine run there.
bool may_be_queried(const Document& document);

/// The SQL page: the query text, its run on a worker or on the machine from which the trace is seen, the result rows,
/// and those shown on the timeline. UI thread.
class QueryView {
 public:
  /// The most rows kept of an answer; all are counted.
  static constexpr std::uint64_t kMostShown = 100'000;

  using Answer = QueryAnswer;

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

  /// Makes the tables of a document that is queried soon, once, so that the first answer does not wait for them. Call
  /// each frame in which the page is seen.
  void prepare(const DocumentPtr& document);
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
  bool is_computing() const { return job_.is_busy() || is_awaited_; }
  /// What that machine is to be asked for the answer, each time that it is asked; null: nothing.
  const AskedPage* asked() const { return asked_ ? &*asked_ : nullptr; }
  /// Takes its answer from the newest picture.
  void take_remote(const Document& picture);

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
  void forget_question();
  void open_engine(const DocumentPtr& document);

  void take(std::shared_ptr<const Answer> answer);
  void refuse(std::string why);

  DocumentPtr document_;                 // that of the last run
  std::shared_ptr<QueryEngine> engine_;  // for document_, with which it goes; null: of another machine
  std::optional<AskedPage> asked_;
  std::weak_ptr<const Document> prepared_;
  std::shared_ptr<std::atomic<bool>> preparation_cancelled_;
  std::uint64_t runs_ = 0;                        // there
  bool is_awaited_ = false;                       // the answer to asked_ has not come
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running query
  std::shared_ptr<const Answer> answer_;
  std::uint64_t answer_count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::string> plotted_names_;
  std::vector<Shown> shown_;
  std::uint64_t shown_count_ = 0;
  LatestJob<Answer> job_, preparation_;
};

}  // namespace lacuna

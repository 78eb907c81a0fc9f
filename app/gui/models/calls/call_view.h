#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/gaps/gap_causes.h"
#include "app/gui/models/path/path_view.h"
#include "capture/remote/remote_page.h"
#include "model/calls/call_tree.h"

namespace lacuna {

/// The window's call tree of the selection: computed in the background, then zoomed, searched and
/// expanded row by row. The zoomed and the expanded nodes are found again in the next tree by their
/// paths. UI thread.
class CallView {
 public:
  explicit CallView(BackgroundJobs& jobs) : job_(jobs) {}
  ~CallView() { reset(); }

  CallMetric metric = CallMetric::kCpuTime;  ///< ask() changes it if the document has no data for it
  bool bottom_up = false;
  bool with_python = false;  ///< include Python frames that are no modules
  bool as_table = false;     ///< show a table of expandable rows instead of a flame graph
  std::string filter;

  /// The input of the tree, beside the settings above.
  struct Selected {
    DocumentPtr document;
    TimeSpan range = TimeSpan::everything();
    std::vector<TrackId> tracks;
    CauseAnalysisPtr causes;  ///< for kIdleTime; null while unknown
    PathAnswerPtr path;       ///< for kPath; null while unknown
    GapFilter gaps;
    bool whole_gpu = true;
    bool operator==(const Selected&) const = default;
  };
  /// Requests the tree of `selected` unless it is there already. During a recording at most once a second. Of a trace
  /// on another machine the window asks that (asked_there()).
  void ask(Selected selected);
  /// Null if the latest question is answered here.
  const AskedPage* asked_there() const { return asked_there_ ? &*asked_there_ : nullptr; }
  /// Restricts the tree to these slices until forget_places() or until another document is opened.
  void choose_places(DocumentPtr document, std::string label, std::vector<SliceId> places);
  void forget_places();
  bool has_places() const { return !places_.empty(); }
  const std::string& places_label() const { return places_label_; }

  /// Takes the computed answer; repeats search and row list if needed. Returns true when something changed.
  bool update();
  void settle() { job_.wait(); }
  void reset();
  bool is_computing() const { return asked_there_ ? asked_there_ != answered_there_ : job_.is_busy(); }

  /// Null until the first answer.
  const CallTree* tree() const { return answer_ ? &answer_->tree : nullptr; }
  /// Returns the same tree with shared ownership, for workers.
  std::shared_ptr<const CallTree> shared_tree() const { return {answer_, &answer_->tree}; }
  /// Returns the document that tree() was made of.
  const DocumentPtr& document() const { return answer_->document; }
  const CallTreeOptions& options() const { return answer_->options; }
  /// Returns the names of tree()'s frames, and their hues.
  const StringPool& names() const { return *answer_->names; }
  const NameHues& hues() const { return *answer_->hues; }
  /// Why the other machine has no tree; empty: it has.
  const std::string& problem() const { return answer_->problem; }
  /// The number of frames that the tree lacks, because the trace is seen from elsewhere.
  std::uint64_t frames_left_out() const { return answer_->frames_left_out; }
  /// Returns the longest slice of a frame of tree(); nothing if it has none, or none in `document`.
  std::optional<ReportPlace> longest(std::uint32_t node, const DocumentPtr& document) const;
  /// Whether all slices of the frames can be found in `document`.
  bool has_all_slices(const DocumentPtr& document) const { return !answered_there_ && answer_->document == document; }

  // Nodes of tree():
  std::uint32_t zoomed() const { return zoomed_; }
  void zoom_to(std::uint32_t node);
  std::optional<std::uint32_t> chosen() const { return chosen_; }
  void choose(std::optional<std::uint32_t> node) { chosen_ = node; }

  /// By node: whether the search found it; null without a search.
  const std::vector<std::uint8_t>* matches() const { return matches_.empty() ? nullptr : &matches_; }
  std::size_t match_count() const { return match_count_; }
  /// Total time of the matches; a match inside another match is not counted again.
  Nanos matched() const { return matched_; }

  struct Row {
    std::uint32_t node = 0;
    std::uint32_t depth = 0;
  };
  /// Rows of the table: the zoomed node and the expanded nodes below it; during a search, the paths to matches.
  const std::vector<Row>& rows() const { return rows_; }
  bool is_open(std::uint32_t node) const;
  void toggle(std::uint32_t node);

 private:
  struct Asked {
    Selected selected;
    CallMetric metric = CallMetric::kCpuTime;
    bool bottom_up = false;
    bool with_python = false;
    std::uint64_t places_version = 0;
    bool operator==(const Asked&) const = default;
  };
  struct Answer {
    DocumentPtr document;
    CallTreeOptions options;
    CallTree tree;
    std::shared_ptr<const StringPool> names;
    std::shared_ptr<const NameHues> hues;
    std::vector<TimeSpan> longest;  ///< of CallNode::longest, if another machine computed it
    std::uint64_t frames_left_out = 0;
    std::string problem;
    bool is_void = false;  ///< given up: superseded by another question
  };
  using Path = std::vector<CallKey>;

  void fit_metric(const Statistics& known);
  void take_remote(const Selected& selected);
  static Answer compute(const Asked& asked, std::vector<SliceId> places, const std::atomic<bool>* cancel);
  void take(std::shared_ptr<const Answer> answer);
  void open_hot_path();
  void search();
  void list_rows();

  std::optional<Asked> asked_;
  std::optional<AskedPage> asked_there_;     // the latest question, if it is one to another machine
  std::optional<AskedPage> answered_there_;  // the question to which answer_ came from there
  std::chrono::steady_clock::time_point asked_at_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running job
  std::shared_ptr<const Answer> answer_;
  std::vector<SliceId> places_;
  std::string places_label_;
  DocumentPtr places_document_;
  std::uint64_t places_version_ = 0;
  std::uint32_t zoomed_ = 0;
  std::optional<std::uint32_t> chosen_;
  std::vector<std::uint8_t> open_;  // by node
  std::vector<std::uint8_t> matches_;
  std::vector<std::uint8_t> leads_to_match_;
  std::string searched_;
  std::size_t match_count_ = 0;
  Nanos matched_ = 0;
  std::vector<Row> rows_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna

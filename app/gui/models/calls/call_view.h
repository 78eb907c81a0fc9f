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
  /// Requests the tree of `selected` unless it is there already. During a recording at most once a second.
  void ask(Selected selected);
  /// Restricts the tree to these slices until forget_places() or until another document is opened.
  void choose_places(DocumentPtr document, std::string label, std::vector<SliceId> places);
  void forget_places();
  bool has_places() const { return !places_.empty(); }
  const std::string& places_label() const { return places_label_; }

  /// Takes the computed answer; repeats search and row list if needed. Returns true when something changed.
  bool update();
  void settle() { job_.wait(); }
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until the first answer.
  const CallTree* tree() const { return answer_ ? &answer_->tree : nullptr; }
  /// Returns the same tree with shared ownership, for workers.
  std::shared_ptr<const CallTree> shared_tree() const { return {answer_, &answer_->tree}; }
  /// Returns the document that tree() was made of.
  const DocumentPtr& document() const { return answer_->document; }
  const CallTreeOptions& options() const { return answer_->options; }

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
    bool is_void = false;  ///< given up: superseded by another question
  };
  using Path = std::vector<CallKey>;

  static Answer compute(const Asked& asked, std::vector<SliceId> places, const std::atomic<bool>* cancel);
  void take(std::shared_ptr<const Answer> answer);
  void open_hot_path();
  void search();
  void list_rows();

  std::optional<Asked> asked_;
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

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/path/described_path.h"
#include "model/path/path_marks.h"

namespace lacuna {

enum class PathColumn : std::uint8_t { kName, kCause, kLane, kTime, kShare, kCount, kBeside, kSlack };

/// The critical path of the selection: computed in the background, or by the machine from which the trace is seen;
/// then cached, so that going back to a range shows it at once. UI thread.
class PathView {
 public:
  struct Answer {
    DocumentPtr document;  ///< the one that was asked about
    TimeSpan range;        ///< the range requested
    std::shared_ptr<const DescribedPath> table;
    bool has_slack = false;                    ///< `table` also has the activities off the path
    std::string problem;                       ///< why the other machine has no path; empty: it has
    std::shared_ptr<const PathMarks> marks;    ///< of all parts, or of those that another machine sent
    std::shared_ptr<const CriticalPath> path;  ///< null where another machine computed it
  };

  explicit PathView(BackgroundJobs& jobs) : job_(jobs) {}
  ~PathView() { reset(); }

  /// Draw the path on the timeline and dim everything else.
  bool is_drawn = false;

  /// Requests the path of this range of the document. Partly loaded traces have none; of a trace on another machine
  /// the window asks that (AskedPath).
  void ask(const DocumentPtr& document, TimeSpan range);
  bool update();
  void settle();
  void reset();
  bool is_computing() const;

  /// The latest path of the document asked about, of the previous range while the new one is computed; null until there
  /// is one.
  const Answer* answer() const { return answer_.get(); }
  /// Returns a path computed here with shared ownership, for workers; null if the latest one is of another range.
  std::shared_ptr<const Answer> answer_of(const DocumentPtr& document, TimeSpan range) const;
  /// Returns the marks for the timeline: null unless is_drawn is set and the path is of this document.
  std::shared_ptr<const PathMarks> marks(const DocumentPtr& document) const;

  PathColumn column = PathColumn::kTime;
  bool descending = true;
  /// Indices of answer()->table->rows in the order of the table.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  void sort();

 private:
  struct Asked {
    DocumentPtr document;
    TimeSpan range;
    bool operator==(const Asked&) const = default;
  };
  void take_remote();
  void keep(std::shared_ptr<const Answer> answer);

  std::optional<Asked> asked_;
  std::shared_ptr<const Answer> answer_;
  std::vector<std::shared_ptr<const Answer>> kept_;  ///< paths of the document, the latest last
  std::vector<std::uint32_t> rows_;
  LatestJob<Answer> job_;
};

using PathAnswerPtr = std::shared_ptr<const PathView::Answer>;

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/path/path_marks.h"
#include "model/path/path_table.h"

namespace lacuna {

enum class PathColumn : std::uint8_t { kName, kCause, kLane, kTime, kShare, kCount, kBeside, kSlack };

/// The critical path of the selection: computed in the background, then cached, so that going back to a range shows it
/// at once. UI thread.
class PathView {
 public:
  struct Answer {
    DocumentPtr document;
    TimeSpan range;  ///< the range requested
    CriticalPath path;
    std::vector<PathRow> rows;
    std::shared_ptr<const PathMarks> marks;
    bool has_slack = false;  ///< `rows` also has the activities off the path
    /// The largest time of any row, for bars.
    Nanos wall() const { return path.wall(); }
  };

  explicit PathView(BackgroundJobs& jobs) : job_(jobs) {}
  ~PathView() { reset(); }

  /// Draw the path on the timeline and dim everything else.
  bool is_drawn = false;

  /// Requests the path of this range of the document. Partly loaded traces have none.
  void ask(const DocumentPtr& document, TimeSpan range);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// The document's latest path, of the previous range while the new one is computed; null until there is one.
  const Answer* answer() const { return answer_.get(); }
  /// Returns the path with shared ownership, for workers; null if the latest one is of another range.
  std::shared_ptr<const Answer> answer_of(const DocumentPtr& document, TimeSpan range) const;
  /// Returns the marks for the timeline: null unless is_drawn is set and the path is of this document.
  std::shared_ptr<const PathMarks> marks(const DocumentPtr& document) const;

  PathColumn column = PathColumn::kTime;
  bool descending = true;
  /// Indices of answer()->rows in the order of the table.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  void sort();

 private:
  struct Asked {
    DocumentPtr document;
    TimeSpan range;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> asked_;
  std::shared_ptr<const Answer> answer_;
  std::vector<std::shared_ptr<const Answer>> kept_;  ///< paths of the document, the latest last
  std::vector<std::uint32_t> rows_;
  std::vector<std::string> lanes_;  ///< by row of answer(), for sorting
  LatestJob<Answer> job_;
};

using PathAnswerPtr = std::shared_ptr<const PathView::Answer>;

}  // namespace lacuna

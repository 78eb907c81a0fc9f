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

/// The critical path of what is selected, as the window shows it: found in the background, then kept, so that going
/// back to a range shows it at once. UI thread.
class PathView {
 public:
  struct Answer {
    DocumentPtr document;
    TimeSpan range;  ///< that was asked for
    CriticalPath path;
    std::vector<PathRow> rows;
    std::shared_ptr<const PathMarks> marks;
    bool has_slack = false;  ///< `rows` has what is beside the path, too
    /// Most of any row's time, for bars.
    Nanos wall() const { return path.wall(); }
  };

  explicit PathView(BackgroundJobs& jobs) : job_(jobs) {}
  ~PathView() { reset(); }

  /// Drawn on the timeline, everything else dimmed.
  bool is_drawn = false;

  /// The path of this range of the document. Parts of a trace have none.
  void ask(const DocumentPtr& document, TimeSpan range);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// The latest one of the document; null until there is one. That of another range while the new one is computed.
  const Answer* answer() const { return answer_.get(); }
  /// The same, for workers; null while it is not that of this range.
  std::shared_ptr<const Answer> answer_of(const DocumentPtr& document, TimeSpan range) const;
  /// What the timeline draws: null unless is_drawn and it is of this document.
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
  std::vector<std::shared_ptr<const Answer>> kept_;  ///< of the document, the latest last
  std::vector<std::uint32_t> rows_;
  std::vector<std::string> lanes_;  ///< by row of answer(), to sort by
  LatestJob<Answer> job_;
};

using PathAnswerPtr = std::shared_ptr<const PathView::Answer>;

}  // namespace lacuna

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "model/groups/group_table.h"

namespace lacuna {

/// The statistics grouped by something other than the name, with every column, as the window shows
/// them: computed in the background, then sorted and filtered. UI thread.
class GroupView {
 public:
  explicit GroupView(BackgroundJobs& jobs) : job_(jobs) {}
  ~GroupView() { reset(); }

  GroupBy by = GroupBy::kShape;
  std::string filter;
  StatisticsSide side = StatisticsSide::kAll;
  std::string_view sort = "total";  ///< key of a group column; "label": by the name
  bool descending = true;

  /// Requests the table of a range and tracks (empty = all), unless it is there already.
  void ask(const DocumentPtr& document, TimeSpan range, const std::vector<TrackId>& tracks);
  /// Takes the computed answer; sorts and filters. Returns true when something changed.
  bool update();
  void settle();
  /// Drops everything, including the trace.
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until the first answer.
  const GroupTable* table() const { return answer_ ? &answer_->table : nullptr; }
  /// Returns the options of table().
  const GroupOptions& options() const { return answer_->options; }
  const std::string& error() const { return error_; }
  /// Indices into table()->rows, as sorted and filtered.
  const std::vector<std::uint32_t>& rows() const { return rows_; }

 private:
  struct Asked {
    DocumentPtr document;
    TimeSpan range;
    std::vector<TrackId> tracks;
    GroupBy by = GroupBy::kShape;
    bool operator==(const Asked&) const = default;
  };
  struct Answer {
    DocumentPtr document;
    GroupOptions options;
    GroupTable table;
    std::string error;
    bool is_void = false;                      ///< given up: another question came
    std::shared_ptr<const Roofline> roofline;  ///< of the whole document; null: it could not be read
  };
  struct Shown {
    std::string filter;
    StatisticsSide side = StatisticsSide::kAll;
    std::string_view sort;
    bool descending = true;
    bool operator==(const Shown&) const = default;
  };

  std::optional<Asked> asked_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running job
  std::shared_ptr<const Answer> answer_;
  std::vector<std::uint32_t> rows_;
  std::optional<Shown> shown_;
  std::string error_;
  LatestJob<Answer> job_;
};

/// Returns the label of a grouping.
std::string_view group_by_name(GroupBy by);

}  // namespace lacuna

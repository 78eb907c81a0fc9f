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
#include "capture/remote/remote_page.h"
#include "model/groups/full_groups.h"

namespace lacuna {

/// The statistics grouped by something other than the name, with every column, as the window shows
/// them: computed in the background, or on the machine from which the trace is seen; then sorted and filtered. UI
/// thread.
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
  const GroupTable* table() const { return answer_ ? &answer_->groups() : nullptr; }
  /// Returns the options of table().
  const GroupOptions& options() const { return answer_->full.options; }
  /// The answer of another machine, which has the slices of table(); null: they are here.
  const RemotePage* remote() const { return answer_ ? answer_->remote.get() : nullptr; }
  const std::string& error() const { return error_; }
  /// Indices into table()->rows, as sorted and filtered.
  const std::vector<std::uint32_t>& rows() const { return rows_; }

 private:
  struct Asked {
    DocumentPtr document;
    AskedPage table;
    bool operator==(const Asked&) const = default;
  };
  struct Answer {
    DocumentPtr document;
    FullGroups full;                           ///< if `remote` is null
    std::shared_ptr<const RemotePage> remote;  ///< the answer of another machine

    const GroupTable& groups() const { return remote ? remote->groups : full.table; }
    const std::string& problem() const { return remote ? remote->problem : full.problem; }
  };
  struct Shown {
    std::string filter;
    StatisticsSide side = StatisticsSide::kAll;
    std::string_view sort;
    bool descending = true;
    bool operator==(const Shown&) const = default;
  };

  void take_remote(const DocumentPtr& document, const AskedPage& wanted);

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

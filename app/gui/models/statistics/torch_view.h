#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "capture/remote/remote_page.h"
#include "model/torch/torch_table.h"
#include "model/torch/torch_text.h"

namespace lacuna {

/// torch.profiler's table in the window: computed in the background for the selected range, or on the machine from
/// which the trace is seen; then sorted by torch's keys and filtered. UI thread.
class TorchView {
 public:
  using Options = AskedTorch;

  explicit TorchView(BackgroundJobs& jobs) : job_(jobs) {}

  Options options;
  bool covered = false;  ///< times are unions of intervals instead of torch's sums
  bool top_level_only = false;
  std::string filter;
  StatisticsSide side = StatisticsSide::kAll;
  TorchSortKey sort = TorchSortKey::kSelfDevice;

  /// Drops everything: for another document, or none.
  void reset();
  /// Requests the table of a range (everything() = the whole trace) unless it is there already.
  void ask(const DocumentPtr& document, TimeSpan range);
  /// Takes the computed answer; sorts and filters when something changed. Returns true when it did.
  bool update();
  void settle();
  bool is_computing() const { return job_.is_busy(); }

  /// Sorted by `sort`; null until the first answer.
  const TorchTable* table() const { return table_ ? &sorted_ : nullptr; }
  const TorchTotals& totals() const { return totals_; }
  /// Indices into table()->rows of the rows that pass the filter.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  /// How many rows another machine has left out.
  std::uint64_t rows_left_out() const { return table_ && table_->remote ? table_->remote->rows_left_out : 0; }
  std::uint64_t events() const { return events_; }     ///< sum of the counts of the rows shown
  const std::string& error() const { return error_; }  ///< why there is no table
  /// Returns the shown rows in torch's text format.
  std::string text() const;

 private:
  struct Answer {
    TorchTable table;
    std::string error;
    std::shared_ptr<const RemotePage> remote = {};  ///< where it comes from another machine
  };
  struct Shown {
    std::string filter;
    StatisticsSide side = StatisticsSide::kAll;
    TorchSortKey sort = TorchSortKey::kNone;
    bool covered = false;
    bool top_level_only = false;
    bool operator==(const Shown&) const = default;
  };
  Shown wanted() const { return {filter, side, sort, covered, top_level_only}; }
  bool lets_through(const TorchRow& row) const;
  void take_remote();

  DocumentPtr document_;
  TimeSpan range_;
  Options asked_;
  std::shared_ptr<const Answer> table_;  // in torch's order of first appearance
  TorchTable sorted_;
  TorchTotals totals_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t events_ = 0;
  std::string error_;
  Shown shown_;
  bool is_new_ = false;  // table_ has come from another machine, and is not sorted yet
  LatestJob<Answer> job_;
};

/// One column of the table, with or without `covered`.
struct TorchColumn {
  std::string title;  ///< as torch writes it: "Self CUDA %"
  TorchSortKey sort = TorchSortKey::kNone;
  bool is_text = false;
  std::string (*cell)(const TorchTable&, const TorchTotals&, const TorchRow&) = nullptr;
};
/// Returns the columns that `table` has, in torch's order.
std::vector<TorchColumn> torch_columns(const TorchTable& table, const TorchTotals& totals,
                                       const TorchView::Options& options, bool covered);

/// Returns the trace's names in a row (ProfilerStep#1, #2 … for ProfilerStep*; the mangled name
/// for the demangled one). O(names).
std::vector<StringId> names_of_row(const Trace& trace, const TorchRow& row);

}  // namespace lacuna

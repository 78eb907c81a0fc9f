#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/roofline/roofline_plot.h"
#include "app/tables/table.h"
#include "model/roofline/roofline.h"

namespace lacuna {

/// The roofline of the selection: computed in the background, then cached, so that going back to a range shows it
/// at once. UI thread.
class RooflineView {
 public:
  struct Answer {
    DocumentPtr document;
    TimeSpan range;              ///< the range requested
    Roofline roofline;           ///< without rows that enclose others
    std::uint64_t left_out = 0;  ///< rows that another machine did not send
    RooflinePlot plot;
    std::string error;  ///< why there is no roofline; empty: there is one
  };

  explicit RooflineView(BackgroundJobs& jobs) : job_(jobs) {}
  ~RooflineView() { reset(); }

  /// Requests the roofline of the operators that start in this range of the document. Partly loaded traces have none;
  /// of a trace on another machine the window asks that (AskedRoofline).
  void ask(const DocumentPtr& document, TimeSpan range);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return asked_ && (answer_ == nullptr || answer_->range != asked_->range); }

  /// The document's latest roofline, of the previous range while the new one is computed; null until there is one.
  const Answer* answer() const { return answer_.get(); }

  /// The columns of roofline_table() shown to users, for answer(); in the order of the page.
  const std::vector<const Table::Column*>& columns() const { return columns_; }
  std::size_t column = kTimeColumn;  ///< index in columns(): the sort column of rows()
  bool descending = true;
  /// Indices of answer()->roofline.rows in the order of the table; unknown values come last.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  void sort();

  /// The clicked row of answer().
  std::optional<std::uint32_t> chosen;

 private:
  static constexpr std::size_t kTimeColumn = 2;
  struct Asked {
    DocumentPtr document;
    TimeSpan range;
    bool operator==(const Asked&) const = default;
  };
  void stop();
  void take_remote();
  void keep(std::shared_ptr<const Answer> answer);
  void show(std::shared_ptr<const Answer> answer);

  std::optional<Asked> asked_;
  std::shared_ptr<const Answer> answer_;
  std::vector<std::shared_ptr<const Answer>> kept_;  ///< rooflines of the document, the latest last
  std::unique_ptr<const Table> table_;               ///< of answer_
  std::vector<const Table::Column*> columns_;        ///< of table_
  std::vector<std::uint32_t> rows_;
  std::shared_ptr<std::atomic<bool>> cancel_;  ///< of the running job
  LatestJob<Answer> job_;
};

}  // namespace lacuna

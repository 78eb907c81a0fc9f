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

/// The roofline of what is selected, as the window shows it: computed in the background, then kept, so that going back
/// to a range shows it at once. UI thread.
class RooflineView {
 public:
  struct Answer {
    DocumentPtr document;
    TimeSpan range;                 ///< that was asked for
    Roofline roofline;              ///< without rows that are around others
    std::size_t around_others = 0;  ///< how many these are
    RooflinePlot plot;
    std::string error;  ///< why there is no roofline; empty: there is one
  };

  explicit RooflineView(BackgroundJobs& jobs) : job_(jobs) {}
  ~RooflineView() { reset(); }

  /// The operators that start in this range of the document. Parts of a trace get no answer.
  void ask(const DocumentPtr& document, TimeSpan range);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// The latest one of the document; null until there is one. That of another range while the new one is computed.
  const Answer* answer() const { return answer_.get(); }

  /// Those of roofline_table() that people get, of answer(); in the order of the page.
  const std::vector<const Table::Column*>& columns() const { return columns_; }
  std::size_t column = kTimeColumn;  ///< of columns(): what rows() are sorted by
  bool descending = true;
  /// Indices of answer()->roofline.rows in the order of the table; what is unknown comes last.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  void sort();

  /// Row of answer() that was clicked.
  std::optional<std::uint32_t> chosen;

 private:
  static constexpr std::size_t kTimeColumn = 2;
  struct Asked {
    DocumentPtr document;
    TimeSpan range;
    bool operator==(const Asked&) const = default;
  };
  void stop();
  void show(std::shared_ptr<const Answer> answer);

  std::optional<Asked> asked_;
  std::shared_ptr<const Answer> answer_;
  std::vector<std::shared_ptr<const Answer>> kept_;  ///< of the document, the latest last
  std::unique_ptr<const Table> table_;               ///< of answer_
  std::vector<const Table::Column*> columns_;        ///< of table_
  std::vector<std::uint32_t> rows_;
  std::shared_ptr<std::atomic<bool>> cancel_;  ///< of the work under way
  LatestJob<Answer> job_;
};

}  // namespace lacuna

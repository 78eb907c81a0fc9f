#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Which rows of the table to show.
enum class StatisticsSide { kAll, kCpu, kGpu };

/// Whether every word of `filter` occurs in the name or the category, ignoring case (ASCII).
/// An empty filter matches everything.
bool matches_words(std::string_view filter, std::string_view name, std::string_view category);

/// The rows of a Statistics that the table shows, filtered and sorted. update() rebuilds them when
/// something changed; otherwise it costs one comparison. UI thread.
class StatisticsView {
 public:
  std::string filter;
  StatisticsSide side = StatisticsSide::kAll;
  StatisticsColumn column = StatisticsColumn::kSelf;
  bool descending = true;
  /// Leaves out rows that are no work: annotations, and Python frames that wait (is_waiting_frame). Ignored while a
  /// filter is set: rows that the user asks for by name are shown.
  bool only_work = false;

  /// `version` identifies the contents of `statistics`.
  void update(const Trace& trace, const Statistics& statistics, std::uint64_t version);
  /// The rows to show; indices into sorted().rows.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  const Statistics& sorted() const { return sorted_; }
  std::uint64_t events() const { return events_; }  ///< sum of the counts of the rows shown
  /// The number of rows left out by only_work.
  std::size_t left_out() const { return left_out_; }

 private:
  Statistics sorted_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t events_ = 0;
  std::size_t left_out_ = 0;
  bool used_only_work_ = false;
  std::uint64_t version_ = ~0ull;
  std::string used_filter_;
  StatisticsSide used_side_ = StatisticsSide::kAll;
  StatisticsColumn used_column_ = StatisticsColumn::kTotal;
  bool used_descending_ = true;
};

/// Whether rows of the category stand for work on a GPU: activities and their annotations.
bool is_gpu_side(CategoryClass category);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Which side of the table to show.
enum class StatisticsSide { kAll, kCpu, kGpu };

/// Name, then category: every word of `filter` must occur in one of them, ignoring case (ASCII).
/// An empty filter matches everything.
bool matches_words(std::string_view filter, std::string_view name, std::string_view category);

/// What the statistics table shows of a Statistics: filtered and sorted row numbers. Rebuilt when
/// something changed; otherwise update() costs a comparison. UI thread.
class StatisticsView {
 public:
  std::string filter;
  StatisticsSide side = StatisticsSide::kAll;
  StatisticsColumn column = StatisticsColumn::kSelf;
  bool descending = true;
  /// Leaves out what is no work: annotations, and Python frames that wait (is_waiting_frame). Not while there is a
  /// filter: what somebody asks for by name is shown.
  bool only_work = false;

  /// `version` tells one `statistics` from the next.
  void update(const Trace& trace, const Statistics& statistics, std::uint64_t version);
  /// Rows to show; indices into sorted().rows.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  const Statistics& sorted() const { return sorted_; }
  std::uint64_t events() const { return events_; }  ///< sum of the counts shown
  /// Rows that only_work leaves out.
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

/// True for categories whose rows stand for work on a GPU: activity and its annotations.
bool is_gpu_side(CategoryClass category);

}  // namespace lacuna

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/level_of_detail.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The instants of a track as a row for for_each_run(): they last no time. Borrows them.
struct InstantRow {
  /// Instants that share a mark.
  struct Run {
    Nanos start = 0;  ///< of the first one
    std::uint32_t first = 0;
  };
  static constexpr bool kLasts = false;

  explicit InstantRow(const std::vector<Instant>& of) : instants(of) {}
  const std::vector<Instant>& instants;

  std::uint32_t size() const { return static_cast<std::uint32_t>(instants.size()); }
  Nanos start(std::uint32_t i) const { return instants[i].time; }
  Nanos end(std::uint32_t i) const { return instants[i].time; }
  Nanos duration(std::uint32_t) const { return 0; }
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  std::uint32_t first_visible_from(Nanos t) const { return first_starting_from(t); }
  std::uint32_t longest(std::uint32_t first, std::uint32_t) const { return first; }

  Run run(std::uint32_t i) const { return {start(i), i}; }
  Run run(std::uint32_t first, std::uint32_t) const { return run(first); }
  static void join(Run&, const Run&) {}
};

/// The samples of a counter as a row for for_each_run(): each lasts until the next one. Borrows them.
struct SampleRow {
  /// Samples that share a step.
  struct Run {
    Nanos start = 0;  ///< of the first one
    std::uint32_t first = 0;
    std::uint32_t greatest = 0;  ///< index of the greatest value; the earliest when several are
    double high = 0;             ///< the greatest value
    double low = 0;              ///< the least one
  };
  static constexpr bool kLasts = true;

  /// The last sample lasts until `end_of_last`, if that is later.
  SampleRow(const CounterSeries& of, Nanos end_of_last) : series(of), last_end(end_of_last) {}
  const CounterSeries& series;
  Nanos last_end;

  std::uint32_t size() const { return static_cast<std::uint32_t>(series.times.size()); }
  Nanos start(std::uint32_t i) const { return series.times[i]; }
  Nanos end(std::uint32_t i) const {
    return i + 1 < size() ? series.times[i + 1] : std::max(last_end, series.times[i]);
  }
  Nanos duration(std::uint32_t i) const { return saturating_sub(end(i), start(i)); }
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  std::uint32_t first_visible_from(Nanos t) const;
  /// What a fold shows is not the longest but the greatest.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return series.extremes.greatest(first, last, series.values);
  }

  Run run(std::uint32_t i) const { return {start(i), i, i, series.values[i], series.values[i]}; }
  Run run(std::uint32_t first, std::uint32_t last) const;
  /// `next` follows the run at once.
  static void join(Run& run, const Run& next);
};

/// Instants or samples folded in advance at many widths, as FoldIndex does it for slices: a frame over millions of them
/// reads one entry per pixel, in order. Row: InstantRow or SampleRow.
///
/// Level k holds the runs that for_each_run() gives for fold_ns = 2^k and grid_origin = 0. The first one has runs of 4
/// on average; one is left out when it has more than 0.7 of the runs of the one before. Memory: about 8 bytes an
/// instant and 16 a sample, 14 and 27 at most. Built in O(n); immutable, any thread may read. It keeps no reference to
/// the row.
template <class Row>
class MomentFolds {
 public:
  using Run = typename Row::Run;

  MomentFolds() = default;
  explicit MomentFolds(const Row& row);

  /// As lacuna::for_each_run(), with visit(const Run& run, std::uint32_t last, Nanos end): one past the run's last
  /// moment, and when its last sample ends (of instants: when the first one was). Runs may be up to twice as long as
  /// fold_ns. `row` is the one that it was made from; of a default one any. Cost O(runs + log n).
  template <class Visit>
  void for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const;

  std::size_t memory_bytes() const;

 private:
  struct Level {
    Nanos width = 0;
    std::vector<Run> runs;  // and a last one that begins where they end
  };
  /// Joins the runs that a width folds together, in place.
  static void fold(std::vector<Run>& runs, Nanos width);
  /// The coarsest level that fold_ns allows, or null.
  const Level* level_for(Nanos fold_ns) const;

  std::vector<Level> levels_;  // ascending by width
};

using InstantFolds = MomentFolds<InstantRow>;
using SampleFolds = MomentFolds<SampleRow>;

/// The folds of all tracks of a trace.
struct TrackFolds {
  std::vector<InstantFolds> instants;  ///< by TrackId
  std::vector<SampleFolds> samples;    ///< by TrackId

  static TrackFolds build(const Trace& trace, unsigned threads = 1);
  std::size_t memory_bytes() const;
};

template <class Row>
template <class Visit>
void MomentFolds<Row>::for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const {
  const auto visit_searched = [&](std::uint32_t first, std::uint32_t last) {
    visit(row.run(first, last), last, row.end(Row::kLasts ? last - 1 : first));
  };
  const Level* level = level_for(fold_ns);
  if (level == nullptr) {
    lacuna::for_each_run(row, view, fold_ns, 0, [&](const LaneRun& run) { visit_searched(run.first, run.last); });
    return;
  }
  const std::uint32_t begin = row.first_visible_from(view.begin);
  const std::uint32_t end = row.first_starting_from(view.end, begin);
  if (begin >= end) return;
  const auto after = std::ranges::upper_bound(level->runs, begin, {}, &Run::first);
  for (auto run = after - 1; run->first < end; ++run) {
    const Run& next = *(run + 1);
    if (run->first >= begin && next.first <= end) {
      visit(*run, next.first, Row::kLasts ? next.start : run->start);
    } else {  // the view's edge cuts it
      visit_searched(std::max(run->first, begin), std::min(next.first, end));
    }
  }
}

}  // namespace lacuna

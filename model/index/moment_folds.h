#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/level_of_detail.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The instants of a track as a row for for_each_run(); their duration is zero. Keeps a reference to them.
struct InstantRow {
  /// Instants drawn as one mark.
  struct Run {
    Nanos start = 0;  ///< time of the first one in the run
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

/// The samples of a counter as a row for for_each_run(): each lasts until the next. Keeps a reference to them.
struct SampleRow {
  /// Samples drawn as one step.
  struct Run {
    Nanos start = 0;  ///< time of the first one in the run
    std::uint32_t first = 0;
    std::uint32_t greatest = 0;  ///< index of the greatest value; the earliest if several are equal
    double high = 0;             ///< the greatest value
    double low = 0;              ///< the least value
  };
  static constexpr bool kLasts = true;

  /// The last sample lasts until `end_of_last`, if that is later than its start.
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
  /// A fold of samples shows the greatest one, not the longest.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return series.extremes.greatest(first, last, series.values);
  }

  Run run(std::uint32_t i) const { return {start(i), i, i, series.values[i], series.values[i]}; }
  Run run(std::uint32_t first, std::uint32_t last) const;
  /// Merges `next`, which follows directly, into `run`.
  static void join(Run& run, const Run& next);
};

/// Instants or samples folded in advance at many widths, like FoldIndex does for slices: a frame over millions of them
/// reads one entry per pixel, in order. Row: InstantRow or SampleRow.
///
/// Level k holds the runs that for_each_run() gives for fold_ns = 2^k and grid_origin = 0. Runs of the first level hold
/// 4 moments on average; a level is left out if it has more than 0.7 of the runs of the previous one. Memory: about 8
/// bytes per instant and 16 per sample, at most 14 and 27. Built in O(n); immutable, any thread. Keeps no reference to
/// the row.
template <class Row>
class MomentFolds {
 public:
  using Run = typename Row::Run;

  MomentFolds() = default;
  explicit MomentFolds(const Row& row);

  /// Like lacuna::for_each_run(), with visit(const Run& run, std::uint32_t last, Nanos end): one past the index of the
  /// run's last moment, and the end of its last sample (instants: the first one's time). Runs may be up to twice as
  /// long as fold_ns. `row` is the one that it was built from; any for a default-constructed one. Cost O(runs + log n).
  template <class Visit>
  void for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const;

  std::size_t memory_bytes() const;

 private:
  struct Level {
    Nanos width = 0;
    std::vector<Run> runs;  // plus a sentinel that begins where they end
  };
  /// Merges the runs that fold together at `width`, in place.
  static void fold(std::vector<Run>& runs, Nanos width);
  /// Returns the coarsest level that fold_ns allows, or null.
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
    } else {  // the edge of the view cuts the run
      visit_searched(std::max(run->first, begin), std::min(next.first, end));
    }
  }
}

}  // namespace lacuna

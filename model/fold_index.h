#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/lane.h"

namespace lacuna {

/// A run of adjacent slices of a lane (or gaps of a stream) that are too short to be told apart, or
/// one of them, with what a view needs to show it. Everything is copied from the lane, so that a
/// frame reads memory in order.
struct FoldedRun {
  Nanos start = 0;            ///< of the first slice
  Nanos end = 0;              ///< of the last slice
  Nanos busy = -1;            ///< sum of the durations; < 0 = not known
  std::uint32_t first = 0;    ///< first slice index
  std::uint32_t last = 0;     ///< one past the last
  std::uint32_t longest = 0;  ///< the slice that gives colour and label: name, category, flags
  StringId name = kEmptyString;
  CategoryId category;
  std::uint16_t flags = 0;
};

class GapRow;

/// A lane (or the gaps of a stream) folded in advance at many widths, so that a frame over millions of slices costs what one
/// over thousands does: it reads one short entry per pixel, in order.
///
/// Level k holds the runs that for_each_run() gives for fold_ns = 2^k and grid_origin = 0. Levels
/// begin where a run holds 8 slices on average; one is left out when it has more than 0.7 of the
/// entries of the one before. Memory: about 8 bytes a slice, at most 14. Built in O(n) once a lane is
/// complete; immutable, any thread may read. It keeps no reference to the lane.
class FoldIndex {
 public:
  FoldIndex() = default;
  explicit FoldIndex(const Lane& lane);
  explicit FoldIndex(const GapRow& gaps);
  /// One index per lane, in the same order, made on up to `threads` threads.
  static std::vector<FoldIndex> build(std::span<const Lane> lanes, unsigned threads = 1);

  /// As lacuna::for_each_run(), with visit(const FoldedRun&). Runs may be up to twice as long as
  /// fold_ns, or shorter where a level was left out; slices of at least 2 * fold_ns are always runs
  /// of their own. `row` is the one that the index was made from. Cost O(runs + log n).
  template <class Row, class Visit>
  void for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kTooLong = 0xffffffffu;
  /// The end of a run is the first of the next; each level ends with a sentinel.
  struct Entry {
    Nanos start = 0;
    std::uint32_t length = 0;  ///< kTooLong: from kTooLong ns (4.3 s) on, look it up
    std::uint32_t busy = 0;    ///< likewise
    std::uint32_t first = 0;
    std::uint32_t longest = 0;
    StringId name = kEmptyString;
    std::uint16_t category = 0;
    std::uint16_t flags = 0;
  };
  static_assert(sizeof(Entry) == 32);
  struct Level {
    Nanos width = 0;
    std::vector<Entry> entries;
  };

  template <class Row>
  void make_levels(const Row& row);
  template <class Row>
  static std::vector<Entry> fold_row(const Row& row, Nanos width, std::size_t most);
  template <class Row>
  static std::vector<Entry> fold_entries(const Row& row, std::span<const Entry> entries, Nanos width);
  /// The coarsest level that fold_ns allows, or null.
  const Level* level_for(Nanos fold_ns) const;

  std::vector<Level> levels_;  // ascending by width
};

/// The run of [first, last), of which `longest` is the longest, looked up in the row.
template <class Row>
FoldedRun look_up_run(const Row& row, const LaneRun& run, Nanos busy = -1) {
  return {row.start(run.first), row.end(run.last - 1), busy,
          run.first,            run.last,              run.longest,
          row.name(run.longest), row.category(run.longest), row.flags(run.longest)};
}

/// As for_each_run() in level_of_detail.h, with visit(const FoldedRun&): for rows, or parts of rows,
/// that have no level. It looks at short runs slice by slice and searches for the end of long ones.
template <class Row, class Visit>
void for_each_folded_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) {
  constexpr std::uint32_t kMostToLookAt = 64;
  std::uint32_t i = row.first_visible_from(view.begin);
  const std::uint32_t end = row.first_starting_from(view.end, i);
  while (i < end) {
    LaneRun run{i, i + 1, i};
    Nanos busy = row.duration(i);
    if (busy < fold_ns) {
      Nanos into_cell = row.start(i) % fold_ns;
      if (into_cell < 0) into_cell += fold_ns;
      const Nanos cell_end = saturating_add(row.start(i), fold_ns - into_cell);
      const std::uint32_t stop = std::min(end, i + kMostToLookAt);
      for (Nanos most = busy; run.last < stop && row.start(run.last) < cell_end; ++run.last) {
        const Nanos duration = row.duration(run.last);
        if (duration >= fold_ns) break;
        busy = saturating_add(busy, duration);
        if (duration > most) {
          most = duration;
          run.longest = run.last;
        }
      }
      if (run.last == stop && stop < end && row.start(stop) < cell_end) {
        run.last = std::min(end, row.first_starting_from(cell_end, stop));
        if (row.duration(run.last - 1) >= fold_ns) --run.last;
        run.longest = row.longest(run.first, run.last);
        busy = -1;
      }
    }
    visit(look_up_run(row, run, busy));
    i = run.last;
  }
}

template <class Row, class Visit>
void FoldIndex::for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const {
  const Level* level = level_for(fold_ns);
  if (level == nullptr) {
    for_each_folded_run(row, view, fold_ns, visit);
    return;
  }
  // Only the slices in view count, also of a run that the view's edge cuts.
  const std::uint32_t begin = row.first_visible_from(view.begin);
  const std::uint32_t end = row.first_starting_from(view.end, begin);
  if (begin >= end) return;
  const auto& entries = level->entries;
  auto entry = std::ranges::upper_bound(entries, begin, {}, &Entry::first) - 1;
  for (; entry->first < end; ++entry) {
    const std::uint32_t last = (entry + 1)->first;
    if (entry->first < begin || last > end || entry->length == kTooLong) {
      const std::uint32_t from = std::max(entry->first, begin);
      const std::uint32_t to = std::min(last, end);
      const std::uint32_t longest = to - from == 1 ? from : row.longest(from, to);
      visit(look_up_run(row, {from, to, longest}, to - from == 1 ? row.duration(from) : -1));
      continue;
    }
    visit(FoldedRun{entry->start, entry->start + entry->length, entry->busy, entry->first, last,
                    entry->longest, entry->name, CategoryId{entry->category}, entry->flags});
  }
}

}  // namespace lacuna

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/base/ids.h"
#include "model/base/page_memory.h"
#include "model/base/sealed_vector.h"
#include "model/index/dominant_name.h"
#include "model/trace/lane.h"

namespace lacuna {

/// A run of adjacent slices of a lane (or gaps of a stream) that are too short to be drawn one by one, or
/// a single one, with all that a view needs to draw it. Everything is copied from the lane, so that a
/// frame reads memory in order.
struct FoldedRun {
  Nanos start = 0;               ///< of the first slice
  Nanos end = 0;                 ///< of the last slice, or up to 1/8192 of fold_ns later
  Nanos busy = -1;               ///< sum of the durations, within 1/250 of the run; < 0 = not known
  std::uint32_t first = 0;       ///< first slice index
  std::uint32_t last = 0;        ///< one past the last
  std::uint32_t longest = 0;     ///< the longest slice, which represents the run
  StringId name = kEmptyString;  ///< the dominant name: see DominantName
  CategoryId category;           ///< of a slice of that name
  std::uint16_t flags = 0;       ///< of `longest`
};

class GapRow;
class SealedTables;

/// A lane (or the gaps of a stream) folded in advance at many widths, so that a frame over millions of slices costs
/// no more than one over thousands: it reads one short entry per pixel, in order.
///
/// Level k holds the runs of for_each_run() for fold_ns = 2^k and grid_origin = 0. Levels
/// begin where a run holds 4 slices on average; a level is left out if it has more than 0.7 of the
/// entries of the previous one. Memory: about 8 bytes per slice, at most 20. Built in O(n) once a lane is
/// complete; immutable, any thread may read. It keeps no reference to the lane.
class FoldIndex {
 public:
  FoldIndex() = default;
  explicit FoldIndex(const Lane& lane);
  explicit FoldIndex(const GapRow& gaps);
  /// Folds the slices [first, last) only, to be a part.
  FoldIndex(const Lane& lane, std::uint32_t first, std::uint32_t last);
  FoldIndex(const GapRow& gaps, std::uint32_t first, std::uint32_t last);
  using Parts = std::vector<std::shared_ptr<const FoldIndex>>;
  /// For a lane that grows: `parts` cover its first slices, one after the other, and the rest is folded now. Narrow
  /// runs end where parts do.
  FoldIndex(const Lane& lane, Parts parts);
  FoldIndex(const GapRow& gaps, Parts parts);
  /// Returns one part that covers `parts` (at least one, adjacent, in order): wide runs are built from their widest
  /// runs, in O(parts); narrower ones stay in `parts`.
  static std::shared_ptr<const FoldIndex> over(const Lane& lane, Parts parts);
  static std::shared_ptr<const FoldIndex> over(const GapRow& gaps, Parts parts);
  /// Extends the parts of a row whose first `sealed` slices are final: parts that reach past these are dropped, and
  /// the missing ones are folded, so that few slices are folded anew each time. Row: a Lane or a GapRow. `tables`
  /// receives the levels; null: they stay in the parts.
  template <class Row>
  static void extend(const Row& row, std::uint32_t sealed, Parts& parts, SealedTables* tables = nullptr);
  /// The range of slices that the index covers.
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  /// Builds one index per lane, in the same order, on up to `threads` threads.
  static std::vector<FoldIndex> build(std::span<const Lane> lanes, unsigned threads = 1);

  /// Like lacuna::for_each_run(), with visit(const FoldedRun&). Runs may be up to twice as long as
  /// fold_ns, or shorter where a level was left out; slices of at least 2 * fold_ns are always runs
  /// of their own. `row` is the one that the index was built from. Cost O(runs + log n).
  template <class Row, class Visit>
  void for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const;

  /// Moves the levels of a part into `tables`.
  void seal_in(SealedTables& tables);

  /// Bytes of memory held, without what lies in SealedTables.
  std::size_t memory_bytes() const;

 private:
  friend class TraceCodec;
  static constexpr std::uint16_t kLookUp = 0xffffu;
  /// Small, because the speed of a frame depends on the size. A run ends where the next entry
  /// begins; each level ends with a sentinel.
  struct Entry {
    Nanos start = 0;
    std::uint32_t first = 0;
    StringId name = kEmptyString;
    std::uint16_t category = 0;
    std::uint16_t length = 0;   ///< in Level::unit, rounded up; kLookUp: read it from the row
    std::uint16_t longest = 0;  ///< minus `first`; kLookUp: see Level::longest
    std::uint8_t flags = 0;
    std::uint8_t busy = 0;  ///< busy time as a fraction of the length, in 1/255
  };
  static_assert(sizeof(Entry) == 24);
  struct Level {
    Nanos width = 0;
    Nanos unit = 1;  ///< unit of Entry::length: width / 2^14, so that a run has at most 2^15
    SealedVector<Entry> entries;
    std::vector<std::uint32_t> longest;  ///< of each entry, if one has kLookUp; empty: read it from the row
  };
  /// A run while the levels are built.
  struct Draft {
    Nanos start = 0, end = 0, busy = 0, longest_ns = 0;
    std::uint32_t first = 0, longest = 0;
    std::uint16_t flags = 0;
    DominantName names;
  };

  template <class Row>
  void make_levels(const Row& row, bool is_part = false);
  template <class Row>
  static std::shared_ptr<const FoldIndex> lay_over(const Row& row, Parts parts);
  static constexpr std::uint32_t kLeastPart = 1u << 14;  // slices; shorter rests are folded anew each time
  static constexpr std::size_t kPartsToMerge = 8;
  template <class Row>
  PageVector<Draft> fold_row(const Row& row, Nanos width, std::size_t most) const;
  template <class Row>
  void name_drafts(const Row& row, PageVector<Draft>& drafts) const;
  template <class Row, class Visit>
  void visit_own(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const;
  /// Folds the runs at half of `width` into runs at `width`, in place.
  static void fold_drafts(PageVector<Draft>& drafts, Nanos width);
  void keep_level(std::span<const Draft> drafts, Nanos width);
  /// Stores levels from `width` on while they pay off; the last drafts of a part go to widest_.
  void keep_levels(PageVector<Draft> drafts, Nanos width, bool is_part);
  /// Returns the coarsest level that fold_ns allows, or null.
  const Level* level_for(Nanos fold_ns) const;

  std::vector<Level> levels_;  // ascending by width
  // The slices that the levels cover; last_ may lie behind the end of the row.
  std::uint32_t first_ = 0;
  std::uint32_t last_ = kNoIndex;
  Parts parts_;  // the parts before these slices; of an index made by over(): the parts that it covers
  bool is_over_parts_ = false;
  SealedVector<Draft> widest_;  // the widest runs of a part: wider runs are built from them
  Nanos widest_width_ = 0;
};

/// Like for_each_run() in level_of_detail.h, with visit(const FoldedRun&): for rows, or parts of rows,
/// without levels. Visits short runs slice by slice and finds the end of long ones by search;
/// these take the name of their longest slice.
/// Covers the slices [first, last) only, if given.
template <class Row, class Visit>
void for_each_folded_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit, std::uint32_t first = 0,
                         std::uint32_t last = kNoIndex) {
  constexpr std::uint32_t kMostToLookAt = 64;
  const Nanos mask = (fold_ns & (fold_ns - 1)) == 0 ? fold_ns - 1 : -1;  // a power of two is divided by faster
  std::uint32_t i = std::max(first, row.first_visible_from(view.begin));
  const std::uint32_t end = std::min(last, row.first_starting_from(view.end, std::min(i, row.size())));
  while (i < end) {
    FoldedRun run;
    run.first = run.longest = i;
    run.last = i + 1;
    run.start = row.start(i);
    run.busy = row.duration(i);
    run.end = run.start + run.busy;
    std::uint32_t shown = i;  // the slice that gives name and category
    if (run.busy < fold_ns && run.last < end) {
      Nanos into_cell = mask >= 0 ? run.start & mask : run.start % fold_ns;
      if (into_cell < 0) into_cell += fold_ns;
      const Nanos cell_end = saturating_add(run.start, fold_ns - into_cell);
      const std::uint32_t stop = std::min(end, i + kMostToLookAt);
      Nanos longest = run.busy;
      for (; run.last < stop; ++run.last) {
        const Nanos start = row.start(run.last);
        const Nanos duration = row.duration(run.last);
        if (start >= cell_end || duration >= fold_ns) break;
        run.busy = saturating_add(run.busy, duration);
        run.end = start + duration;
        if (duration > longest) {
          longest = duration;
          run.longest = run.last;
        }
      }
      if (run.last == stop && stop < end && row.start(stop) < cell_end) {
        run.last = std::min(end, row.first_starting_from(cell_end, stop));
        if (row.duration(run.last - 1) >= fold_ns) --run.last;
        run.longest = shown = row.longest(run.first, run.last);
        run.end = row.end(run.last - 1);
        run.busy = -1;
      } else {
        // A slice with half of the busy time is dominant, whatever the others are called.
        const bool is_clear = run.last - run.first <= 2 || longest >= run.busy - longest;
        shown = is_clear ? run.longest : dominant_of(row, run.first, run.last);
      }
    }
    run.name = row.name(shown);
    run.category = row.category(shown);
    run.flags = row.flags(run.longest);
    visit(run);
    i = run.last;
  }
}

template <class Row>
void FoldIndex::extend(const Row& row, std::uint32_t sealed, Parts& parts, SealedTables* tables) {
  while (!parts.empty() && parts.back()->last() > sealed) parts.pop_back();
  const auto folded = [&] { return parts.empty() ? 0 : parts.back()->last(); };
  const auto slices_of = [](const FoldIndex& part) { return part.last() - part.first(); };
  while (sealed - folded() >= kLeastPart) {
    const auto part = std::make_shared<FoldIndex>(row, folded(), folded() + kLeastPart);
    if (tables != nullptr) part->seal_in(*tables);
    parts.push_back(part);
    // Merges the last parts as long as they are of equal size.
    for (;;) {
      std::size_t alike = 0;
      while (alike < parts.size() && slices_of(*parts[parts.size() - 1 - alike]) == slices_of(*parts.back())) ++alike;
      if (alike < kPartsToMerge) break;
      const auto first = parts.end() - static_cast<std::ptrdiff_t>(kPartsToMerge);
      Parts merged(first, parts.end());
      parts.erase(first, parts.end());
      parts.push_back(over(row, std::move(merged)));
    }
  }
}

template <class Row, class Visit>
void FoldIndex::for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const {
  const bool is_wide = is_over_parts_ && level_for(fold_ns) != nullptr;
  if (!is_wide)
    for (const auto& part : parts_)
      if (row.end(part->last_ - 1) >= view.begin && row.start(part->first_) < view.end)
        part->for_each_run(row, view, fold_ns, visit);
  if (is_wide || !is_over_parts_) visit_own(row, view, fold_ns, visit);
}

template <class Row, class Visit>
void FoldIndex::visit_own(const Row& row, TimeSpan view, Nanos fold_ns, Visit&& visit) const {
  const Level* level = level_for(fold_ns);
  if (level == nullptr) {
    // As wide as a level would be: fewer runs, and lanes look the same with an index and without.
    constexpr Nanos kMost = Nanos{1} << 61;
    for_each_folded_run(
        row, view, fold_ns > kMost ? fold_ns : static_cast<Nanos>(std::bit_ceil(static_cast<std::uint64_t>(fold_ns))),
        visit, first_, last_);
    return;
  }
  // The runs that the view's edges cut; only the slices in view count.
  const auto entries = level->entries.get();
  const auto runs_end = entries.end() - 1;
  auto entry =
      std::upper_bound(entries.begin(), runs_end, view.begin, [](Nanos t, const Entry& e) { return t <= e.start; });
  if (entry != entries.begin()) --entry;
  std::uint32_t begin = row.first_starting_from(view.begin, entry->first);
  if (begin > 0 && row.end(begin - 1) > view.begin) --begin;
  begin = std::max(begin, first_);
  while (entry != entries.begin() && entry->first > begin) --entry;
  const auto right = std::lower_bound(entry, runs_end, view.end, [](const Entry& e, Nanos t) { return e.start < t; });
  if (right == entries.begin()) return;
  const std::uint32_t end = std::min(last_, row.first_starting_from(view.end, (right - 1)->first));
  if (begin >= end) return;
  while ((entry + 1)->first <= begin) ++entry;

  constexpr double kShare = 1.0 / 255;
  for (; entry->first < end; ++entry) {
    FoldedRun run;
    run.start = entry->start;
    run.first = entry->first;
    run.last = (entry + 1)->first;
    run.name = entry->name;
    run.category = CategoryId{entry->category};
    run.flags = entry->flags;
    if (entry->longest != kLookUp) {
      run.longest = run.first + entry->longest;
    } else if (!level->longest.empty()) {
      run.longest = level->longest[static_cast<std::size_t>(entry - entries.begin())];
    } else {
      run.longest = row.longest(run.first, run.last);
    }
    if (run.first < begin || run.last > end) {
      run.first = std::max(run.first, begin);
      run.last = std::min(run.last, end);
      run.start = row.start(run.first);
      run.end = row.end(run.last - 1);
      if (run.longest < run.first || run.longest >= run.last) {
        run.longest = row.longest(run.first, run.last);
        run.flags = row.flags(run.longest);
      }
      if (run.last - run.first == 1) run.busy = run.end - run.start;
    } else {
      const Nanos length = entry->length == kLookUp ? row.end(run.last - 1) - run.start : entry->length * level->unit;
      run.end = run.start + length;
      run.busy = entry->busy == 255 ? length : static_cast<Nanos>(static_cast<double>(length) * (entry->busy * kShare));
    }
    visit(run);
  }
}

}  // namespace lacuna

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/index/fold_index.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Slices to hide: those of these categories, and those with these names.
struct HiddenSlices {
  std::vector<CategoryId> categories;
  std::vector<StringId> names;

  bool empty() const { return categories.empty() && names.empty(); }
};

/// The rows of tracks with hidden slices, nested without these: children of a hidden slice
/// move up. Tracks without hidden slices are unchanged and not contained. Immutable; keeps no references.
///
/// Memory: about 60 bytes per shown slice of such a track, two per hidden one.
class ShownRows {
 public:
  ShownRows() = default;
  /// O(n log n) in the slices of the affected tracks; for a worker thread. Returns early, with incomplete
  /// rows, when `cancel` is set.
  static ShownRows make(const Trace& trace, const HiddenSlices& hidden, const std::atomic<bool>* cancel = nullptr);

  /// The number of hidden slices of the trace.
  std::uint64_t hidden_count() const { return hidden_count_; }
  bool changes(TrackId track) const { return track.value < tracks_.size() && tracks_[track.value].is_changed; }
  bool is_hidden(const Trace& trace, SliceId slice) const {
    return changes(trace.lane(slice).track) && row_of(slice) == kNoRow;
  }

  // The following are for a track whose rows are changed.
  std::uint32_t row_count(TrackId track) const { return tracks_[track.value].count; }
  const Lane& row(TrackId track, std::uint32_t k) const { return rows_[tracks_[track.value].first + k]; }
  const FoldIndex& folds(TrackId track, std::uint32_t k) const { return folds_[tracks_[track.value].first + k]; }
  /// Returns the trace's slice at index `i` of one of the rows.
  static SliceId slice(const Lane& row, std::uint32_t i) {
    const std::uint64_t id = row.file_offset(i);
    return {LaneId{static_cast<std::uint32_t>(id >> 32)}, static_cast<std::uint32_t>(id)};
  }

  /// The total number of rows of all changed tracks, numbered consecutively.
  std::size_t row_total() const { return rows_.size(); }
  std::size_t row_number(TrackId track, std::uint32_t k) const { return tracks_[track.value].first + std::size_t{k}; }

  static constexpr std::uint32_t kNoRow = kNoIndex;
  /// Returns the row of its track that contains a slice; kNoRow: it is hidden.
  std::uint32_t row_of(SliceId slice) const;
  /// Returns the index of a slice in that row; Lane::kNoParent: it is not there.
  std::uint32_t index_in(const Trace& trace, const Lane& row, SliceId slice) const;

  // Neighbours among the shown slices of the slice's track; invalid if there is none. O(rows * log n).
  SliceId next_on_track(const Trace& trace, SliceId slice) const;
  SliceId previous_on_track(const Trace& trace, SliceId slice) const;
  SliceId parent(const Trace& trace, SliceId slice) const;
  SliceId first_child(const Trace& trace, SliceId slice) const;

 private:
  struct TrackRows {
    std::uint32_t first = 0, count = 0;
    bool is_changed = false;
  };

  std::vector<TrackRows> tracks_;  // by TrackId
  std::vector<Lane> rows_;
  std::vector<FoldIndex> folds_;
  std::vector<std::vector<std::uint16_t>> row_of_;  // by LaneId, then by index; empty: not changed
  std::uint64_t hidden_count_ = 0;
};

}  // namespace lacuna

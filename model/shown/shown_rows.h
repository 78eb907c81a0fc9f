#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/index/fold_index.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Slices that are not to be shown: of these categories, and with these names.
struct HiddenSlices {
  std::vector<CategoryId> categories;
  std::vector<StringId> names;

  bool empty() const { return categories.empty() && names.empty(); }
};

/// The rows of the tracks that have hidden slices, nested without them: what was inside a hidden slice
/// moves up. Tracks without any are as in the trace, and not in here. Immutable; borrows nothing.
///
/// Memory: about 60 bytes for each shown slice of such a track, two for each hidden one.
class ShownRows {
 public:
  ShownRows() = default;
  /// O(n log n) in the slices of the tracks concerned; for a worker. Returns early, with rows that are
  /// not whole, when `cancel` gets set.
  static ShownRows make(const Trace& trace, const HiddenSlices& hidden, const std::atomic<bool>* cancel = nullptr);

  /// How many slices of the trace are hidden.
  std::uint64_t hidden_count() const { return hidden_count_; }
  bool changes(TrackId track) const { return track.value < tracks_.size() && tracks_[track.value].is_changed; }
  bool is_hidden(const Trace& trace, SliceId slice) const {
    return changes(trace.lane(slice).track) && row_of(slice) == kNoRow;
  }

  // These are about a track whose rows it changes.
  std::uint32_t row_count(TrackId track) const { return tracks_[track.value].count; }
  const Lane& row(TrackId track, std::uint32_t k) const { return rows_[tracks_[track.value].first + k]; }
  const FoldIndex& folds(TrackId track, std::uint32_t k) const { return folds_[tracks_[track.value].first + k]; }
  /// The slice of the trace that stands at index `i` of one of the rows.
  static SliceId slice(const Lane& row, std::uint32_t i) {
    const std::uint64_t id = row.file_offset(i);
    return {LaneId{static_cast<std::uint32_t>(id >> 32)}, static_cast<std::uint32_t>(id)};
  }

  /// The rows of all tracks that it changes, numbered through.
  std::size_t row_total() const { return rows_.size(); }
  std::size_t row_number(TrackId track, std::uint32_t k) const { return tracks_[track.value].first + std::size_t{k}; }

  static constexpr std::uint32_t kNoRow = kNoIndex;
  /// The row of its track in which a slice lies; kNoRow: it is hidden.
  std::uint32_t row_of(SliceId slice) const;
  /// The index of a slice in that row; Lane::kNoParent: it is not there.
  std::uint32_t index_in(const Trace& trace, const Lane& row, SliceId slice) const;

  // Steps over what is shown of the slice's track; invalid where there is nothing. O(rows * log n).
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

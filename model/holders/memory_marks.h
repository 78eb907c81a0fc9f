#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/holders/memory_history.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The allocations in a trace's [memory] records, by lane: for a timeline that draws each allocation below the
/// operator that made it. In a picture of a trace on another machine, those whose operators it has. Immutable, any
/// thread. O(allocations) memory; at most 4,294,967,295 of them.
class MemoryMarks {
 public:
  struct Mark {
    /// From the allocation to its free, or to the next item below the operator, whichever is first.
    TimeSpan span;
    SliceId below;          ///< the innermost slice there: the mark is drawn in the row under it
    std::uint32_t history;  ///< index of its history
    std::uint32_t piece;    ///< index in that history's table
  };

  /// A counter of a device, drawn as a lane below the thread that allocates most of its memory.
  struct Lane {
    TrackId below;
    std::string title;  ///< "gpu:0 allocated"
    CounterSeries series;
  };

  MemoryMarks(const Trace& trace, std::vector<std::shared_ptr<const MemoryHistory>> histories);

  /// Returns the marks below slices of a lane, ascending and disjoint. Empty if there are none.
  std::span<const Mark> on_lane(LaneId lane) const;
  /// Whether there are marks below the last lane of a track, which then needs one more row.
  bool needs_row(TrackId track) const;
  /// Counters that the file lacks: the allocated bytes of each device, and the reserved bytes if the file has them.
  const std::vector<Lane>& lanes() const { return lanes_; }
  std::size_t size() const { return marks_.size(); }
  const Mark& operator[](std::size_t i) const { return marks_[i]; }
  /// Returns the index of a mark from on_lane().
  std::uint32_t index_of(const Mark& mark) const { return static_cast<std::uint32_t>(&mark - marks_.data()); }
  const MemoryHistory& history(const Mark& mark) const { return *histories_[mark.history]; }
  const MemoryPiece& piece(const Mark& mark) const { return history(mark).table.pieces[mark.piece]; }

 private:
  void make_lanes(const Trace& trace);

  std::vector<std::shared_ptr<const MemoryHistory>> histories_;
  std::vector<Mark> marks_;                   // by lane, then time
  std::vector<std::uint32_t> first_of_lane_;  // plus one more
  std::vector<bool> needs_row_;               // by track
  std::vector<Lane> lanes_;
};

}  // namespace lacuna

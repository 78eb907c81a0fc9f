#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/base/page_memory.h"
#include "model/build/id_remap.h"
#include "model/trace/lane.h"

namespace lacuna {

/// How slices that share a track relate.
enum class NestMode {
  kNested,  ///< a call stack: a slice inside another is its child, one row below
  kFlat,    ///< GPU streams: overlapping slices run concurrently and have no parent
};

/// Slices of one track in one batch, sorted by lies_before, with the batch's own ids and
/// times. Shared, so that a preview may read it while reading continues.
struct SliceRun {
  std::shared_ptr<const PageVector<SliceRecord>> slices;
  std::shared_ptr<const IdRemap> remap;  ///< null: ids and times are those of the trace
  std::size_t first = 0;                 ///< slices before this one no longer belong to the run

  std::size_t size() const { return slices->size() - first; }
};

/// The rows of one track, ready to be added to a trace: nests adjacent, outermost row first.
struct NestedRows {
  std::vector<Lane> lanes;
  std::uint32_t nest_count = 0;
  std::uint64_t spilled = 0;  ///< slices that did not fit in the first nest
};

/// The order in which slices of a track are placed: by start, longer first, then as in the file.
inline bool lies_before(const SliceRecord& a, const SliceRecord& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.duration != b.duration) return a.duration > b.duration;
  return a.file_offset < b.file_offset;
}

/// Places slices into rows: merges the runs, and frees each run soon after its last slice was
/// placed, so that runs and rows are not all in memory at the same time. Up to `threads` threads write slices; one
/// thread decides their rows.
///
/// A slice becomes the child of the innermost open slice of a nest if it ends inside it. One that
/// crosses the open slices goes to the next nest (a group of rows of its own) where it fits: nothing
/// is dropped or cut. [start, end) is half-open: a slice that starts where another ends is beside it.
/// After kMostNests nests, further crossing slices get the row that has been free for longest, so
/// that hostile input costs O(n log n), not O(n^2). Returns early, with incomplete rows, when
/// `cancel` is set.
NestedRows nest_slices(std::vector<SliceRun> runs, NestMode mode, unsigned threads = 1,
                       const std::atomic<bool>* cancel = nullptr);

inline constexpr std::uint32_t kMostNests = 32;

}  // namespace lacuna

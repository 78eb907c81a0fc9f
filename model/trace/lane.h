#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/base/ids.h"
#include "model/base/level_of_detail.h"
#include "model/base/page_memory.h"
#include "model/base/time.h"

namespace lacuna {

class GrowingBlock;
struct SealedBytes;

/// Anomalies of one slice; a set of bits.
enum SliceFlags : std::uint16_t {
  kSliceUnfinished = 1,    ///< a begin without an end: drawn to the end of the trace
  kSliceRepairedTime = 2,  ///< its dur was missing, negative or unreadable
  kSliceSpilled = 4,       ///< crosses another slice of its track: drawn on a separate row
};

/// One slice as passed by a writer; Lane stores the same data as columns.
struct SliceRecord {
  Nanos start = 0;
  Nanos duration = 0;
  std::uint64_t file_offset = 0;  ///< of the event's '{' in the (decompressed) JSON
  std::uint64_t correlation = 0;  ///< CUPTI correlation; 0 = none
  std::uint64_t external_id = 0;  ///< Kineto "External id"; 0 = none
  StringId name = kEmptyString;
  std::uint16_t category = 0;  ///< CategoryId as 16 bits
  std::uint16_t flags = 0;     ///< SliceFlags
};
static_assert(sizeof(SliceRecord) == 48);

/// One row of a track: slices that never overlap, ascending by start (and so by end).
///
/// The rows of a track hold its nesting: the parent of a slice lies in the row above (LaneId - 1).
/// Columns, not objects: 36 bytes per slice, 52 in lanes where a slice has a correlation or an
/// External id. Written only by TraceBuilder (and read back by TraceCodec); const afterwards, any thread
/// may read.
class Lane {
 public:
  static constexpr std::uint32_t kNoParent = kNoIndex;

  std::uint32_t size() const { return size_; }
  Nanos start(std::uint32_t i) const { return starts_[i]; }
  Nanos duration(std::uint32_t i) const { return durations_[i]; }
  Nanos end(std::uint32_t i) const { return starts_[i] + durations_[i]; }
  TimeSpan span(std::uint32_t i) const { return {start(i), end(i)}; }
  StringId name(std::uint32_t i) const { return StringId{names_[i]}; }
  CategoryId category(std::uint32_t i) const { return CategoryId{categories_[i]}; }
  std::uint16_t flags(std::uint32_t i) const { return flags_[i]; }
  /// Index in the row above of the slice that directly contains this one, or kNoParent.
  std::uint32_t parent(std::uint32_t i) const { return parents_[i]; }
  std::uint64_t file_offset(std::uint32_t i) const { return offsets_[i]; }
  std::uint64_t correlation(std::uint32_t i) const { return correlations_ == nullptr ? 0 : correlations_[i]; }
  std::uint64_t external_id(std::uint32_t i) const { return external_ids_ == nullptr ? 0 : external_ids_[i]; }

  /// Whether any slice has a correlation or an External id.
  bool has_ids() const { return correlations_ != nullptr; }

  std::span<const Nanos> starts() const { return {starts_, size_}; }
  std::span<const Nanos> durations() const { return {durations_, size_}; }
  std::span<const std::uint64_t> file_offsets() const { return {offsets_, size_}; }

  /// Returns the first index with start >= t; size() if none. O(log n), galloping from `hint` (a lower bound).
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  /// Returns the first index whose end > t or that starts at or after t (a zero-length slice at t counts).
  std::uint32_t first_visible_from(Nanos t) const;
  /// Returns the index of the longest slice of [first, last). O(log n).
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return growing_ != nullptr ? growing_longest_.longest(first, last, durations_)
                               : longest_.longest(first, last, durations_);
  }

  /// The run of rows that this row belongs to: rows of one nest are adjacent; kSliceSpilled slices
  /// lie in a later nest of the same track. 0 is the main one.
  std::uint32_t nest = 0;
  /// Depth inside its nest: 0 = outermost.
  std::uint32_t depth = 0;
  TrackId track;
  /// During a recording: the number of leading slices that stay the same in every later trace of it.
  std::uint32_t sealed = 0;
  /// Number of times that the track's sealed slices were laid out anew. Data derived from another generation are
  /// invalid.
  std::uint32_t generation = 0;

  // For TraceBuilder.
  /// Allocates space, once, for `count` slices; those with a correlation or an External id need `with_ids`.
  void reserve(std::uint32_t count, bool with_ids);
  /// Writes reserved slice `i`: each once, in any order. Several threads may write different slices.
  void put(std::uint32_t i, const SliceRecord& slice, std::uint32_t parent);
  /// Call once all reserved slices were written.
  void complete();
  std::size_t memory_bytes() const;

  // For SealedRows: lanes that grow while others read their existing slices.
  /// Moves the lane into `block`, which has room for its bytes / kGrowingBytes slices, and copies the present ones.
  void lie_in(std::shared_ptr<GrowingBlock> block);
  /// Appends a slice, in a block that is not full.
  void append(const SliceRecord& slice, std::uint32_t parent);
  /// Whether the block is full: the lane must move to another one before the next append().
  bool is_full() const { return size_ == capacity_; }
  /// Returns a lane with the current slices in the same memory. Only one of both may be appended to, which must be the
  /// one that continues to grow, unless own_memory() was called.
  Lane same() const;
  /// Makes later appends invisible to same() copies. False: no address space is left.
  bool own_memory();
  SliceRecord record(std::uint32_t i) const;
  static constexpr std::size_t kGrowingBytes = 53;  // the last one: what longest() needs, a bit more than a quarter

 private:
  friend class TraceCodec;
  /// Assigns memory to the columns of `count` slices; returns the address behind them.
  std::byte* lay_columns(std::byte* at, std::uint32_t count, bool with_ids);
  void lay_growing_columns(std::size_t count, bool with_ids);
  void write(std::uint32_t i, const SliceRecord& slice, std::uint32_t parent);
  std::vector<SealedBytes> sealed_parts(std::size_t count) const;
  void go_on();

  // All columns are in one block: few, large blocks are cheap to touch and to free.
  PageBlock block_;
  std::shared_ptr<GrowingBlock> growing_;  // used instead of block_ in growing lanes
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  Nanos* starts_ = nullptr;
  Nanos* durations_ = nullptr;
  std::uint64_t* offsets_ = nullptr;
  std::uint64_t* correlations_ = nullptr;  // null in lanes without ids
  std::uint64_t* external_ids_ = nullptr;  // null in lanes without ids
  std::uint32_t* names_ = nullptr;
  std::uint32_t* parents_ = nullptr;
  std::uint16_t* categories_ = nullptr;
  std::uint16_t* flags_ = nullptr;
  LongestIndex longest_;
  GrowingLongest growing_longest_;  // of the slices in growing_
};

}  // namespace lacuna

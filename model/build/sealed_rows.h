#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/base/growing_memory.h"
#include "model/build/nesting.h"
#include "model/trace/lane.h"

namespace lacuna {

/// The rows of one thread or GPU stream of a recording under way. They grow at their ends: a slice gets its place once,
/// in memory that later traces share, and keeps it. The result is that of nest_slices() over all slices.
///
/// That needs to know what runs: a range that has not ended yet lies below nothing that starts after it, so its place,
/// and those of all in it, are certain before its end is. Ranges that cross one which runs, and slices that come after
/// later ones were sealed, have places that are not what they seemed: then the rows are to be given up.
/// One thread at a time; copies are independent, and only the original, or else one copy, goes on growing.
class SealedRows {
 public:
  /// `generation`: see Lane::generation.
  SealedRows(std::shared_ptr<GrowingMemory> memory, NestMode mode, std::uint32_t generation = 0)
      : memory_(std::move(memory)), mode_(mode), generation_(generation) {}
  /// Makes a copy that can be finished while the original goes on growing.
  std::unique_ptr<SealedRows> copy() const;

  /// Takes from the front of `runs` what starts before `horizon`, and drops runs that have nothing more. `open`: when
  /// the ranges that run now began. False: to be given up; `runs` are then all that give_up() has not.
  bool seal(std::vector<SliceRun>& runs, std::vector<Nanos> open, Nanos horizon);
  /// Seals the remaining slices and returns all rows. Nothing: the rows are to be given up, as above; the original
  /// knows.
  std::optional<NestedRows> finish(std::vector<SliceRun>& runs);
  /// The slices sealed, for nest_slices().
  std::vector<SliceRun> give_up() const;

  std::uint64_t size() const { return size_; }
  std::uint32_t generation() const { return generation_; }
  /// The last end of what is sealed; kMinNanos: nothing is.
  Nanos last_end() const { return last_end_; }

 private:
  /// A slice that may still have children. Of a stack, those that run are outermost.
  struct Entry {
    Nanos start = 0;
    Nanos end = kMaxNanos;       ///< while it runs
    Nanos last_end = kMinNanos;  ///< of its children
    bool is_open = false;        ///< it runs; its place, the next one of its row, is kept for it
    bool is_ending = false;      ///< … no longer: `ending` is what it became, to be put there
    bool is_known = false;       ///< scratch of seal()
    std::uint32_t ending = 0;    ///< index in endings_
  };
  struct Row {
    Lane lane;
    bool is_shared = false;  ///< its memory is to be copied before anything is appended
  };
  struct Nest {
    std::vector<Entry> stack;  ///< outermost first
    std::vector<Row> rows;
  };

  Entry* find_open(Nanos start, bool is_unknown);
  bool take(const SliceRecord& slice, bool is_open);
  bool take_open(const SliceRecord& slice, const std::optional<SliceRecord>& last);
  bool end_marked();
  bool end_marked(std::uint32_t nest);
  bool append(std::uint32_t nest, std::uint32_t depth, SliceRecord slice);
  bool seal_in_order(std::vector<SliceRun>& runs, std::vector<Nanos> open, Nanos horizon);

  std::shared_ptr<GrowingMemory> memory_;
  NestMode mode_;
  std::uint32_t generation_;
  std::vector<Nest> nests_;
  std::vector<SliceRecord> endings_;  // of the entries that are ending
  std::optional<SliceRecord> last_;   // of those that got a place, the one that lies behind all others
  std::uint64_t size_ = 0;
  std::uint64_t spilled_ = 0;
  Nanos last_end_ = kMinNanos;
  std::shared_ptr<std::atomic<bool>> is_given_up_ = std::make_shared<std::atomic<bool>>(false);  // by any copy
};

}  // namespace lacuna

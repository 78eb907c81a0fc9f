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

/// The rows of one thread or GPU stream of a recording under way. They grow at their ends: each slice is placed once,
/// for good, in memory that later traces share. The result equals that of nest_slices() over all slices.
///
/// That requires the ranges that are still running: such a range cannot be inside anything that starts after it, so its
/// place and those of all slices in it are certain before it ends. Ranges that cross a running one, and slices that
/// arrive after later ones were sealed, make earlier places wrong: then the rows must be given up.
/// One thread at a time; copies are independent, and only the original, or else one copy, may continue to grow.
class SealedRows {
 public:
  /// `generation`: see Lane::generation.
  SealedRows(std::shared_ptr<GrowingMemory> memory, NestMode mode, std::uint32_t generation = 0)
      : memory_(std::move(memory)), mode_(mode), generation_(generation) {}
  /// Makes a copy that can be finished while the original continues to grow.
  std::unique_ptr<SealedRows> copy() const;

  /// Seals the slices of `runs` that start before `horizon`, and removes empty runs. `open`: starts of
  /// the ranges still running. False: give the rows up; `runs` then has all slices that give_up() does not return.
  bool seal(std::vector<SliceRun>& runs, std::vector<Nanos> open, Nanos horizon);
  /// Seals the remaining slices and returns all rows. Nothing: the rows must be given up, as above; the original
  /// is notified.
  std::optional<NestedRows> finish(std::vector<SliceRun>& runs);
  /// Returns the sealed slices, as input of nest_slices().
  std::vector<SliceRun> give_up() const;

  std::uint64_t size() const { return size_; }
  std::uint32_t generation() const { return generation_; }
  /// The latest end of the sealed slices; kMinNanos: there are none.
  Nanos last_end() const { return last_end_; }

 private:
  /// A slice that may still get children. In a stack, those still running are outermost.
  struct Entry {
    Nanos start = 0;
    Nanos end = kMaxNanos;       ///< kMaxNanos while it runs
    Nanos last_end = kMinNanos;  ///< of its last child
    bool is_open = false;        ///< it is still running; the next place of its row is reserved for it
    bool is_ending = false;      ///< it has ended: endings_[ending] is the finished slice, to be put in its place
    bool is_known = false;       ///< scratch for seal()
    std::uint32_t ending = 0;    ///< index in endings_
  };
  struct Row {
    Lane lane;
    bool is_shared = false;  ///< its memory must be copied before appending
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
  std::vector<SliceRecord> endings_;  // the finished slices of entries with is_ending
  std::optional<SliceRecord> last_;   // the last placed slice in the order of lies_before
  std::uint64_t size_ = 0;
  std::uint64_t spilled_ = 0;
  Nanos last_end_ = kMinNanos;
  std::shared_ptr<std::atomic<bool>> is_given_up_ = std::make_shared<std::atomic<bool>>(false);  // set by any copy
};

}  // namespace lacuna

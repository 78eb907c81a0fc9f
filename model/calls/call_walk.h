#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "model/build/nesting.h"
#include "model/calls/call_paths.h"
#include "model/calls/graph_origins.h"

namespace lacuna {

/// Returns the graph origins that the tree needs: empty when no GPU work is charged, or when args cannot be read.
GraphOrigins origins_for_calls(const Trace& trace, const CallTreeOptions& options);

/// The position of a CPU slice in a growing call tree.
struct CallPlace {
  std::uint32_t node = CallPaths::kRoot;  ///< node that gets its self time; kNobody: not counted
  bool is_inside = false;                 ///< it counts: it lies in one of CallTreeOptions::places, if there are any
  bool is_own = false;                    ///< the node is its own frame, not an enclosing one

  static constexpr std::uint32_t kNobody = kNoIndex;
};

/// The cache of walks over a trace: as large as all its lanes and names, so it is made once per thread of the
/// program, not once per track. Used by one walk at a time.
class CallMemo {
 public:
  CallMemo(const Trace& trace, const CallTreeOptions& options)
      : frames_(trace, options.hides_python), known_(trace.lanes().size()) {}

 private:
  friend class CallWalk;
  struct Known {
    std::uint32_t index = Lane::kNoParent;
    std::uint32_t walk = 0;  // the walk that `place` belongs to
    CallPlace place;
  };

  CallFrames frames_;
  std::vector<Known> known_;  // by lane: the last slice asked for
  std::uint32_t walks_ = 0;   // walks begun so far
};

/// A pool of memos: creates as many as are in use at the same time. Any thread.
class CallMemos {
 public:
  CallMemos(const Trace& trace, const CallTreeOptions& options) : trace_(trace), options_(options) {}
  /// Calls use(memo) with a free memo.
  template <class Use>
  void with(Use&& use) {
    std::unique_ptr<CallMemo> memo;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        memo = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (memo == nullptr) {
      memo = std::make_unique<CallMemo>(trace_, options_);
      ++made_;
    }
    use(*memo);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memo));
  }
  std::uint32_t made() const { return made_; }

 private:
  const Trace& trace_;
  const CallTreeOptions& options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CallMemo>> free_;
  std::atomic<std::uint32_t> made_{0};
};

/// Finds the tree positions of CPU slices, by the options: hidden frames, places, both directions.
/// One per thread.
class CallWalk {
 public:
  /// `cpu_places`: those of the options that are not GPU work, ascending. `memo` must not be used by others meanwhile.
  CallWalk(const Trace& trace, const CallTreeOptions& options, std::span<const SliceId> cpu_places, CallPaths& paths,
           CallMemo& memo);

  /// The position at the outermost level.
  CallPlace outermost() const { return {CallPaths::kRoot, !is_limited_, false}; }
  /// Returns the position of a slice whose parent is at `around`.
  CallPlace step(const CallPlace& around, const Lane& lane, std::uint32_t index, bool is_chosen);
  /// Returns the position of a slice without knowing its parent's. Fast for consecutive slices.
  CallPlace place_of(SliceId slice);
  /// Returns the node for something below `place` (GPU work below its launch): a new frame, or the
  /// chosen slice's node where everything below counts as its own.
  std::uint32_t below(const CallPlace& place, CallKey key);

  bool is_chosen(SliceId slice) const;
  bool is_limited() const { return is_limited_; }

 private:
  /// The node under which frames inside `node` are added.
  std::uint32_t anchor(std::uint32_t node) const {
    return node == CallPlace::kNobody || node == python_ ? CallPaths::kRoot : node;
  }

  const Trace& trace_;
  CallPaths& paths_;
  CallMemo& memo_;
  std::span<const SliceId> chosen_;
  bool is_limited_;
  bool collapses_;                             // frames below a chosen slice count as its own
  std::uint32_t python_ = CallPlace::kNobody;  // the kHiddenPython node below the root, once it exists
  const std::uint32_t walk_;                   // its number in the memo
  std::vector<SliceId> pending_;
};

/// Calls visit(TimeSpan, SliceId) for the parts of `span`, in order and without holes, each with the innermost slice
/// of the thread, or an invalid id where there is none. Where slices cross, those of the first nest win.
class InnermostWalk {
 public:
  InnermostWalk(const Trace& trace, const Track& thread) : trace_(trace), thread_(thread) {
    hints_.resize(thread.lane_count);
  }
  /// Fast for consecutive spans. A thread that is asked for often is walked once as a whole, as it may have many
  /// rows.
  template <class Visit>
  void for_each(TimeSpan span, Visit&& visit) {
    if (is_whole_ && whole_.unite(span) == whole_) {
      auto part = std::ranges::upper_bound(parts_, span.begin, {}, [](const Part& p) { return p.span.end; });
      for (; part != parts_.end() && part->span.begin < span.end; ++part)
        if (const TimeSpan own = part->span.intersect(span); !own.empty()) visit(own, part->slice);
      return;
    }
    walk_nest(0, span, visit);
    rows_walked_ += thread_.lane_count;
    if (!is_whole_ && rows_walked_ > thread_.slice_count + thread_.lane_count) walk_whole();
  }

 private:
  struct Part {
    TimeSpan span;
    SliceId slice;
  };
  /// A slice whose children are being walked, or the outermost level.
  struct Level {
    std::uint32_t row;  ///< the row of its children
    std::uint32_t next;
    Nanos t, end;
    SliceId around;
  };
  /// `row`: the outermost of a nest. Not recursive, because the file determines the depth of stacks.
  template <class Visit>
  void walk_nest(std::uint32_t row, TimeSpan span, Visit& visit);
  /// Returns the first slice of a row that ends after `t`, with the given parent, if there is one.
  std::uint32_t first_after(std::uint32_t row, Nanos t);
  const Lane& lane(std::uint32_t row) const { return trace_.lane(LaneId{thread_.first_lane.value + row}); }

  void walk_whole();

  const Trace& trace_;
  const Track& thread_;
  std::vector<std::uint32_t> hints_;  // by row: the last result of first_after()
  std::uint64_t rows_walked_ = 0;
  bool is_whole_ = false;
  TimeSpan whole_ = TimeSpan::nothing();
  std::vector<Part> parts_;  // parts of whole_, in order
};

/// Like walk.for_each() for each of `spans`, ascending by begin, many of which may overlap, as when one thread launches
/// for many GPUs: visit(part, slice, times). A part that lies entirely in several spans is visited once, with their
/// number, so that the total cost is O(parts + spans log parts). The order is unspecified.
void for_each_shared(InnermostWalk& walk, std::span<const TimeSpan> spans,
                     const std::function<void(TimeSpan, SliceId, std::uint64_t)>& visit);

template <class Visit>
void InnermostWalk::walk_nest(std::uint32_t row, TimeSpan span, Visit& visit) {
  if (span.empty()) return;
  // Nests beyond kMostNests are single rows of slices that fit nowhere else (see nesting.h).
  if (row >= thread_.lane_count || lane(row).nest >= kMostNests) {
    visit(span, SliceId{});
    return;
  }
  std::uint32_t end_of_nest = row + 1;
  while (end_of_nest < thread_.lane_count && lane(end_of_nest).nest == lane(row).nest) ++end_of_nest;
  const auto emit = [&](TimeSpan part, SliceId around) {
    if (part.empty()) return;
    around.valid() ? visit(part, around) : walk_nest(end_of_nest, part, visit);
  };
  std::vector<Level> open{{row, first_after(row, span.begin), span.begin, span.end, {}}};
  while (!open.empty()) {
    Level& level = open.back();
    const bool has_next =
        level.row < end_of_nest && level.next < lane(level.row).size() && lane(level.row).start(level.next) < level.end;
    if (!has_next) {
      const Level done = level;
      open.pop_back();
      emit({done.t, done.end}, done.around);
      continue;
    }
    const std::uint32_t i = level.next++;
    const TimeSpan part = lane(level.row).span(i).intersect({level.t, level.end});
    if (part.empty() || (level.around.valid() && lane(level.row).parent(i) != level.around.index)) continue;
    emit({level.t, part.begin}, level.around);
    level.t = part.end;
    const std::uint32_t below = level.row + 1;
    const SliceId slice{LaneId{thread_.first_lane.value + level.row}, i};
    open.push_back({below, below < end_of_nest ? first_after(below, part.begin) : 0, part.begin, part.end, slice});
  }
}

}  // namespace lacuna

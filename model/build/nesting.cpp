#include "model/build/nesting.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/build/merged_runs.h"

namespace lacuna {
namespace {

/// Where one slice lies.
struct Place {
  std::uint32_t nest;
  std::uint32_t depth;
};

/// Decides places, slice by slice in order.
class Nester {
 public:
  explicit Nester(NestMode mode) : mode_(mode) {}

  Place place(Nanos start, Nanos end) {
    for (std::uint32_t nest = 0; nest < stacks_.size(); ++nest) {
      std::vector<Nanos>& open = stacks_[nest];
      while (!open.empty() && open.back() <= start) open.pop_back();
      const bool fits = open.empty() || (mode_ == NestMode::kNested && end <= open.back());
      if (!fits) continue;
      open.push_back(end);
      return {nest, static_cast<std::uint32_t>(open.size()) - 1};
    }
    if (stacks_.size() < kMostNests) {
      stacks_.push_back({end});
      return {static_cast<std::uint32_t>(stacks_.size()) - 1, 0};
    }
    std::uint32_t nest = kMostNests + static_cast<std::uint32_t>(overflow_.size());
    if (!overflow_.empty() && overflow_.top().first <= start) {
      nest = overflow_.top().second;
      overflow_.pop();
    }
    overflow_.emplace(end, nest);
    return {nest, 0};
  }

 private:
  NestMode mode_;
  std::vector<std::vector<Nanos>> stacks_;  // per nest, ends of the open slices, outermost first
  using FreeAt = std::pair<Nanos, std::uint32_t>;
  std::priority_queue<FreeAt, std::vector<FreeAt>, std::greater<>> overflow_;
};

/// Slices of one run that follow each other in the order of the track.
struct Turn {
  std::uint32_t run = 0;
  std::uint32_t slices = 0;
};

/// A row while places are being decided.
struct RowPlan {
  Place place;
  std::uint32_t above = kNoIndex;  ///< the row of the parents
  std::uint32_t slices = 0;
  std::uint32_t lane = 0;
  bool with_ids = false;
};

/// Slices that follow each other in the order of the track, and what was there before them: whoever has that can lay
/// them without the others.
struct Chunk {
  std::size_t first = 0;
  std::size_t turn = 0;                // its first one: no turn lies in two chunks
  std::vector<std::uint32_t> taken;    // of each run
  std::vector<std::uint32_t> in_rows;  // slices of each row
};
constexpr std::size_t kLeastChunk = std::size_t{1} << 15;
constexpr std::size_t kMostChunks = 256;

/// The first pass: the row of each slice, so that the second can allocate each column once and exactly; and how many of
/// which run follow each other, so that runs are merged once.
class RowPlanner {
 public:
  RowPlanner(std::span<const SliceRun> runs, NestMode mode, std::size_t total)
      : runs_(runs), nester_(mode), chunk_(std::max(kLeastChunk, total / kMostChunks)), taken_(runs.size(), 0) {
    rows.reserve(total);
  }

  /// False: it was cancelled.
  bool plan(const std::atomic<bool>* cancel) {
    CancelCheck gives_up(cancel);
    MergedRuns merged(runs_);
    for (MergedRuns::Next next = merged.next(); next.record != nullptr; next = merged.next()) {
      if (gives_up()) return false;
      if (rows.size() >= next_chunk_ && begin_chunk()) turns.push_back({next.run, 0});
      if (turns.back().run != next.run) {
        end_turn();
        turns.push_back({next.run, 0});
      }
      ++turns.back().slices;
      rows.push_back(row_of(shifted(*next.record, runs_[next.run].remap.get())));
    }
    return true;
  }

  std::vector<RowPlan> plans;
  std::vector<std::vector<std::uint32_t>> plan_at;  // [nest][depth]
  PageVector<std::uint32_t> rows;                   // of each slice, index in plans
  PageVector<Turn> turns;
  std::vector<Chunk> chunks;
  std::uint64_t spilled = 0;

 private:
  std::uint32_t row_of(const SliceRecord& slice) {
    const Place place = nester_.place(slice.start, saturating_add(slice.start, slice.duration));
    if (place.nest >= plan_at.size()) plan_at.resize(place.nest + 1);
    auto& depths = plan_at[place.nest];
    if (place.depth >= depths.size()) {  // by one: a child follows its parent
      const std::uint32_t above = place.depth == 0 ? kNoIndex : depths.back();
      depths.push_back(static_cast<std::uint32_t>(plans.size()));
      plans.push_back({place, above});
    }
    const std::uint32_t row = depths[place.depth];
    RowPlan& plan = plans[row];
    ++plan.slices;
    plan.with_ids |= slice.correlation != 0 || slice.external_id != 0;
    spilled += place.nest != 0;
    return row;
  }

  void end_turn() {
    if (!turns.empty()) taken_[turns.back().run] += turns.back().slices;
  }

  /// False: not yet, as what it would have to know were more than its slices.
  bool begin_chunk() {
    const std::size_t least = 4 * (plans.size() + runs_.size());
    if (!chunks.empty() && rows.size() - chunks.back().first < least) {
      next_chunk_ = chunks.back().first + least;
      return false;
    }
    end_turn();
    Chunk& chunk = chunks.emplace_back();
    chunk.first = rows.size();
    chunk.turn = turns.size();
    chunk.taken = taken_;
    chunk.in_rows.reserve(plans.size());
    for (const RowPlan& plan : plans) chunk.in_rows.push_back(plan.slices);
    next_chunk_ = chunk.first + chunk_;
    return true;
  }

  std::span<const SliceRun> runs_;
  Nester nester_;
  const std::size_t chunk_;
  std::size_t next_chunk_ = 0;
  std::vector<std::uint32_t> taken_;  // of each run, by turns that have ended
};

/// The second pass: lays the slices of one chunk after the other into their lanes, several chunks at once.
class ChunkLayer {
 public:
  ChunkLayer(RowPlanner& plan, std::vector<SliceRun>& runs, std::vector<Lane>& lanes)
      : plan_(plan), runs_(runs), lanes_(lanes), left_(runs.size()) {
    for (std::size_t r = 0; r < runs.size(); ++r) left_[r] = runs[r].size();
  }

  void lay(std::size_t number, const std::atomic<bool>* cancel) {
    if (is_cancelled(cancel)) return;
    const Chunk& chunk = plan_.chunks[number];
    const bool is_last = number + 1 == plan_.chunks.size();
    const std::size_t end = is_last ? plan_.turns.size() : plan_.chunks[number + 1].turn;
    std::vector<std::uint32_t> taken = chunk.taken;
    std::vector<std::uint32_t> in_rows = chunk.in_rows;
    in_rows.resize(plan_.plans.size(), 0);
    const std::uint32_t* row = plan_.rows.data() + chunk.first;
    for (std::size_t t = chunk.turn; t < end; ++t) {
      const Turn& turn = plan_.turns[t];
      const SliceRun& run = runs_[turn.run];
      const std::span records = std::span(*run.slices).subspan(run.first + taken[turn.run], turn.slices);
      for (const SliceRecord& record : records) lay(record, run.remap.get(), *row++, in_rows);
      taken[turn.run] += turn.slices;
    }
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const std::size_t laid = taken[r] - chunk.taken[r];
      if (laid != 0 && left_[r].fetch_sub(laid) == laid) runs_[r] = {};
    }
  }

 private:
  /// The parent is the open slice one row up, which is the last one that was laid there.
  void lay(const SliceRecord& record, const IdRemap* remap, std::uint32_t row, std::span<std::uint32_t> in_rows) {
    SliceRecord slice = shifted(record, remap);
    if (remap != nullptr) {
      slice.name = (*remap)(slice.name);
      slice.category = (*remap)(slice.category);
    }
    const RowPlan& plan = plan_.plans[row];
    if (plan.place.nest != 0) slice.flags |= kSliceSpilled;
    const std::uint32_t parent = plan.above == kNoIndex ? Lane::kNoParent : in_rows[plan.above] - 1;
    lanes_[plan.lane].put(in_rows[row]++, slice, parent);
  }

  const RowPlanner& plan_;
  std::vector<SliceRun>& runs_;
  std::vector<Lane>& lanes_;
  std::vector<std::atomic<std::size_t>> left_;  // slices of each run
};

}  // namespace

NestedRows nest_slices(std::vector<SliceRun> runs, NestMode mode, unsigned threads, const std::atomic<bool>* cancel) {
  std::size_t total = 0;
  for (const SliceRun& run : runs) total += run.size();
  NestedRows result;
  if (total == 0) return result;
  RowPlanner planner(runs, mode, total);
  if (!planner.plan(cancel)) return {};

  result.spilled = planner.spilled;
  result.nest_count = static_cast<std::uint32_t>(planner.plan_at.size());
  result.lanes.reserve(planner.plans.size());
  for (const auto& depths : planner.plan_at) {
    for (const std::uint32_t row : depths) {
      RowPlan& plan = planner.plans[row];
      plan.lane = static_cast<std::uint32_t>(result.lanes.size());
      Lane& lane = result.lanes.emplace_back();
      lane.nest = plan.place.nest;
      lane.depth = plan.place.depth;
      lane.reserve(plan.slices, plan.with_ids);
    }
  }
  ChunkLayer layer(planner, runs, result.lanes);
  parallel_for(planner.chunks.size(), threads, [&](std::size_t number) { layer.lay(number, cancel); });
  if (is_cancelled(cancel)) return {};
  parallel_for(result.lanes.size(), threads, [&](std::size_t lane) { result.lanes[lane].complete(); });
  return result;
}

}  // namespace lacuna

#include "model/build/nesting.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "model/base/cancel.h"
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
  std::uint32_t slices = 0;
  std::uint32_t lane = 0;
  bool with_ids = false;
};

}  // namespace

NestedRows nest_slices(std::vector<SliceRun> runs, NestMode mode, const std::atomic<bool>* cancel) {
  std::size_t total = 0;
  for (const SliceRun& run : runs) total += run.size();
  NestedRows result;
  if (total == 0) return result;

  // First pass: the row of each slice, so that the second can allocate each column once and exactly; and how many of
  // which run follow each other, so that runs are merged once.
  std::vector<RowPlan> plans;
  std::vector<std::vector<std::uint32_t>> plan_at;  // [nest][depth]
  PageVector<std::uint32_t> rows;                   // of each slice, index in plans
  PageVector<Turn> turns;
  rows.reserve(total);
  Nester nester(mode);
  CancelCheck gives_up(cancel);
  MergedRuns merged(runs);
  for (MergedRuns::Next next = merged.next(); next.record != nullptr; next = merged.next()) {
    if (gives_up()) return {};
    const SliceRecord slice = shifted(*next.record, runs[next.run].remap.get());
    const Place place = nester.place(slice.start, saturating_add(slice.start, slice.duration));
    if (place.nest >= plan_at.size()) plan_at.resize(place.nest + 1);
    auto& depths = plan_at[place.nest];
    if (place.depth >= depths.size()) {  // by one: a child follows its parent
      depths.push_back(static_cast<std::uint32_t>(plans.size()));
      plans.push_back({place});
    }
    const std::uint32_t row = depths[place.depth];
    RowPlan& plan = plans[row];
    ++plan.slices;
    plan.with_ids |= slice.correlation != 0 || slice.external_id != 0;
    result.spilled += place.nest != 0;
    rows.push_back(row);
    if (turns.empty() || turns.back().run != next.run) turns.push_back({next.run, 0});
    ++turns.back().slices;
  }

  result.nest_count = static_cast<std::uint32_t>(plan_at.size());
  result.lanes.reserve(plans.size());
  for (const auto& depths : plan_at) {
    for (const std::uint32_t row : depths) {
      RowPlan& plan = plans[row];
      plan.lane = static_cast<std::uint32_t>(result.lanes.size());
      Lane& lane = result.lanes.emplace_back();
      lane.nest = plan.place.nest;
      lane.depth = plan.place.depth;
      lane.reserve(plan.slices, plan.with_ids);
    }
  }

  // Second pass: the parent is the open slice one row up, which is the last one appended there.
  std::vector<std::size_t> taken(runs.size(), 0);
  const std::uint32_t* row = rows.data();
  for (const Turn& turn : turns) {
    SliceRun& run = runs[turn.run];
    const SliceRecord* const records = run.slices->data() + run.first;
    for (const std::size_t end = taken[turn.run] + turn.slices; taken[turn.run] < end; ++row) {
      if (gives_up()) return {};
      SliceRecord slice = shifted(records[taken[turn.run]++], run.remap.get());
      if (run.remap != nullptr) {
        slice.name = (*run.remap)(slice.name);
        slice.category = (*run.remap)(slice.category);
      }
      const RowPlan& plan = plans[*row];
      if (plan.place.nest != 0) slice.flags |= kSliceSpilled;
      const std::uint32_t parent = plan.place.depth == 0 ? Lane::kNoParent : result.lanes[plan.lane - 1].size() - 1;
      result.lanes[plan.lane].append(slice, parent);
    }
    if (taken[turn.run] == run.size()) run = {};
  }
  return result;
}

}  // namespace lacuna

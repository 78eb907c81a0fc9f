#include "model/nesting.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace lacuna {
namespace {

/// Merges sorted pieces. An importer delivers many pieces that follow each other in time, so at any
/// moment only few of them are in play: those that have begun, in a heap; the others wait, ordered
/// by their first slice. Mostly the heap holds one piece and a step costs two comparisons.
class Merge {
 public:
  explicit Merge(std::span<const std::span<const SliceRecord>> pieces) {
    for (const auto& piece : pieces)
      if (!piece.empty()) waiting_.push_back({piece.data(), piece.data() + piece.size()});
    std::ranges::sort(waiting_, later);  // the earliest last, to be popped
  }

  /// The next slice in order, or null. Pieces must stay where they are.
  const SliceRecord* next() {
    if (!waiting_.empty() && (begun_.empty() || later(begun_.front(), waiting_.back()))) {
      begun_.push_back(waiting_.back());
      waiting_.pop_back();
      std::ranges::push_heap(begun_, later);
    }
    if (begun_.empty()) return nullptr;
    if (begun_.size() == 1) {
      Run& only = begun_.front();
      const SliceRecord* slice = only.at++;
      if (only.at == only.end) begun_.clear();
      return slice;
    }
    std::ranges::pop_heap(begun_, later);
    Run& least = begun_.back();
    const SliceRecord* slice = least.at++;
    if (least.at == least.end) {
      begun_.pop_back();
    } else {
      std::ranges::push_heap(begun_, later);
    }
    return slice;
  }

 private:
  struct Run {
    const SliceRecord* at;
    const SliceRecord* end;
  };
  static bool later(const Run& a, const Run& b) { return lies_before(*b.at, *a.at); }

  std::vector<Run> waiting_;
  std::vector<Run> begun_;
};

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

struct RowPlan {
  std::uint32_t slices = 0;
  bool with_ids = false;
};

}  // namespace

NestedRows nest_slices(std::span<const std::span<const SliceRecord>> pieces, NestMode mode) {
  std::size_t total = 0;
  for (const auto& piece : pieces) total += piece.size();
  NestedRows result;
  if (total == 0) return result;

  // First pass: places, so that the second can allocate each column once and exactly.
  std::vector<Place> places;
  places.reserve(total);
  std::vector<std::vector<RowPlan>> plans;  // [nest][depth]
  Nester nester(mode);
  Merge first(pieces);
  while (const SliceRecord* slice = first.next()) {
    const Place place = nester.place(slice->start, saturating_add(slice->start, slice->duration));
    if (place.nest >= plans.size()) plans.resize(place.nest + 1);
    auto& rows = plans[place.nest];
    if (place.depth >= rows.size()) rows.resize(place.depth + 1);
    ++rows[place.depth].slices;
    rows[place.depth].with_ids |= slice->correlation != 0 || slice->external_id != 0;
    result.spilled += place.nest != 0;
    places.push_back(place);
  }

  result.nest_count = static_cast<std::uint32_t>(plans.size());
  std::vector<std::uint32_t> base(plans.size());
  for (std::uint32_t nest = 0; nest < plans.size(); ++nest) {
    base[nest] = static_cast<std::uint32_t>(result.lanes.size());
    for (std::uint32_t depth = 0; depth < plans[nest].size(); ++depth) {
      Lane& lane = result.lanes.emplace_back();
      lane.nest = nest;
      lane.depth = depth;
      lane.reserve(plans[nest][depth].slices, plans[nest][depth].with_ids);
    }
  }

  // Second pass: the parent is the open slice one row up, which is the last one appended there.
  Merge second(pieces);
  for (const Place& place : places) {
    SliceRecord slice = *second.next();
    if (place.nest != 0) slice.flags |= kSliceSpilled;
    const std::uint32_t row = base[place.nest] + place.depth;
    const std::uint32_t parent = place.depth == 0 ? Lane::kNoParent : result.lanes[row - 1].size() - 1;
    result.lanes[row].append(slice, parent);
  }
  return result;
}

}  // namespace lacuna

#include "model/nesting.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace lacuna {
namespace {

/// Merges sorted pieces; few pieces (one per importer thread), so a linear scan finds the least.
class Merge {
 public:
  explicit Merge(std::span<const std::span<const SliceRecord>> pieces) : pieces_(pieces), at_(pieces.size(), 0) {}

  const SliceRecord* next() {
    if (pieces_.size() == 1) return at_[0] < pieces_[0].size() ? &pieces_[0][at_[0]++] : nullptr;
    std::size_t best = pieces_.size();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (at_[p] == pieces_[p].size()) continue;
      if (best == pieces_.size() || lies_before(pieces_[p][at_[p]], pieces_[best][at_[best]])) best = p;
    }
    return best == pieces_.size() ? nullptr : &pieces_[best][at_[best]++];
  }

 private:
  std::span<const std::span<const SliceRecord>> pieces_;
  std::vector<std::size_t> at_;
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

#include "model/build/sealed_rows.h"

#include <algorithm>
#include <utility>

#include "model/build/merged_runs.h"

namespace lacuna {
namespace {

// Address space of a row, in slices: it costs memory only as slices come. One that is full is copied, which takes a
// while, so the first rows get more than a recording of hours fills; with thousands of rows there is less for each.
struct RowSpace {
  std::size_t blocks = 0;  // while there are no more than these
  std::size_t slices = 0;
};
#if defined(__SANITIZE_THREAD__)  // has little address space
constexpr RowSpace kRowSpaces[] = {{GrowingMemory::kMostBlocks, std::size_t{1} << 25}};
#else
constexpr RowSpace kRowSpaces[] = {
    {64, std::size_t{1} << 31}, {256, std::size_t{1} << 28}, {GrowingMemory::kMostBlocks, std::size_t{1} << 25}};
#endif
constexpr std::size_t kLeastSlices = std::size_t{1} << 16;
constexpr std::size_t kMoreTimes = 32;

/// Where a row of `size` slices goes on. Null: no address space is left.
std::shared_ptr<GrowingBlock> make_room(GrowingMemory& memory, std::size_t size) {
  std::size_t slices = size * kMoreTimes;
  const std::size_t blocks = memory.block_count();
  for (const RowSpace& space : kRowSpaces)
    if (blocks < space.blocks) {
      slices = std::max(slices, space.slices);
      break;
    }
  for (; slices >= std::max(kLeastSlices, 2 * size); slices /= 8)
    if (auto block = memory.block(slices * Lane::kGrowingBytes)) return block;
  return nullptr;
}

Nanos end_of(const SliceRecord& slice) {
  return saturating_add(slice.start, slice.duration);
}

}  // namespace

std::unique_ptr<SealedRows> SealedRows::copy() const {
  auto out = std::make_unique<SealedRows>(memory_, mode_, generation_);
  out->nests_.reserve(nests_.size());
  for (const Nest& nest : nests_) {
    Nest& made = out->nests_.emplace_back();
    made.stack = nest.stack;
    for (const Row& row : nest.rows) {
      made.rows.push_back({row.lane.same(), row.lane.size() > 0});
    }
  }
  out->last_ = last_;
  out->size_ = size_;
  out->spilled_ = spilled_;
  out->last_end_ = last_end_;
  out->is_given_up_ = is_given_up_;
  return out;
}

/// A range that runs and began then. Of several it does not matter which: end_marked() puts them in order.
SealedRows::Entry* SealedRows::find_open(Nanos start, bool is_unknown) {
  for (Nest& nest : nests_)
    for (Entry& entry : nest.stack)
      if (entry.is_open && !entry.is_ending && entry.start == start && !(is_unknown && entry.is_known)) return &entry;
  return nullptr;
}

bool SealedRows::append(std::uint32_t nest_index, std::uint32_t depth, SliceRecord slice) {
  Nest& nest = nests_[nest_index];
  Row& row = nest.rows[depth];
  if (row.is_shared) {
    if (!row.lane.own_memory()) return false;
    row.is_shared = false;
  }
  if (row.lane.is_full()) {
    auto block = make_room(*memory_, row.lane.size());
    if (block == nullptr) return false;
    row.lane.lie_in(std::move(block));
    if (row.lane.is_full()) return false;
  }
  std::uint32_t parent = Lane::kNoParent;
  if (depth > 0) {
    const std::uint32_t above = nest.rows[depth - 1].lane.size();
    parent = nest.stack[depth - 1].is_open ? above : above - 1;
  }
  if (nest_index != 0) {
    slice.flags |= kSliceSpilled;
    ++spilled_;
  }
  row.lane.append(slice, parent);
  ++size_;
  last_end_ = std::max(last_end_, end_of(slice));
  return true;
}

bool SealedRows::take(const SliceRecord& slice, bool is_open) {
  Entry entry;
  entry.start = slice.start;
  entry.is_open = entry.is_known = is_open;
  if (!is_open) entry.end = end_of(slice);
  std::uint32_t n = 0;
  for (; n < nests_.size(); ++n) {
    std::vector<Entry>& stack = nests_[n].stack;
    while (!stack.empty() && !stack.back().is_open && stack.back().end <= slice.start) stack.pop_back();
    if (stack.empty() || (mode_ == NestMode::kNested && entry.end <= stack.back().end)) break;
  }
  if (n == kMostNests) return false;
  if (n == nests_.size()) nests_.emplace_back();
  Nest& nest = nests_[n];
  const auto depth = static_cast<std::uint32_t>(nest.stack.size());
  if (depth == nest.rows.size()) {
    Lane& lane = nest.rows.emplace_back().lane;
    lane.nest = n;
    lane.depth = depth;
    lane.generation = generation_;
  }
  if (!is_open && !append(n, depth, slice)) return false;
  if (depth > 0 && !is_open) {
    Entry& parent = nest.stack.back();
    parent.last_end = std::max(parent.last_end, entry.end);
  }
  last_ = slice;
  nest.stack.push_back(entry);
  return true;
}

bool SealedRows::take_open(const SliceRecord& slice, const std::optional<SliceRecord>& last) {
  if (Entry* known = find_open(slice.start, true)) {
    known->is_known = true;
    return true;
  }
  return !(last && lies_before(slice, *last)) && end_marked() && take(slice, true);
}

bool SealedRows::end_marked() {
  if (endings_.empty()) return true;
  for (std::uint32_t n = 0; n < nests_.size(); ++n)
    if (std::ranges::any_of(nests_[n].stack, &Entry::is_ending) && !end_marked(n)) return false;
  endings_.clear();
  return true;
}

/// Puts ranges that ran, and that ended, where their places are.
bool SealedRows::end_marked(std::uint32_t nest_index) {
  std::vector<Entry>& stack = nests_[nest_index].stack;
  const auto open_end = std::ranges::find_if(stack, [](const Entry& e) { return !e.is_open; });
  // Of ranges that began at the same time only their ends tell which is the outer one. What lies in the inner one lies
  // in both, so they can still change places; but ends of children are known by place.
  for (auto entry = stack.begin(); entry != open_end;) {
    const Nanos start = entry->start;
    const auto group_end = std::find_if(entry, open_end, [start](const Entry& e) { return e.start != start; });
    if (group_end - entry > 1) {
      Nanos children = kMinNanos;
      for (auto e = entry; e != group_end; ++e) children = std::max(children, e->last_end);
      std::stable_sort(entry, group_end, [this](const Entry& a, const Entry& b) {
        if (a.is_ending != b.is_ending) return b.is_ending;
        return a.is_ending && lies_before(endings_[a.ending], endings_[b.ending]);
      });
      for (auto e = entry; e != group_end; ++e) e->last_end = children;
    }
    entry = group_end;
  }
  Nanos outer_end = kMaxNanos;
  for (std::uint32_t depth = 0; depth < stack.size() && stack[depth].is_open; ++depth) {
    Entry& entry = stack[depth];
    if (!entry.is_ending) {
      if (outer_end != kMaxNanos) return false;  // goes on when what it lies in has ended
      continue;
    }
    const Nanos end = end_of(endings_[entry.ending]);
    if (end > outer_end || entry.last_end > end) return false;
    // A child as long as its parent lies above it if it comes first in the file, as it does where ends are heard of.
    const bool has_child = depth + 1 < stack.size() && !stack[depth + 1].is_open;
    if (has_child && stack[depth + 1].start == entry.start && stack[depth + 1].end == end) return false;
    if (!append(nest_index, depth, endings_[entry.ending])) return false;
    entry.end = outer_end = end;
    entry.is_open = entry.is_ending = false;
    if (depth > 0) stack[depth - 1].last_end = std::max(stack[depth - 1].last_end, end);
  }
  return true;
}

bool SealedRows::seal_in_order(std::vector<SliceRun>& runs, std::vector<Nanos> open, Nanos horizon) {
  if (*is_given_up_) return false;
  std::ranges::sort(open);
  for (Nest& nest : nests_)
    for (Entry& entry : nest.stack) entry.is_known = false;
  const std::optional<SliceRecord> last = last_;
  auto next_open = open.begin();
  MergedRuns merged(runs);
  for (bool has_more = true; has_more;) {
    const MergedRuns::Next next = merged.next();
    SliceRecord slice;
    has_more = next.record != nullptr;
    if (has_more) {
      const IdRemap* remap = runs[next.run].remap.get();
      slice = shifted(*next.record, remap);
      if (remap != nullptr) {
        slice.name = (*remap)(slice.name);
        slice.category = (*remap)(slice.category);
      }
      has_more = slice.start < horizon;
    }
    for (; next_open != open.end() && *next_open < horizon && !(has_more && slice.start < *next_open); ++next_open) {
      SliceRecord running;  // as long as can be: of what starts together, it comes first
      running.start = *next_open;
      running.duration = kMaxNanos - std::max<Nanos>(running.start, 0);
      if (!take_open(running, last)) return false;
    }
    if (!has_more) break;
    Entry* const began = last && slice.start <= last->start ? find_open(slice.start, false) : nullptr;
    if (began == nullptr && last && lies_before(slice, *last)) return false;
    if (began != nullptr) {
      began->ending = static_cast<std::uint32_t>(endings_.size());
      endings_.push_back(slice);
      began->is_ending = true;
    } else if (!end_marked() || !take(slice, false)) {
      return false;
    }
    ++runs[next.run].first;
  }
  return end_marked();
}

bool SealedRows::seal(std::vector<SliceRun>& runs, std::vector<Nanos> open, Nanos horizon) {
  const bool is_good = seal_in_order(runs, std::move(open), horizon);
  std::erase_if(runs, [](const SliceRun& run) { return run.size() == 0; });
  if (is_good) return true;
  *is_given_up_ = true;
  PageVector<SliceRecord> ending;
  for (const Nest& nest : nests_)
    for (const Entry& entry : nest.stack)
      if (entry.is_ending) ending.push_back(endings_[entry.ending]);
  std::ranges::sort(ending, lies_before);
  if (!ending.empty()) runs.push_back({std::make_shared<const PageVector<SliceRecord>>(std::move(ending)), nullptr});
  return false;
}

std::optional<NestedRows> SealedRows::finish(std::vector<SliceRun>& runs) {
  for (Nest& nest : nests_)
    for (Row& row : nest.rows) row.lane.sealed = row.lane.size();
  if (!seal(runs, {}, kMaxNanos)) return std::nullopt;
  for (const Nest& nest : nests_)
    if (std::ranges::any_of(nest.stack, &Entry::is_open)) {  // its end was never told
      *is_given_up_ = true;
      return std::nullopt;
    }
  NestedRows out;
  out.nest_count = static_cast<std::uint32_t>(nests_.size());
  out.spilled = spilled_;
  for (Nest& nest : nests_)
    for (Row& row : nest.rows) out.lanes.push_back(std::move(row.lane));
  return out;
}

std::vector<SliceRun> SealedRows::give_up() const {
  std::vector<SliceRun> runs;
  for (const Nest& nest : nests_)
    for (const Row& row : nest.rows) {
      PageVector<SliceRecord> slices;
      slices.reserve(row.lane.size());
      for (std::uint32_t i = 0; i < row.lane.size(); ++i) {
        SliceRecord& slice = slices.emplace_back(row.lane.record(i));
        slice.flags &= static_cast<std::uint16_t>(~kSliceSpilled);
      }
      if (!slices.empty())
        runs.push_back({std::make_shared<const PageVector<SliceRecord>>(std::move(slices)), nullptr});
    }
  return runs;
}

}  // namespace lacuna

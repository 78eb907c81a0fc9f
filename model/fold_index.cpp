#include "model/fold_index.h"

#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "model/busy_index.h"
#include "model/parallel.h"

namespace lacuna {
namespace {

constexpr std::size_t kSlicesPerRun = 8;   // of the finest level
constexpr std::size_t kLeastEntries = 64;  // fewer are not worth a level
constexpr Nanos kWidest = Nanos{1} << 61;

/// Number of the grid cell of `width` (a power of two) in which t lies; floor for negative times.
Nanos cell_of(Nanos t, Nanos width) { return t >> std::countr_zero(static_cast<std::uint64_t>(width)); }

/// As an Entry holds it.
std::uint32_t shortened(Nanos ns) {
  return static_cast<std::uint32_t>(std::clamp<Nanos>(ns, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

/// The runs of the whole row at one width; gives up, with an empty result, beyond `most` runs.
template <class Row>
std::vector<FoldIndex::Entry> FoldIndex::fold_row(const Row& row, Nanos width, std::size_t most) {
  std::vector<Entry> out;
  for (std::uint32_t i = 0; i < row.size();) {
    if (out.size() >= most) return {};
    Entry& entry = out.emplace_back();
    entry.start = row.start(i);
    entry.first = i;
    entry.longest = i;
    Nanos busy = row.duration(i);
    std::uint32_t last = i + 1;
    if (busy < width) {
      const Nanos cell = cell_of(entry.start, width);
      for (Nanos most_ns = busy; last < row.size() && cell_of(row.start(last), width) == cell; ++last) {
        const Nanos duration = row.duration(last);
        if (duration >= width) break;
        busy = saturating_add(busy, duration);
        if (duration > most_ns) {
          most_ns = duration;
          entry.longest = last;
        }
      }
    }
    entry.length = shortened(saturating_sub(row.end(last - 1), entry.start));
    entry.busy = shortened(busy);
    entry.name = row.name(entry.longest);
    entry.category = static_cast<std::uint16_t>(row.category(entry.longest).value);
    entry.flags = row.flags(entry.longest);
    i = last;
  }
  return out;
}

/// The runs at `width` from those at half of it (without their sentinel).
template <class Row>
std::vector<FoldIndex::Entry> FoldIndex::fold_entries(const Row& row, std::span<const Entry> entries,
                                                      Nanos width) {
  std::vector<Entry> out;
  bool is_open = false;  // whether out.back() may still grow
  for (const Entry& entry : entries) {
    const bool is_small = row.duration(entry.longest) < width;
    if (is_open && is_small && cell_of(out.back().start, width) == cell_of(entry.start, width)) {
      Entry& run = out.back();
      const Nanos before = saturating_sub(entry.start, run.start);
      run.length = entry.length == kTooLong ? kTooLong : shortened(saturating_add(before, entry.length));
      run.busy = shortened(Nanos{run.busy} + entry.busy);
      if (row.duration(entry.longest) > row.duration(run.longest)) {
        run.longest = entry.longest;
        run.name = entry.name;
        run.category = entry.category;
        run.flags = entry.flags;
      }
    } else {
      out.push_back(entry);
    }
    is_open = is_small;
  }
  return out;
}

template <class Row>
void FoldIndex::make_levels(const Row& row) {
  if (row.size() < kSlicesPerRun * kLeastEntries) return;
  // The finest level: start where runs would hold that many slices if they were spread evenly.
  const Nanos length = saturating_sub(row.end(row.size() - 1), row.start(0));
  const Nanos spread = std::clamp<Nanos>(length / row.size() * Nanos{kSlicesPerRun / 2}, 1, kWidest);
  auto width = static_cast<Nanos>(std::bit_floor(static_cast<std::uint64_t>(spread)));
  std::vector<Entry> entries;
  for (; width <= kWidest; width *= 2) {
    entries = fold_row(row, width, row.size() / kSlicesPerRun);
    if (!entries.empty()) break;
  }
  Entry sentinel;
  sentinel.first = row.size();
  std::size_t least = entries.size() + 1;  // entries of the last level that was kept
  while (entries.size() >= kLeastEntries) {
    if (entries.size() * 10 <= least * 7 || levels_.empty()) {
      least = entries.size();
      Level& level = levels_.emplace_back();
      level.width = width;
      level.entries.reserve(entries.size() + 1);
      level.entries.assign(entries.begin(), entries.end());
      level.entries.push_back(sentinel);
    }
    if (width >= kWidest) break;
    width *= 2;
    entries = fold_entries(row, entries, width);
  }
}

FoldIndex::FoldIndex(const Lane& lane) { make_levels(lane); }
FoldIndex::FoldIndex(const GapRow& gaps) { make_levels(gaps); }

std::vector<FoldIndex> FoldIndex::build(std::span<const Lane> lanes, unsigned threads) {
  std::vector<std::uint32_t> largest_first(lanes.size());
  std::iota(largest_first.begin(), largest_first.end(), 0u);
  std::ranges::sort(largest_first, std::greater{}, [&](std::uint32_t i) { return lanes[i].size(); });
  std::vector<FoldIndex> out(lanes.size());
  parallel_for(lanes.size(), threads, [&](std::size_t k) {
    out[largest_first[k]] = FoldIndex(lanes[largest_first[k]]);
  });
  return out;
}

const FoldIndex::Level* FoldIndex::level_for(Nanos fold_ns) const {
  const Level* best = nullptr;
  for (const Level& level : levels_) {
    if (level.width / 2 >= fold_ns) break;  // wider than 2 * fold_ns - 1
    best = &level;
  }
  return best;
}

std::size_t FoldIndex::memory_bytes() const {
  std::size_t sum = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) sum += level.entries.capacity() * sizeof(Entry);
  return sum;
}

}  // namespace lacuna

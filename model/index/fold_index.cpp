#include "model/index/fold_index.h"

#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "model/base/parallel.h"
#include "model/base/sealed_tables.h"
#include "model/index/busy_index.h"

namespace lacuna {
namespace {

constexpr std::size_t kSlicesPerRun = 4;   // of the finest level
constexpr std::size_t kLeastEntries = 64;  // fewer are not worth a level
constexpr Nanos kWidest = Nanos{1} << 61;
constexpr Nanos kUnits = Nanos{1} << 14;  // in which a level's width is divided

/// Number of the grid cell of `width` (a power of two) in which t lies; floor for negative times.
Nanos cell_of(Nanos t, Nanos width) {
  return t >> std::countr_zero(static_cast<std::uint64_t>(width));
}

}  // namespace

/// The runs of the whole row at one width; gives up, with an empty result, beyond `most` runs.
template <class Row>
PageVector<FoldIndex::Draft> FoldIndex::fold_row(const Row& row, Nanos width, std::size_t most) const {
  PageVector<Draft> out;
  out.reserve(std::min<std::size_t>(most, last_ - first_));
  for (std::uint32_t i = first_; i < last_;) {
    if (out.size() >= most) return {};
    Draft& draft = out.emplace_back();
    draft.start = row.start(i);
    draft.first = draft.longest = i;
    draft.busy = draft.longest_ns = row.duration(i);
    std::uint32_t last = i + 1;
    if (draft.busy < width) {
      const Nanos cell = cell_of(draft.start, width);
      for (; last < last_ && cell_of(row.start(last), width) == cell; ++last) {
        const Nanos duration = row.duration(last);
        if (duration >= width) break;
        draft.busy = saturating_add(draft.busy, duration);
        if (duration > draft.longest_ns) {
          draft.longest_ns = duration;
          draft.longest = last;
        }
      }
    }
    draft.end = row.end(last - 1);
    draft.flags = row.flags(draft.longest);
    i = last;
  }
  return out;
}

template <class Row>
void FoldIndex::name_drafts(const Row& row, PageVector<Draft>& drafts) const {
  for (std::size_t k = 0; k < drafts.size(); ++k) {
    const std::uint32_t first = drafts[k].first;
    const std::uint32_t last = k + 1 < drafts.size() ? drafts[k + 1].first : last_;
    if (last - first <= DominantName::kMost) {
      for (std::uint32_t i = first; i < last; ++i) drafts[k].names.add(row.name(i), row.category(i), row.duration(i));
    } else {
      DominantNameOfMany names;
      for (std::uint32_t i = first; i < last; ++i) names.add(row.name(i), row.category(i), row.duration(i));
      drafts[k].names = names.best<DominantName::kMost>();
    }
  }
}

void FoldIndex::fold_drafts(PageVector<Draft>& drafts, Nanos width) {
  std::size_t count = 0;
  bool is_open = false;  // whether the last one may still grow
  for (const Draft& draft : drafts) {
    const bool is_small = draft.longest_ns < width;
    if (is_open && is_small && cell_of(drafts[count - 1].start, width) == cell_of(draft.start, width)) {
      Draft& run = drafts[count - 1];
      run.end = draft.end;
      run.busy = saturating_add(run.busy, draft.busy);
      // All names of both, then the best of them: sums only fall short, by what was not kept.
      DominantNameOf<2 * DominantName::kMost> names;
      names.add(run.names);
      names.add(draft.names);
      run.names = names.best<DominantName::kMost>();
      if (draft.longest_ns > run.longest_ns) {
        run.longest_ns = draft.longest_ns;
        run.longest = draft.longest;
        run.flags = draft.flags;
      }
    } else {
      if (&drafts[count] != &draft) drafts[count] = draft;
      ++count;
    }
    is_open = is_small;
  }
  drafts.resize(count);
}

void FoldIndex::keep_level(std::span<const Draft> drafts, Nanos width) {
  Level& level = levels_.emplace_back();
  level.width = width;
  level.unit = std::max<Nanos>(1, width / kUnits);
  PageVector<Entry>& entries = level.entries.own();
  entries.reserve(drafts.size() + 1);
  // Over many slices: to look for the longest one reads a hundred pages a run, which may be on disk.
  if (is_over_parts_) level.longest.reserve(drafts.size());
  for (const Draft& draft : drafts) {
    Entry& entry = entries.emplace_back();
    if (is_over_parts_) level.longest.push_back(draft.longest);
    entry.start = draft.start;
    entry.first = draft.first;
    const DominantName::Name& shown = draft.names.most();
    entry.name = shown.name;
    entry.category = static_cast<std::uint16_t>(shown.category.value);
    const Nanos length = saturating_sub(draft.end, draft.start);
    const Nanos units = length / level.unit + (length % level.unit != 0 ? 1 : 0);
    // One slice that is longer: exactly as long as it is.
    entry.length = units >= kLookUp || draft.longest_ns >= width ? kLookUp : static_cast<std::uint16_t>(units);
    entry.longest = static_cast<std::uint16_t>(std::min<std::uint32_t>(draft.longest - draft.first, kLookUp));
    entry.flags = static_cast<std::uint8_t>(draft.flags);
    entry.busy = length <= 0 ? std::uint8_t{255}
                             : static_cast<std::uint8_t>(std::min(
                                   255.0, static_cast<double>(draft.busy) / static_cast<double>(length) * 255 + 0.5));
  }
  entries.emplace_back().first = last_;
}

void FoldIndex::keep_levels(PageVector<Draft> drafts, Nanos width, bool is_part) {
  std::size_t least = drafts.size() + 1;  // entries of the last level that was kept
  while (drafts.size() >= kLeastEntries || (is_over_parts_ && levels_.empty())) {
    if (drafts.size() * 10 <= least * 7 || levels_.empty()) {
      least = drafts.size();
      keep_level(drafts, width);
    }
    if (width >= kWidest) break;
    width *= 2;
    fold_drafts(drafts, width);
  }
  if (!is_part || drafts.empty()) return;
  widest_.own().assign(drafts.begin(), drafts.end());
  widest_width_ = width;
}

template <class Row>
void FoldIndex::make_levels(const Row& row, bool is_part) {
  last_ = std::min(last_, static_cast<std::uint32_t>(row.size()));
  const std::uint32_t size = last_ - first_;
  const bool has_levels = size >= kSlicesPerRun * kLeastEntries;
  if (size == 0 || !(has_levels || is_part)) return;
  // The finest level: start where runs would hold that many slices if they were spread evenly.
  const Nanos length = saturating_sub(row.end(last_ - 1), row.start(first_));
  const Nanos spread = std::clamp<Nanos>(length / size * Nanos{kSlicesPerRun / 2}, 1, kWidest);
  auto width = static_cast<Nanos>(std::bit_floor(static_cast<std::uint64_t>(spread)));
  PageVector<Draft> drafts;
  for (; width <= kWidest; width *= 2) {
    drafts = fold_row(row, width, has_levels ? size / kSlicesPerRun : size + 1);
    if (!drafts.empty()) break;
  }
  name_drafts(row, drafts);
  keep_levels(std::move(drafts), width, is_part);
}

template <class Row>
std::shared_ptr<const FoldIndex> FoldIndex::lay_over(const Row& row, Parts parts) {
  auto out = std::make_shared<FoldIndex>();
  out->first_ = parts.front()->first_;
  out->last_ = parts.back()->last_;
  out->is_over_parts_ = true;
  Nanos width = 1;
  for (const auto& part : parts) width = std::max(width, part->widest_width_);
  PageVector<Draft> drafts;
  for (const auto& part : parts) {
    // One whose slices are all longer than any level is wide gave up: then they are its drafts.
    const std::span<const Draft> widest = part->widest_.get();
    PageVector<Draft> own(widest.begin(), widest.end());
    if (own.empty()) {
      own = part->fold_row(row, width, part->last_ - part->first_ + 1);
      part->name_drafts(row, own);
    }
    drafts.insert(drafts.end(), own.begin(), own.end());
  }
  fold_drafts(drafts, width);
  out->parts_ = std::move(parts);
  out->keep_levels(std::move(drafts), width, true);
  return out;
}

std::shared_ptr<const FoldIndex> FoldIndex::over(const Lane& lane, Parts parts) {
  return lay_over(lane, std::move(parts));
}
std::shared_ptr<const FoldIndex> FoldIndex::over(const GapRow& gaps, Parts parts) {
  return lay_over(gaps, std::move(parts));
}

FoldIndex::FoldIndex(const Lane& lane) {
  make_levels(lane);
}
FoldIndex::FoldIndex(const Lane& lane, std::uint32_t first, std::uint32_t last) : first_(first), last_(last) {
  make_levels(lane, true);
}
FoldIndex::FoldIndex(const Lane& lane, Parts parts) : parts_(std::move(parts)) {
  if (!parts_.empty()) first_ = parts_.back()->last_;
  make_levels(lane);
}
FoldIndex::FoldIndex(const GapRow& gaps) {
  make_levels(gaps);
}
FoldIndex::FoldIndex(const GapRow& gaps, std::uint32_t first, std::uint32_t last) : first_(first), last_(last) {
  make_levels(gaps, true);
}
FoldIndex::FoldIndex(const GapRow& gaps, Parts parts) : parts_(std::move(parts)) {
  if (!parts_.empty()) first_ = parts_.back()->last_;
  make_levels(gaps);
}

std::vector<FoldIndex> FoldIndex::build(std::span<const Lane> lanes, unsigned threads) {
  std::vector<std::uint32_t> largest_first(lanes.size());
  std::iota(largest_first.begin(), largest_first.end(), 0u);
  std::ranges::sort(largest_first, std::greater{}, [&](std::uint32_t i) { return lanes[i].size(); });
  std::vector<FoldIndex> out(lanes.size());
  parallel_for(lanes.size(), threads,
               [&](std::size_t k) { out[largest_first[k]] = FoldIndex(lanes[largest_first[k]]); });
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

void FoldIndex::seal_in(SealedTables& tables) {
  for (Level& level : levels_) tables.keep(level.entries);
  tables.keep(widest_);
}

std::size_t FoldIndex::memory_bytes() const {
  std::size_t sum = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_)
    sum += level.entries.memory_bytes() + level.longest.capacity() * sizeof(std::uint32_t);
  for (const auto& part : parts_) sum += part->memory_bytes();
  sum += widest_.memory_bytes();
  return sum;
}

}  // namespace lacuna

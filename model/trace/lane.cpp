#include "model/trace/lane.h"

#include <algorithm>
#include <cassert>

#include "model/base/growing_memory.h"

namespace lacuna {
namespace {

// Lanes that grow: from so many slices on, memory comes for so many at a time.
constexpr std::uint32_t kFirstTouched = 1u << 16;
constexpr std::uint32_t kTouchedAhead = 1u << 13;

}  // namespace

std::uint32_t Lane::first_starting_from(Nanos t, std::uint32_t hint) const {
  if (hint == 0) return static_cast<std::uint32_t>(std::lower_bound(starts_, starts_ + size_, t) - starts_);
  // Gallop: frames ask for the next pixel, which is mostly near.
  std::size_t low = hint;
  std::size_t step = 1;
  std::size_t high = low;
  while (high < size_ && starts_[high] < t) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = std::min<std::size_t>(high, size_);
  return static_cast<std::uint32_t>(std::lower_bound(starts_ + low, starts_ + high, t) - starts_);
}

std::uint32_t Lane::first_visible_from(Nanos t) const {
  auto i = static_cast<std::uint32_t>(std::lower_bound(starts_, starts_ + size_, t) - starts_);
  if (i > 0 && end(i - 1) > t) --i;
  return i;
}

std::byte* Lane::lay_columns(std::byte* at, std::uint32_t count, bool with_ids) {
  // Widest first, so that every column is aligned.
  const auto take = [&]<class T>(T*& column) {
    column = reinterpret_cast<T*>(at);
    at += count * sizeof(T);
  };
  take(starts_);
  take(durations_);
  take(offsets_);
  if (with_ids) {
    take(correlations_);
    take(external_ids_);
  }
  take(names_);
  take(parents_);
  take(categories_);
  take(flags_);
  capacity_ = count;
  return at;
}

void Lane::reserve(std::uint32_t count, bool with_ids) {
  assert(capacity_ == 0);
  const std::size_t slice_bytes = with_ids ? 52 : 36;
  block_ = PageBlock(count * slice_bytes);
  [[maybe_unused]] const std::byte* end = lay_columns(block_.data(), count, with_ids);
  assert(end == block_.data() + block_.size());
}

inline void Lane::write(std::uint32_t i, const SliceRecord& slice, std::uint32_t parent) {
  starts_[i] = slice.start;
  durations_[i] = slice.duration;
  offsets_[i] = slice.file_offset;
  if (has_ids()) {
    correlations_[i] = slice.correlation;
    external_ids_[i] = slice.external_id;
  }
  assert(has_ids() || (slice.correlation == 0 && slice.external_id == 0));
  names_[i] = slice.name.value;
  parents_[i] = parent;
  categories_[i] = slice.category;
  flags_[i] = slice.flags;
}

void Lane::put(std::uint32_t i, const SliceRecord& slice, std::uint32_t parent) {
  assert(i < capacity_);
  write(i, slice, parent);
}

void Lane::complete() {
  size_ = capacity_;
  longest_ = LongestIndex({durations_, size_});
}

void Lane::append(const SliceRecord& slice, std::uint32_t parent) {
  assert(size_ < capacity_);
  const std::uint32_t i = size_++;
  if (i > 0 && i % kTouchedAhead == 0) go_on();
  if (!has_ids() && (slice.correlation != 0 || slice.external_id != 0)) {
    lay_growing_columns(capacity_, true);  // where nothing was written yet: those before have zeros
  }
  write(i, slice, parent);
  growing_longest_.append(i, durations_);
}

/// The columns of a block, those of ids and what longest() knows behind the others.
void Lane::lay_growing_columns(std::size_t count, bool with_ids) {
  std::byte* const end = lay_columns(growing_->data(), static_cast<std::uint32_t>(count), false);
  correlations_ = with_ids ? reinterpret_cast<std::uint64_t*>(end) : nullptr;
  external_ids_ = with_ids ? correlations_ + count : nullptr;
  growing_longest_.lie_at(reinterpret_cast<std::uint32_t*>(end + count * 2 * sizeof(std::uint64_t)), capacity_);
}

/// Of the first `count` slices.
std::vector<SealedBytes> Lane::sealed_parts(std::size_t count) const {
  std::vector<SealedBytes> parts;
  const auto add = [&](const auto* column) {
    if (column == nullptr) return;
    const auto begin = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(column) - growing_->data());
    parts.push_back({begin, begin + count * sizeof *column});
  };
  add(starts_);
  add(durations_);
  add(offsets_);
  add(correlations_);
  add(external_ids_);
  add(names_);
  add(parents_);
  add(categories_);
  add(flags_);
  return parts;
}

/// The slices before the last one stay as they are. Has the system give memory for the next ones at once: a fault a
/// page is what growing costs most.
void Lane::go_on() {
  growing_->seal(sealed_parts(size_ - 1));
  if (size_ <= kFirstTouched) return;
  const std::size_t count = std::min(kTouchedAhead, capacity_ - size_ + 1);
  const auto touch = [&](auto* column) { GrowingBlock::touch(column + size_ - 1, count * sizeof *column); };
  touch(starts_);
  touch(durations_);
  touch(offsets_);
  touch(names_);
  touch(parents_);
  touch(categories_);
  touch(flags_);
}

void Lane::lie_in(std::shared_ptr<GrowingBlock> block) {
  const Lane old = same();
  // Whole groups of eight, so that the columns of ids behind the others are aligned.
  const std::size_t most = std::min<std::size_t>(block->size() / kGrowingBytes, kNoParent) / 8 * 8;
  growing_ = std::move(block);
  lay_growing_columns(most, false);
  size_ = 0;
  for (std::uint32_t i = 0; i < old.size(); ++i) append(old.record(i), old.parent(i));
}

Lane Lane::same() const {
  Lane out;
  out.nest = nest;
  out.depth = depth;
  out.track = track;
  out.sealed = sealed;
  out.generation = generation;
  out.growing_ = growing_;
  out.size_ = size_;
  out.capacity_ = capacity_;
  out.starts_ = starts_;
  out.durations_ = durations_;
  out.offsets_ = offsets_;
  out.correlations_ = correlations_;
  out.external_ids_ = external_ids_;
  out.names_ = names_;
  out.parents_ = parents_;
  out.categories_ = categories_;
  out.flags_ = flags_;
  out.growing_longest_ = growing_longest_;
  return out;
}

bool Lane::own_memory() {
  std::shared_ptr<GrowingBlock> copy = growing_->copy(sealed_parts(size_));
  if (copy == nullptr) return false;
  const bool with_ids = has_ids();
  growing_ = std::move(copy);
  lay_growing_columns(capacity_, with_ids);
  return true;
}

SliceRecord Lane::record(std::uint32_t i) const {
  SliceRecord slice;
  slice.start = start(i);
  slice.duration = duration(i);
  slice.file_offset = file_offset(i);
  slice.correlation = correlation(i);
  slice.external_id = external_id(i);
  slice.name = name(i);
  slice.category = static_cast<std::uint16_t>(category(i).value);
  slice.flags = flags(i);
  return slice;
}

std::size_t Lane::memory_bytes() const {
  const std::size_t columns = growing_ == nullptr
                                  ? block_.size()
                                  : std::size_t{size_} * (has_ids() ? 52 : 36) + GrowingLongest::bytes_for(size_);
  return sizeof(Lane) + columns + longest_.memory_bytes();
}

}  // namespace lacuna

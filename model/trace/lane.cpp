#include "model/trace/lane.h"

#include <algorithm>
#include <cassert>

namespace lacuna {

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

void Lane::reserve(std::uint32_t count, bool with_ids) {
  assert(capacity_ == 0);
  const std::size_t slice_bytes = with_ids ? 52 : 36;
  block_ = PageBlock(count * slice_bytes);
  std::byte* at = block_.data();
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
  assert(at == block_.data() + block_.size());
  capacity_ = count;
}

void Lane::append(const SliceRecord& slice, std::uint32_t parent) {
  assert(size_ < capacity_);
  const std::uint32_t i = size_++;
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
  longest_.append(i, slice.duration, durations_);
}

std::size_t Lane::memory_bytes() const {
  return sizeof(Lane) + block_.size() + longest_.memory_bytes();
}

}  // namespace lacuna

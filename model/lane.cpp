#include "model/lane.h"

#include <algorithm>

namespace lacuna {

std::uint32_t Lane::first_starting_from(Nanos t, std::uint32_t hint) const {
  if (hint == 0) return static_cast<std::uint32_t>(std::ranges::lower_bound(starts_, t) - starts_.begin());
  // Gallop: frames ask for the next pixel, which is mostly near.
  std::size_t low = hint;
  std::size_t step = 1;
  std::size_t high = low;
  while (high < starts_.size() && starts_[high] < t) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = std::min(high, starts_.size());
  const auto found = std::lower_bound(starts_.begin() + static_cast<std::ptrdiff_t>(low),
                                      starts_.begin() + static_cast<std::ptrdiff_t>(high), t);
  return static_cast<std::uint32_t>(found - starts_.begin());
}

std::uint32_t Lane::first_visible_from(Nanos t) const {
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), t);
  auto i = static_cast<std::uint32_t>(found - starts_.begin());
  if (i > 0 && end(i - 1) > t) --i;
  return i;
}

void Lane::reserve(std::uint32_t count, bool with_ids) {
  starts_.reserve(count);
  durations_.reserve(count);
  offsets_.reserve(count);
  names_.reserve(count);
  parents_.reserve(count);
  categories_.reserve(count);
  flags_.reserve(count);
  if (with_ids) {
    correlations_.reserve(count);
    external_ids_.reserve(count);
  }
}

void Lane::append(const SliceRecord& slice, std::uint32_t parent) {
  const bool has_ids = slice.correlation != 0 || slice.external_id != 0;
  if (has_ids && correlations_.empty()) {
    correlations_.resize(starts_.size());
    external_ids_.resize(starts_.size());
  }
  if (has_ids || !correlations_.empty()) {
    correlations_.push_back(slice.correlation);
    external_ids_.push_back(slice.external_id);
  }
  starts_.push_back(slice.start);
  durations_.push_back(slice.duration);
  offsets_.push_back(slice.file_offset);
  names_.push_back(slice.name.value);
  parents_.push_back(parent);
  categories_.push_back(slice.category);
  flags_.push_back(slice.flags);
  longest_.append(size() - 1, slice.duration, durations_.data());
}

std::size_t Lane::memory_bytes() const {
  return sizeof(Lane) + starts_.capacity() * 8 + durations_.capacity() * 8 + offsets_.capacity() * 8 +
         names_.capacity() * 4 + parents_.capacity() * 4 + categories_.capacity() * 2 +
         flags_.capacity() * 2 + correlations_.capacity() * 8 + external_ids_.capacity() * 8 +
         longest_.memory_bytes();
}

}  // namespace lacuna

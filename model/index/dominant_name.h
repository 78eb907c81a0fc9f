#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/base/ids.h"
#include "model/base/level_of_detail.h"

namespace lacuna {

/// A name and the total time of its slices.
struct NameTime {
  StringId name = kEmptyString;
  CategoryId category;
  Nanos time = 0;
};

/// Finds the name with the most time in a sequence of slices, in little memory:
/// for the colour of a stretch whose slices are too short to be drawn one by one.
///
/// Exact for up to kKept names; beyond that, each new name replaces the one with the least time, whose
/// time it inherits (the space-saving sketch of Metwally, Agrawal, El Abbadi: "Efficient computation of
/// frequent and top-k elements in data streams", 2005), so that a name with more than 1/kKept of the time
/// is never lost. Ties: the name that was seen first.
template <std::size_t kKept>
class DominantNameOf {
 public:
  static constexpr std::size_t kMost = kKept;
  using Name = NameTime;

  void add(StringId name, CategoryId category, Nanos time) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (names_[i].name != name) continue;
      names_[i].time = saturating_add(names_[i].time, time);
      return;
    }
    if (count_ < kKept) {
      names_[count_++] = {name, category, time};
      return;
    }
    Name& least = *std::min_element(names_.begin(), names_.end(), is_less);
    least = {name, category, saturating_add(least.time, time)};
  }
  /// Adds the names of the run that follows this one.
  template <std::size_t kOther>
  void add(const DominantNameOf<kOther>& other) {
    for (std::size_t i = 0; i < other.size(); ++i) add(other[i].name, other[i].category, other[i].time);
  }

  std::size_t size() const { return count_; }
  const Name& operator[](std::size_t i) const { return names_[i]; }
  /// Returns the name with the most time; there must be one.
  const Name& most() const { return *std::max_element(names_.begin(), names_.begin() + count_, is_less); }
  /// Returns the `kOther` names with the most time, descending; of equals the one seen first comes first.
  template <std::size_t kOther>
  DominantNameOf<kOther> best() const {
    // Insertion sort, descending by time; std::stable_sort() would allocate a buffer.
    DominantNameOf<kOther> out;
    for (std::size_t i = 0; i < count_; ++i) {
      std::size_t place = out.count_;
      while (place > 0 && names_[i].time > out.names_[place - 1].time) --place;
      if (place == kOther) continue;
      if (out.count_ < kOther) ++out.count_;
      std::copy_backward(out.names_.begin() + place, out.names_.begin() + out.count_ - 1,
                         out.names_.begin() + out.count_);
      out.names_[place] = names_[i];
    }
    return out;
  }

 private:
  template <std::size_t>
  friend class DominantNameOf;
  static bool is_less(const Name& a, const Name& b) { return a.time < b.time; }
  std::array<Name, kKept> names_{};
  std::uint32_t count_ = 0;
};

/// Kept by a run while wider runs are made from it.
using DominantName = DominantNameOf<4>;
/// For runs of slices.
using DominantNameOfMany = DominantNameOf<32>;

/// Returns the first slice of [first, last) with the name that has most time in it. O((last - first) * names).
template <class Row>
std::uint32_t dominant_of(const Row& row, std::uint32_t first, std::uint32_t last) {
  // Few slices: their sums fit here; mostly there are two or three names.
  struct Sum {
    StringId name;
    std::uint32_t slice;
    Nanos time;
  };
  std::array<Sum, 16> sums;
  std::size_t count = 0;
  std::size_t best = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const StringId name = row.name(i);
    std::size_t k = 0;
    while (k < count && sums[k].name != name) ++k;
    if (k == sums.size()) continue;  // too many names for one of them to dominate
    if (k == count) sums[count++] = {name, i, 0};
    sums[k].time = saturating_add(sums[k].time, row.duration(i));
    if (sums[k].time > sums[best].time) best = k;
  }
  return sums[best].slice;
}

}  // namespace lacuna

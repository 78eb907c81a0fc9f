#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/base/ids.h"
#include "model/base/level_of_detail.h"

namespace lacuna {

/// A name and the time that slices have it.
struct NameTime {
  StringId name = kEmptyString;
  CategoryId category;
  Nanos time = 0;
};

/// Finds which name takes most time among slices that are seen one after the other, in little memory:
/// the colour of a stretch whose slices are too short to be drawn one by one.
///
/// Exact while there are at most kKept names; of more, each new one takes the place of the least, whose
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
  /// The names of a run that follows this one.
  template <std::size_t kOther>
  void add(const DominantNameOf<kOther>& other) {
    for (std::size_t i = 0; i < other.size(); ++i) add(other[i].name, other[i].category, other[i].time);
  }

  std::size_t size() const { return count_; }
  const Name& operator[](std::size_t i) const { return names_[i]; }
  /// The name with most time; there must be one.
  const Name& most() const { return *std::max_element(names_.begin(), names_.begin() + count_, is_less); }
  /// The `kOther` names with most time, in the order in which they were seen.
  template <std::size_t kOther>
  DominantNameOf<kOther> best() const {
    // Each goes before those with less time; std::stable_sort() would ask malloc for a buffer.
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

/// What a run keeps while wider ones are made of it.
using DominantName = DominantNameOf<4>;
/// For runs of slices.
using DominantNameOfMany = DominantNameOf<32>;

/// The first slice of [first, last) that has the name with most time in it. Cost O((last - first) * names).
template <class Row>
std::uint32_t dominant_of(const Row& row, std::uint32_t first, std::uint32_t last) {
  // Few slices: their sums fit here, and mostly there are two or three names.
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
    if (k == sums.size()) continue;  // too many names for one of them to stand out
    if (k == count) sums[count++] = {name, i, 0};
    sums[k].time = saturating_add(sums[k].time, row.duration(i));
    if (sums[k].time > sums[best].time) best = k;
  }
  return sums[best].slice;
}

}  // namespace lacuna

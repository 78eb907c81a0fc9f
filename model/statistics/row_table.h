#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Finds the row of a (name, category) without hashing: names, or what else rows are told by, are small integers, so a
/// table indexed by them gives the first row of that name; the few rows that share a name but not the category form a
/// chain.
class RowTable {
 public:
  /// Returns the index of the row in `rows`, always the same ones; a new row has its category only.
  template <class Row>
  std::uint32_t row(std::uint32_t name, CategoryId category, std::vector<Row>& rows) {
    if (name >= first_.size()) first_.resize(std::size_t{name} + 1, kNoIndex);
    std::uint32_t* link = &first_[name];
    while (*link != kNoIndex) {
      if (rows[*link].category == category) return *link;
      link = &next_[*link];
    }
    const std::uint32_t index = *link = static_cast<std::uint32_t>(rows.size());
    next_.push_back(kNoIndex);  // invalidates `link`
    rows.emplace_back().category = category;
    return index;
  }

 private:
  std::vector<std::uint32_t> first_;  // by name
  std::vector<std::uint32_t> next_;   // by row
};

}  // namespace lacuna

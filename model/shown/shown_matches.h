#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/search/slice_search.h"
#include "model/shown/shown_rows.h"

namespace lacuna {

/// The positions of a search's matches in rows of their own (ShownRows). Immutable; it shares ownership of
/// both, so that its holder can check whether they are still the current ones.
class ShownMatches {
 public:
  /// O(slices of the affected tracks); for a worker thread.
  static ShownMatches make(const Trace& trace, std::shared_ptr<const ShownRows> rows,
                           std::shared_ptr<const SliceMatches> matches);

  const ShownRows* rows() const { return rows_.get(); }
  const SliceMatches* matches() const { return matches_.get(); }
  /// Returns the indices of matches in the `k`-th row of a changed track, ascending.
  const std::vector<std::uint32_t>& row(TrackId track, std::uint32_t k) const {
    return by_row_[rows_->row_number(track, k)];
  }

 private:
  std::shared_ptr<const ShownRows> rows_;
  std::shared_ptr<const SliceMatches> matches_;
  std::vector<std::vector<std::uint32_t>> by_row_;  // by ShownRows::row_number
};

}  // namespace lacuna

#pragma once

#include <span>

#include "model/trace/lane.h"

namespace lacuna {

/// Returns a row of these slices, which have no parents.
inline Lane lane_of(std::span<const SliceRecord> slices) {
  Lane lane;
  lane.reserve(static_cast<std::uint32_t>(slices.size()), false);
  for (std::uint32_t i = 0; i < slices.size(); ++i) lane.put(i, slices[i], Lane::kNoParent);
  lane.complete();
  return lane;
}

}  // namespace lacuna

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/lane.h"

namespace lacuna {

/// Maps the ids and times of one EventBatch to those of the trace. Only TraceBuilder::shift() changes it later.
struct IdRemap {
  static constexpr std::uint16_t kNoCategory = 0xffff;

  std::vector<StringId> strings;
  std::vector<std::uint16_t> categories;
  Nanos shift_ns = 0;  ///< added to all times

  StringId operator()(StringId id) const { return id.value < strings.size() ? strings[id.value] : kEmptyString; }
  std::uint16_t operator()(std::uint16_t category) const {
    return category < categories.size() ? categories[category] : kNoCategory;
  }
  /// Shifts the times, and clamps the end so that no reader of a lane overflows.
  void shift(SliceRecord& slice) const {
    slice.start = saturating_add(slice.start, shift_ns);
    slice.duration = std::min(slice.duration, saturating_sub(kMaxNanos, std::max<Nanos>(slice.start, 0)));
  }
};

}  // namespace lacuna

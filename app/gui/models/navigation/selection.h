#pragma once

#include "app/gui/models/gaps/gap_list.h"
#include "model/base/ids.h"

namespace lacuna {

/// One slice, one gap or nothing.
struct Selection {
  SliceId slice;
  GapRef gap;
  /// Set as well when the gap stands for one of the whole GPU, which is then what is meant: the part
  /// of it in which the other streams were idle, too.
  DeviceGapRef on_device;
  bool empty() const { return !slice.valid() && !gap.valid(); }
  bool operator==(const Selection&) const = default;
};

}  // namespace lacuna

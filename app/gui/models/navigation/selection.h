#pragma once

#include <cstdint>

#include "app/gui/models/gaps/gap_list.h"
#include "model/base/ids.h"

namespace lacuna {

/// An instant of a track.
struct InstantRef {
  TrackId track;
  std::uint32_t index = 0;  ///< into Track::instants
  bool valid() const { return track.valid(); }
  bool operator==(const InstantRef&) const = default;
};

/// One slice, one gap, one instant or nothing.
struct Selection {
  SliceId slice;
  GapRef gap;
  /// Set as well if the gap stands for one of the whole GPU, which is then what is selected: the part
  /// of it in which the other streams were idle, too.
  DeviceGapRef on_device;
  InstantRef instant = {};
  bool empty() const { return !slice.valid() && !gap.valid() && !instant.valid(); }
  bool operator==(const Selection&) const = default;
};

}  // namespace lacuna

#pragma once

#include "model/trace/trace.h"

namespace lacuna {

/// What the file says of the GPU of this number; null where it says nothing. The trace's.
inline const DeviceProperties* find_device(const Trace& trace, SourceId source, StringId device) {
  for (const DeviceProperties& properties : trace.sources()[source.value].devices)
    if (properties.id == trace.text(device)) return &properties;
  return nullptr;
}
/// The same of the GPU that a track is of.
inline const DeviceProperties* find_device(const Trace& trace, const Track& track) {
  return find_device(trace, trace.process(track.process).source, track.device);
}

}  // namespace lacuna

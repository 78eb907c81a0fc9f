#pragma once

#include "model/trace/trace.h"

namespace lacuna {

/// Returns the properties of the GPU with this number; null if the file has none. Owned by the trace.
inline const DeviceProperties* find_device(const Trace& trace, SourceId source, StringId device) {
  for (const DeviceProperties& properties : trace.sources()[source.value].devices)
    if (properties.id == trace.text(device)) return &properties;
  return nullptr;
}
/// Returns the properties of a track's GPU.
inline const DeviceProperties* find_device(const Trace& trace, const Track& track) {
  return find_device(trace, trace.process(track.process).source, track.device);
}

}  // namespace lacuna

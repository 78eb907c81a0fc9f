#pragma once

#include <cstdint>
#include <string>

#include "model/export/event_sink.h"

namespace lacuna {

/// A copy of an event that waits until it is known whether and when to pass it to a sink.
struct HeldEvent {
  enum class Kind : std::uint8_t { kSlice, kInstant, kAsync, kFlow };

  Kind kind = Kind::kSlice;
  bool flag = false;  ///< is_open of slices, is_begin of asyncs, is_counter of instants
  StreamedTrack track;
  StreamedTrack to;  ///< only for flows
  Nanos time = 0;
  Nanos length = 0;          ///< duration of slices; end time of flows
  std::uint64_t number = 0;  ///< correlation or id
  std::string name, category, args;

  explicit HeldEvent(const StreamedSlice& slice);
  explicit HeldEvent(const StreamedInstant& instant);
  explicit HeldEvent(const StreamedAsync& async);
  explicit HeldEvent(const StreamedFlow& flow);
  void pass_to(EventSink& sink) const;
};

}  // namespace lacuna

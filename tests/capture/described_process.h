#pragma once
// A process of a session whose records are written by a test.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "capture/session/process_decoder.h"

namespace lacuna {

/// `Sink`: an EventSink that keeps the decoder's output.
template <class Sink>
struct DescribedProcess {
  explicit DescribedProcess(const ClockMap& clock_map, std::uint32_t index = 0)
      : clocks(clock_map), decoder({4711, index, wire::ClockKind::kMonotonic, {}, "target"}, clocks, sink, messages) {}

  template <class Record>
  void put(const Record& record, std::uint64_t ring) {
    std::vector<wire::Slot> slots(sizeof record / sizeof(wire::Slot));
    std::memcpy(static_cast<void*>(slots.data()), &record, sizeof record);
    decoder.read(ring, slots, true);
  }
  std::uint32_t text(std::string_view text) {
    std::vector<wire::Slot> slots(1 + wire::text_slots(text.size()));
    wire::RecordHead head;
    head.type = wire::RecordType::kString;
    head.name = next_name;
    head.time = text.size();
    std::memcpy(static_cast<void*>(slots.data()), &head, sizeof head);
    std::memcpy(static_cast<void*>(slots.data() + 1), text.data(), text.size());
    decoder.read(wire::kControlRing, slots, true);
    return next_name++;
  }

  ClockMap clocks;
  Sink sink;
  std::vector<CaptureMessage> messages;
  std::uint32_t next_name = wire::kFirstName;
  ProcessDecoder decoder;
};

}  // namespace lacuna

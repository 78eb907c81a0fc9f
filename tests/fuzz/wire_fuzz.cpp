// Records of a hostile target: any bytes in any ring must be counted or shown, never crash the viewer.
#include <cstring>
#include <vector>

#include "capture/session/batch_sink.h"
#include "capture/session/process_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  static const ClockMap clocks({1'000'000, 1'790'000'000'000'000'000, 3'000'000},
                               {21'000'000, 1'790'000'000'020'000'000, 63'000'000});
  BatchSink sink;
  std::vector<CaptureMessage> messages;
  ProcessDecoder decoder({1, 0, size % 2 == 0 ? wire::ClockKind::kTsc : wire::ClockKind::kMonotonic, {}, "x"}, clocks,
                         sink, messages);
  // Each round: which ring, how many slots, the slots.
  while (size >= 2) {
    const std::uint64_t ring = data[0] % 5;
    std::vector<wire::Slot> slots(std::min<std::size_t>(data[1], (size - 2) / sizeof(wire::Slot)));
    if (!slots.empty()) std::memcpy(static_cast<void*>(slots.data()), data + 2, slots.size() * sizeof(wire::Slot));
    decoder.read(ring, slots, ring % 2 == 0);
    const std::size_t used = 2 + slots.size() * sizeof(wire::Slot);
    data += used;
    size -= used;
  }
  decoder.finish();
  (void)sink.take();
  return 0;
}

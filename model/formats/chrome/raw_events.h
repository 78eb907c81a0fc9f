#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/base/result.h"
#include "model/build/raw_event.h"
#include "model/formats/chrome/event_walker.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Writes down the events of one part of a file as they stand there (RawEvent). Times are what a reader that takes
/// numbers with a fraction as doubles makes of them, as Perfetto does: exact below 2^53 ns, some 256 ns coarse for
/// microseconds since 1970.
class RawEvents {
 public:
  explicit RawEvents(RawEventList& list) : list_(list) {}
  void add(const EventWalker& tokens, const EventFields& fields, std::uint64_t file_offset);

 private:
  StringId text(std::string_view token);

  RawEventList& list_;
  std::string scratch_;
};

/// Gets one part of the file after the other, in its order, and what was read around the events until then: of
/// TraceSource only metadata and the like. The last call has no events, and all that stands behind them.
using RawEventSink = std::function<void(RawEventList, const TraceSource& facts)>;

/// Reads the events of a source again, from the bytes that it kept. Blocking; the sink is called by this thread.
/// Errors: kUnsupported without bytes, kNotReadable when the file changed, kCancelled, kLimit without memory.
Result<void> read_raw_events(const TraceSource& source, unsigned threads, const std::atomic<bool>* cancel,
                             const RawEventSink& sink);

}  // namespace lacuna

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

/// Stores the events of one part of a file as written (RawEvent). Times are as parsed by readers that use
/// doubles for numbers with a fraction, like Perfetto: exact below 2^53 ns, with steps of some 256 ns for
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

/// Receives one part of the file after the other, in file order, and all that was read around the events so far: in
/// TraceSource only metadata and the like. The last call has no events, and all that follows them.
using RawEventSink = std::function<void(RawEventList, const TraceSource& facts)>;

/// Reads the events of a source again, from its stored bytes. Blocking; the sink is called on this thread.
/// Errors: kUnsupported without bytes, kNotReadable if the file changed, kCancelled, kLimit if out of memory.
Result<void> read_raw_events(const TraceSource& source, unsigned threads, const std::atomic<bool>* cancel,
                             const RawEventSink& sink);

}  // namespace lacuna

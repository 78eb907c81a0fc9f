// Eight times the input, at most 2.5 times the cost for each doubling. Each byte of a trace is walked once for the
// index, and those of each event once more to read it: that is the floor.

#include <functional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/perfetto_maker.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using namespace perfetto;

struct GrowingTrace {
  const char* dimension;
  std::size_t count;  // of the small one
  std::function<void(std::size_t, TraceText&)> make;
};

Message interned_packet(std::int64_t flags, std::int64_t id, std::string_view name) {
  return Message()
      .number(kSequenceId, 1)
      .number(kSequenceFlags, flags)
      .message(kInternedData, Message().message(kInternedEventName, interned_name(id, name)));
}

const GrowingTrace kGrowing[] = {
    {"slices, one behind the other", 1000,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i)
         trace.event(10 * static_cast<std::int64_t>(i), begin(2, "a"))
             .event(10 * static_cast<std::int64_t>(i) + 5, end(2));
     }},
    {"all begins, then all ends", 1000,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) trace.event(10 * static_cast<std::int64_t>(i), begin(2, "a"));
       for (std::size_t i = 0; i < count; ++i) trace.event(10 * static_cast<std::int64_t>(i) + 10, end(2));
     }},
    {"tracks", 500,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) {
         const auto uuid = static_cast<std::int64_t>(100 + i);
         trace.track(Message().number(1, uuid).number(5, 2).text(2, fmt::format("track {}", i)));
         trace.event(10, begin(100 + i, "a")).event(20, end(100 + i));
       }
     }},
    {"threads, and counters of each", 800,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) {
         trace.thread(100 + i, 5, static_cast<std::int64_t>(100 + i), fmt::format("thread {}", i));
         trace.event(10, begin(100 + i, "a").number(kThreadTimeAbsolute, 5)).event(20, end(100 + i));
       }
     }},
    {"names", 1000,
     [](std::size_t count, TraceText& trace) {
       trace.add(interned_packet(1, 1, "first"));
       for (std::size_t i = 2; i < count; ++i) {
         const auto id = static_cast<std::int64_t>(i);
         trace.add(interned_packet(2, id, fmt::format("name {}", i)));
         trace.event(id, Message().number(kEventType, kInstant).number(kEventTrack, 2).number(kEventNameId, id));
       }
     }},
    {"times that the state is cleared", 1000,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) {
         trace.add(interned_packet(1, 1, "name"));
         trace.event(static_cast<std::int64_t>(i),
                     Message().number(kEventType, kInstant).number(kEventTrack, 2).number(kEventNameId, 1));
       }
     }},
    {"arrows of one flow", 200,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i)
         trace.event(10 * static_cast<std::int64_t>(i), begin(2, "a").fixed(kFlowIds, 7))
             .event(10 * static_cast<std::int64_t>(i) + 5, end(2));
     }},
    {"snapshots of clocks", 1000,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) {
         const auto time = static_cast<std::int64_t>(1000 * (i + 1));
         trace.add(packet(0).message(kClockSnapshot, Message()
                                                         .message(1, Message().number(1, 3).number(2, time))
                                                         .message(1, Message().number(1, 6).number(2, time + 5))));
         trace.add(packet(time).number(kPacketClock, 3).message(kTrackEvent, begin(2, "a")));
         trace.add(packet(time + 9).number(kPacketClock, 3).message(kTrackEvent, end(2)));
       }
     }},
    {"samples of a GPU's counters", 1000,
     [](std::size_t count, TraceText& trace) {
       trace.add(packet(1).message(
           kGpuCounterEvent, Message().message(1, Message().message(1, Message().number(1, 9).text(2, "power")))));
       for (std::size_t i = 0; i < count; ++i)
         trace.add(packet(static_cast<std::int64_t>(i))
                       .message(kGpuCounterEvent, Message().message(2, Message().number(1, 9).number(2, 5))));
     }},
    {"render stages on queues of their own, each waited for", 600,
     [](std::size_t count, TraceText& trace) {
       for (std::size_t i = 0; i < count; ++i) {
         const auto id = static_cast<std::int64_t>(i + 1);
         trace.add(packet(10 * id).message(
             kGpuRenderStageEvent, Message().number(1, id).number(2, 5).number(3, id).number(4, 1).number(18, id - 1)));
       }
     }},
    {"args of one event", 2000,
     [](std::size_t count, TraceText& trace) {
       Message event = begin(2, "a");
       for (std::size_t i = 0; i < count; ++i)
         event.message(kDebugAnnotations, annotation(fmt::format("key {}", i), 1));
       trace.event(10, event).event(20, end(2));
     }},
    {"times that one arg is told", 1000,
     [](std::size_t count, TraceText& trace) {
       Message event = begin(2, "a");
       for (std::size_t i = 0; i < count; ++i)
         event.message(kDebugAnnotations,
                       Message().text(10, "arg").message(11, annotation(fmt::format("key {}", i), 1)));
       trace.event(10, event).event(20, end(2));
     }},
};

}  // namespace

TEST_CASE("a trace of Perfetto twice as large costs two and a half times as much at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingTrace& growing : kGrowing) {
    const TemporaryFolder folder;
    std::string paths[2];
    for (std::size_t large = 0; large < 2; ++large) {
      TraceText trace;
      trace.thread(2, 5, 7, "main");
      growing.make(growing.count * (large == 0 ? 1 : kGrowth), trace);
      paths[large] = folder.write(fmt::format("{}.pftrace", large), trace.text());
    }
    check_growth(growing.dimension, [&](bool is_large, std::string& answer) {
      const auto trace = import_files(std::span(&paths[is_large ? 1 : 0], 1));
      REQUIRE(trace.has_value());
      answer = fmt::format("{}", trace->slice_count());
    });
  }
}

}  // namespace lacuna

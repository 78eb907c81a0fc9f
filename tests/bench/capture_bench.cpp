// What one range costs on the viewer's side, stage by stage: nested pairs of push and pop, as a ring hands them
// over every 10 ms at 2 M ranges a second, go through the decoder into more and more of what a live recording
// does.   bench_capture [MILLIONS OF RANGES]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "capture/session/batch_sink.h"
#include "capture/session/process_decoder.h"
#include "capture/session/recording_spool.h"
#include "model/build/trace_builder.h"

namespace {

using namespace lacuna;

constexpr std::size_t kRangesInRound = 20'000;
constexpr std::uint32_t kPid = 4'194'000;

struct Nowhere : EventSink {
  void add(const StreamedSlice&) override {}
  void add(const StreamedInstant&) override {}
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow&) override {}
  void add(const StreamedName&) override {}
  void add(const StreamedDevice&) override {}
};

template <class Record>
void append(std::vector<wire::Slot>& slots, const Record& record) {
  const std::size_t at = slots.size();
  slots.resize(at + sizeof record / wire::kSlotBytes);
  std::memcpy(static_cast<void*>(slots.data() + at), &record, sizeof record);
}

std::vector<wire::Slot> names() {
  std::vector<wire::Slot> slots;
  std::uint32_t id = wire::kFirstName;
  for (const char* text : {"outer", "aten::mm"}) {
    append(slots, wire::RecordHead{std::strlen(text), id++, 0, wire::RecordType::kString, 0});
    wire::Slot bytes;
    std::memcpy(&bytes, text, std::strlen(text));
    slots.push_back(bytes);
  }
  return slots;
}

/// "outer" with one "aten::mm" inside, over and over.
std::vector<wire::Slot> round_of(std::uint64_t& time) {
  std::vector<wire::Slot> slots;
  const auto add = [&](wire::RecordType type, std::uint32_t name, std::uint8_t depth) {
    append(slots, wire::RecordHead{time += 60, name, 0, type, depth});
  };
  for (std::size_t i = 0; i < kRangesInRound; i += 2) {
    add(wire::RecordType::kPush, wire::kFirstName, 0);
    add(wire::RecordType::kPush, wire::kFirstName + 1, 1);
    add(wire::RecordType::kPop, wire::kNoName, 1);
    add(wire::RecordType::kPop, wire::kNoName, 0);
  }
  return slots;
}

double last_ns = 0;

/// Best ns a range of all rounds in five tries: `sink` takes the events, `after` ends a round.
void measure(const char* what, std::size_t rounds, EventSink& sink, const std::function<void()>& after) {
  std::uint64_t time = 1'000'000'000;
  ClockMap clocks({time, time, time}, {time + 1000, time + 1000, time + 1000});
  std::vector<CaptureMessage> messages;
  ProcessDecoder decoder({kPid, 0, wire::ClockKind::kMonotonic, {}, "bench"}, clocks, sink, messages);
  decoder.read(wire::kControlRing, names(), true);
  wire::ThreadRecord thread;
  thread.head.type = wire::RecordType::kThread;
  thread.head.time = time;
  thread.tid = kPid + 1;
  std::vector<wire::Slot> slots;
  append(slots, thread);
  decoder.read(wire::kFirstThreadRing, slots, true);
  double best = 1e9;
  double spent = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    slots = round_of(time);
    const auto begin = std::chrono::steady_clock::now();
    decoder.read(wire::kFirstThreadRing, slots, true);
    after();
    spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (round % (rounds / 5) == rounds / 5 - 1) {
      best = std::min(best, spent * 1e9 / static_cast<double>(rounds / 5 * kRangesInRound));
      spent = 0;
    }
  }
  std::printf("%-48s %6.1f ns a range, %+6.1f\n", what, best, best - last_ns);
  last_ns = best;
}

}  // namespace

int main(int argc, char** argv) {
  const double millions = argc > 1 ? std::atof(argv[1]) : 4;
  const std::size_t rounds = std::max<std::size_t>(5, static_cast<std::size_t>(millions * 1e6 / kRangesInRound));

  Nowhere nowhere;
  measure("decoding", rounds, nowhere, [] {});
  BatchSink batches;
  measure("and batches", rounds, batches, [&] { (void)batches.take(); });
  measure("and sealed", rounds, batches, [&] { batches.take().seal(); });
  auto spool = RecordingSpool::create("/tmp/lacuna_bench", &batches);
  if (!spool) return std::printf("%s\n", spool.error().message().c_str()), 1;
  (*spool)->begin(0);
  measure("and JSON in a file", rounds, **spool, [&] {
    (*spool)->flush();
    batches.take().seal();
  });
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  measure("and added to the model (another thread's)", rounds, **spool, [&] {
    (*spool)->flush();
    EventBatch batch = batches.take();
    batch.seal();
    builder.add(source, std::move(batch));
  });
  std::printf("%.1f bytes of JSON a range\n",
              static_cast<double>((*spool)->bytes_written()) / static_cast<double>((*spool)->events()));
  const auto begin = std::chrono::steady_clock::now();
  const Trace trace = builder.finish(1);
  std::printf("finishing %.1f M slices: %.1f ns a slice\n", static_cast<double>(trace.slice_count()) / 1e6,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e9 /
                  static_cast<double>(trace.slice_count()));
  return 0;
}

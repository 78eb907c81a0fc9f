#include "model/formats/perfetto/perfetto_events.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "model/formats/chrome/json_text.h"
#include "model/formats/perfetto/event_writer.h"
#include "model/formats/perfetto/flow_arrows.h"
#include "model/formats/perfetto/gpu_work_writer.h"
#include "model/formats/perfetto/packet_kinds.h"
#include "model/formats/perfetto/packet_reader.h"
#include "model/formats/perfetto/slice_pairs.h"
#include "model/formats/perfetto/trace_index.h"
#include "model/formats/trace_sink.h"
#include "model/formats/wire_message.h"
#include "model/input/memory_room.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::size_t kEventsBetweenQuestions = 4096;

void report_end(const PacketReader& reader, ImportReport& report) {
  if (reader.end() == PacketReader::End::kCutOff) report.add(Finding::kUnterminated, reader.offset());
  if (reader.end() == PacketReader::End::kNotATrace)
    report.add(Finding::kEventUnreadable, reader.offset(), "no packet of a trace, nor what follows it");
  report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, "a compressed packet", reader.damaged());
}

/// Of clocks that count from 1970, whole days: times of microseconds with three digits are then exact in a double, as
/// which other programs read them.
Nanos shift_of(const TraceIndex& index) {
  constexpr Nanos kSecond = 1'000'000'000, kDay = 86'400 * kSecond, kSince1970 = 1'000'000'000 * kSecond;
  const Nanos first = index.first_time();
  return first < kSince1970 ? 0 : first / kDay * kDay;
}

/// An end without a begin: that of a slice that began before the range that the recorder was asked for, or a lost one.
void report_unmatched(const IndexedEvent& end, TraceIndex& index, ImportReport& report) {
  const auto begun = index.begun_before_range.find(end.track);
  const bool is_known = begun != index.begun_before_range.end() && begun->second > 0;
  if (is_known) --begun->second;
  report.add(is_known ? Finding::kBeforeRange : Finding::kUnmatchedEnd, end.place.reported());
}

void write_events(TraceIndex& index, std::span<const std::uint32_t> partners, PacketReader& reader,
                  ImportReport& report, TraceSink& sink) {
  EventWriter events(index, reader, sink);
  GpuWorkWriter work(index, reader, sink, report);
  std::size_t done = 0;
  for (const std::uint32_t number : order_of_time(index.events)) {
    if (++done % kEventsBetweenQuestions == 0 && !sink.state()) return;
    const IndexedEvent& event = index.events[number];
    const std::uint32_t partner = partners[number];
    using Kind = IndexedEvent::Kind;
    switch (event.kind) {
      case Kind::kRenderStage:
        work.write(event);
        break;
      case Kind::kGpuLog:
        work.write_log(event);
        break;
      case Kind::kQueueSubmit:
        work.write_submit(event);
        break;
      case Kind::kEnd:
        if (partner == kNoPartner) report_unmatched(event, index, report);
        break;
      default:
        events.write(event, partner == kNoPartner ? nullptr : &index.events[partner]);
    }
  }
  ArrowWriter arrows(sink);
  write_flows(index, partners, arrows);
  work.finish(events.waiting(), arrows);
}

Result<void> read_perfetto(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  PacketReader reader(input.bytes, input.options.max_json_bytes);
  TraceIndex index;
  if (auto walked = index_trace(reader, input, facts.report, index); !walked) {
    return fail(walked.error().code, walked.error().cause, input.path);
  }
  report_end(reader, facts.report);
  std::uint64_t unread = 0;
  for (const auto& [field, packets] : index.unread_packets) unread += packets;
  facts.report.add(Finding::kPacketNotRead, ImportReport::kNoOffset, describe_unread(index.unread_packets), unread);
  index.tracks.place_all();

  TraceSink sink(input, facts, receive);
  const Nanos shift = shift_of(index);
  index.shift_times(-shift);
  const auto base = index.clocks.base_time();
  if (base || shift != 0) sink.base_time(base.value_or(0) + shift);
  for (const DeviceProperties& device : index.devices) sink.device(device);
  for (const auto& [key, text] : index.facts) sink.fact(key, text);
  const std::vector<std::uint32_t> partners = pair_slices(index.events);
  write_events(index, partners, reader, facts.report, sink);
  std::size_t samples = 0;
  index.counters.write(index.tracks, sink,
                       [&] { return ++samples % kEventsBetweenQuestions != 0 || sink.state().has_value(); });
  index.tracks.write_names(sink);
  return sink.finish();
}

/// Text that begins with a line end, which is also the tag of a packet.
bool begins_with_json(std::string_view head) {
  const auto first = std::ranges::find_if_not(head, is_json_space);
  return first == head.end() || ((*first == '{' || *first == '[') && [&] {
           const auto second = std::find_if_not(first + 1, head.end(), is_json_space);
           return second == head.end() ||
                  std::string_view("\"{}[]-0123456789tfn").find(*second) != std::string_view::npos;
         }());
}

/// The first packet, as much of it as `head` has.
bool recognises_perfetto(std::string_view head, bool) {
  if (head.size() < 3 || head[0] != '\x0a' || begins_with_json(head)) return false;
  const WireVarint size = read_varint(head.substr(1));
  if (size.size == 0 || size.value == 0 || size.value > PacketReader::kLargestPacket) return false;
  const std::string_view packet = head.substr(1 + size.size);
  if (size.value < packet.size() && packet[static_cast<std::size_t>(size.value)] != '\x0a') return false;
  return begins_packet(packet, size.value);
}

}  // namespace

constinit const Format kPerfettoFormat{.title = "Perfetto protobuf",
                                       .endings = {".pftrace", ".perfetto-trace", ".pb"},
                                       .recognises = recognises_perfetto,
                                       .text = Format::Text::kMade,
                                       .read = read_perfetto};

}  // namespace lacuna

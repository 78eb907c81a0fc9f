#include "model/formats/perfetto/trace_index.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/formats/perfetto/debug_annotations.h"
#include "model/formats/perfetto/event_outline.h"
#include "model/formats/perfetto/packet_fields.h"
#include "model/formats/perfetto/packet_kinds.h"
#include "model/formats/wire_message.h"
#include "model/input/memory_room.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

using IndexKind = IndexedEvent::Kind;
using Role = IndexedFlow::Role;

constexpr std::size_t kPacketsBetweenChecks = 1 << 14;

/// What packets of one sequence build on each other for.
struct Sequence {
  bool is_valid = false;  // its state has begun, and nothing of it was lost
  InternedData::Generation interned = InternedData::kNone;
  std::uint32_t clock = 0;  // of timestamps without one; 0: the trace's
  std::uint64_t track = 0;
  std::vector<std::uint64_t> counters, real_counters;  // tracks of extra counters, by place
  std::optional<SinkThread> thread;                    // of legacy events without a track
  Nanos reference_us = 0, thread_time_us = 0, instructions = 0;
  std::unordered_map<std::uint64_t, double, SeededHash> sums;  // of incremental counters
};

/// What of a packet is needed to place its event.
struct Packet {
  PacketPlace place;
  std::optional<std::uint64_t> timestamp;
  std::uint32_t clock = 0;
  std::uint32_t sequence = 0;
  std::uint64_t machine = 0;  // each counts its own sequences
};

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

class Indexer {
 public:
  Indexer(PacketReader& reader, const FormatInput& input, ImportReport& report, TraceIndex& index)
      : reader_(reader),
        progress_(input.progress),
        counts_bytes_(input.progress != nullptr && input.bytes.known_size().has_value()),
        report_(report),
        index_(index) {}

  Result<void> run() {
    while (const auto packet = reader_.next()) {
      take(*packet);
      if (++packets_ % kPacketsBetweenChecks != 0) continue;
      count_bytes();
      if (progress_ != nullptr && progress_->cancel) return fail(ErrorCode::kCancelled, "cancelled");
      // Of all that is kept here: events, what sequences intern, tracks, samples.
      if (auto room = check_memory("a part of the file"); !room) return room;
    }
    count_bytes();
    if (!reader_.state()) return reader_.state();
    return packets_ > 0 ? Result<void>() : fail(ErrorCode::kNotATrace, "no packets of a Perfetto trace");
  }

 private:
  /// Of a file that is read where it lies; what is decompressed is counted where that is done.
  void count_bytes() {
    if (counts_bytes_) progress_->bytes_done += reader_.offset() - std::exchange(counted_, reader_.offset());
  }

  void take(const PacketReader::Packet& bytes) {
    Packet packet;
    packet.place = bytes.place;
    std::uint64_t flags = 0;
    bool is_cleared = false, has_lost = false;
    std::string_view interned, defaults;
    std::optional<WireField> content;
    WireMessage message(bytes.bytes);
    for (WireField field; message.next(field);) {
      switch (field.number) {
        case kPacketTimestamp:
          packet.timestamp = field.value;
          break;
        case kPacketClock:
          packet.clock = static_cast<std::uint32_t>(field.value);
          break;
        case kSequenceId:
          packet.sequence = static_cast<std::uint32_t>(field.value);
          break;
        case kMachineId:
          packet.machine = field.value;
          break;
        case kSequenceFlags:
          flags = field.value;
          break;
        case kStateCleared:
          is_cleared = field.flag();
          break;
        case kPreviousDropped:
          has_lost = field.flag();
          break;
        case kInternedData:
          interned = field.bytes;
          break;
        case kPacketDefaults:
          defaults = field.bytes;
          break;
        case kCompressedPackets:
        case kZstdCompressedPackets:
          return reader_.enter(field.bytes, field.number == kZstdCompressedPackets);
        default:
          if (is_event(field.number)) {
            content = field;
          } else if (is_unread_packet(field.number)) {
            ++index_.unread_packets[field.number];
            if (field.number == kStreamingProfile) content = field;
          }
      }
    }
    if (message.is_broken()) return report_.add(Finding::kEventUnreadable, packet.place.reported(), "a packet");
    Sequence& sequence = sequences_[packet.machine << 32 | packet.sequence];
    if (has_lost) {
      report_.add(Finding::kPacketsLost, packet.place.reported());
      sequence.is_valid = false;
    }
    if (is_cleared || (flags & kFlagStateCleared) != 0) {
      sequence.is_valid = true;
      sequence.interned = InternedData::kNone;
      sequence.clock = 0;
      sequence.track = 0;
      sequence.counters.clear();
      sequence.real_counters.clear();
      sequence.sums.clear();
    }
    if (!interned.empty()) {
      if (sequence.interned == InternedData::kNone) sequence.interned = index_.interned.begin();
      index_.interned.add(sequence.interned, interned);
    }
    if (!defaults.empty()) take_defaults(defaults, sequence);
    if (!content) return;
    if ((flags & kFlagNeedsState) != 0 && !sequence.is_valid)
      return report_.add(Finding::kPacketWithoutState, packet.place.reported());
    take_content(*content, packet, sequence);
  }

  static bool is_event(std::uint32_t field) {
    switch (field) {
      case kProcessTree:
      case kClockSnapshot:
      case kTrackEvent:
      case kThreadDescriptor:
      case kGpuCounterEvent:
      case kGpuRenderStageEvent:
      case kTrackDescriptor:
      case kGpuLog:
      case kVulkanApiEvent:
      case kGpuMemoryTotal:
      case kGpuInfo:
      case kGpuFrequency:
      case kRangeOfInterest:
        return true;
      default:
        return false;
    }
  }

  static void take_defaults(std::string_view message, Sequence& sequence) {
    sequence.clock = 0;
    sequence.track = 0;
    sequence.counters.clear();
    sequence.real_counters.clear();
    WireMessage defaults(message);
    for (WireField field; defaults.next(field);) {
      if (field.number == kPacketClock) sequence.clock = static_cast<std::uint32_t>(field.value);
      if (field.number != kTrackEvent) continue;
      WireMessage of_events(field.bytes);
      for (WireField part; of_events.next(part);) {
        if (part.number == kEventTrack) sequence.track = part.value;
        if (part.number != kExtraCounterTracks && part.number != kExtraDoubleCounterTracks) continue;
        auto& tracks = part.number == kExtraCounterTracks ? sequence.counters : sequence.real_counters;
        for_each_number(part, WireField::Type::kVarint, [&](std::uint64_t track) { tracks.push_back(track); });
      }
    }
  }

  void take_content(const WireField& content, const Packet& packet, Sequence& sequence) {
    switch (content.number) {
      case kClockSnapshot:
        return index_.clocks.add_snapshot(content.bytes, packet.sequence);
      case kProcessTree:
        return index_.tracks.add_process_tree(content.bytes);
      case kTrackDescriptor: {
        const TrackTable::Described described = index_.tracks.describe(content.bytes);
        if (described.thread) sequence.thread = described.thread;
        return;
      }
      case kThreadDescriptor:
        return take_thread(content.bytes, sequence);
      case kStreamingProfile:
        return take_profile_times(content.bytes, sequence);
      case kGpuInfo:
        return take_gpus(content.bytes);
      case kRangeOfInterest:
        return take_range(content.bytes, packet);
      case kTrackEvent:
        return take_event(content.bytes, packet, sequence);
      case kGpuCounterEvent: {
        const std::uint64_t lost =
            index_.counters.add_event(content.bytes, time_of(packet, sequence), index_.interned, sequence.interned);
        return report_.add(packet.timestamp ? Finding::kCounterNotNumeric : Finding::kTimestampMissing,
                           packet.place.reported(), "a GPU counter without a specification", lost);
      }
      default:
        break;
    }
    const auto time = time_of(packet, sequence);
    if (content.number == kGpuRenderStageEvent) return note_render_stage(content.bytes, packet, sequence, time);
    if (!time) return report_.add(Finding::kTimestampMissing, packet.place.reported());
    if (content.number == kGpuFrequency || content.number == kGpuMemoryTotal) {
      std::int64_t gpu = 0;
      std::uint64_t value = 0;
      const std::uint32_t place = content.number == kGpuFrequency ? 2 : 3;
      bool is_whole = true;  // not of one process
      WireMessage event(content.bytes);
      for (WireField field; event.next(field);) {
        if (field.number == 1) gpu = static_cast<std::int32_t>(field.value);
        if (field.number == place) value = field.value;
        if (field.number == 2 && place == 3 && field.value != 0) is_whole = false;
      }
      if (is_whole)
        index_.counters.add_gpu(gpu, content.number == kGpuFrequency ? "gpufreq" : "GPU Memory", *time,
                                static_cast<double>(value));
      return;
    }
    if (content.number == kGpuLog) add_event(IndexKind::kGpuLog, *time, packet, sequence, 0);
    if (content.number == kVulkanApiEvent) add_event(IndexKind::kQueueSubmit, *time, packet, sequence, 0);
  }

  void add_event(IndexKind kind, Nanos time, const Packet& packet, const Sequence& sequence, TrackTable::Index track) {
    index_.events.push_back({time, packet.place, track, sequence.interned, kind});
  }

  std::optional<Nanos> time_of(const Packet& packet, const Sequence& sequence) {
    if (!packet.timestamp) return std::nullopt;
    const std::uint32_t clock = packet.clock != 0 ? packet.clock : sequence.clock;
    if (const auto time = index_.clocks.to_trace(clock, packet.sequence, *packet.timestamp)) return time;
    if (*packet.timestamp > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    if (index_.clocks.has_snapshots())
      report_.add(Finding::kClockUnknown, packet.place.reported(), fmt::format("{}", clock));
    return static_cast<Nanos>(*packet.timestamp);
  }

  static void take_thread(std::string_view message, Sequence& sequence) {
    SinkThread thread;
    WireMessage descriptor(message);
    for (WireField field; descriptor.next(field);) {
      if (field.number == 1) thread.pid = static_cast<std::int32_t>(field.value);
      if (field.number == 2) thread.tid = field.integer();
      if (field.number == 6) sequence.reference_us = field.integer();
      if (field.number == 7) sequence.thread_time_us = field.integer();
      if (field.number == 8) sequence.instructions = field.integer();
    }
    if (thread.tid != 0) sequence.thread = thread;
  }

  /// Samples are not read, but later events count their time from them.
  static void take_profile_times(std::string_view message, Sequence& sequence) {
    WireMessage profile(message);
    for (WireField field; profile.next(field);) {
      if (field.number != 2) continue;
      for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t delta) {
        sequence.reference_us = saturating_add(sequence.reference_us, static_cast<std::int64_t>(delta));
      });
    }
  }

  static std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
  }

  void take_gpus(std::string_view message) {
    WireMessage gpus(message);
    for (WireField field; gpus.next(field);) {
      if (field.number != 1) continue;
      DeviceProperties device;
      device.id = fmt::format("{}", index_.devices.size());
      const auto tell = [&](std::string_view key, std::string value) {
        index_.facts.emplace_back(fmt::format("gpu {} {}", device.id, key), std::move(value));
      };
      WireMessage gpu(field.bytes);
      for (WireField part; gpu.next(part);) {
        constexpr std::array<std::string_view, 8> kKeys{"", "", "vendor", "model", "architecture", "", "", "pci_bdf"};
        if (part.number == 1) device.name = part.bytes;
        if (part.number < kKeys.size() && !kKeys[part.number].empty())
          tell(kKeys[part.number], std::string(part.bytes));
        if (part.number == 5) tell("uuid", hexadecimal(part.bytes));
        if (part.number != 6) continue;
        std::string_view key, value;
        WireMessage pair(part.bytes);
        for (WireField text; pair.next(text);) (text.number == 1 ? key : value) = text.bytes;
        tell(key, std::string(value));
      }
      index_.devices.push_back(std::move(device));
    }
  }

  void note_render_stage(std::string_view message, const Packet& packet, const Sequence& sequence,
                         std::optional<Nanos> time) {
    WireMessage event(message);
    bool is_event = false;
    for (WireField field; event.next(field);) {
      if (field.number == 2) is_event = true;
      if (field.number == 18) {
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t id) { index_.awaited[id] = true; });
      }
      if (field.number != 7) continue;
      WireMessage specifications(field.bytes);
      for (WireField part; specifications.next(part);) {
        if (part.number != 2 && part.number != 3) continue;
        TraceIndex::GpuWords& words = (part.number == 2 ? index_.queues : index_.stages).emplace_back();
        WireMessage description(part.bytes);
        for (WireField text; description.next(text);) {
          if (text.number == 1) words.name = text.bytes;
          if (text.number == 2) words.description = text.bytes;
        }
      }
    }
    if (is_event && !time) report_.add(Finding::kTimestampMissing, packet.place.reported());
    if (is_event && time) add_event(IndexKind::kRenderStage, *time, packet, sequence, 0);
  }

  /// What a recorder kept from before it was asked to is not whole.
  void take_range(std::string_view message, const Packet& packet) {
    WireMessage range(message);
    for (WireField field; range.next(field);) {
      std::int64_t ns = 0;
      if (field.number != 1 || field.integer() < 0 || __builtin_mul_overflow(field.integer(), std::int64_t{1000}, &ns))
        continue;
      range_begin_ = monotonic_time(ns, packet);
    }
  }

  Nanos monotonic_time(std::int64_t ns, const Packet& packet) {
    return index_.clocks.to_trace(ClockTable::kMonotonic, packet.sequence, static_cast<std::uint64_t>(ns)).value_or(ns);
  }

  void take_event(std::string_view message, const Packet& packet, Sequence& sequence) {
    const EventOutline outline = outline_of(message);
    const LegacyOutline legacy = legacy_outline_of(outline.legacy);
    const auto time = event_time(outline, packet, sequence);
    if (!time) return;
    const TrackTable::Index track = track_of(outline, legacy, sequence);
    if (*time < range_begin_)
      return take_before_range(kind_of(outline, legacy, index_.tracks.at(track)), packet, track);
    add_counters(outline, *time, track, sequence);
    PerfettoTrack& its_track = index_.tracks.at(track);
    if (outline.type == kCounter) {
      if (!outline.counter) return report_.add(Finding::kCounterNotNumeric, packet.place.reported());
      return add_counter(outline.track.value_or(sequence.track), *outline.counter, *time, sequence);
    }
    const auto kind = kind_of(outline, legacy, its_track);
    if (!kind) {
      if (legacy.phase == 's' || legacy.phase == 't' || legacy.phase == 'f') {
        const Role role = legacy.phase == 's' ? Role::kStart : legacy.phase == 't' ? Role::kStep : Role::kLast;
        const bool is_next = legacy.phase == 'f' && !legacy.binds_enclosing;
        return index_.flows.push_back({legacy.id, 0, track, *time, role, is_next, false});
      }
      return report_.add(Finding::kPhaseNotShown, packet.place.reported(),
                         legacy.phase != 0 ? std::string(1, legacy.phase) : fmt::format("type {}", outline.type));
    }
    its_track.has_events = true;
    for (const std::uint32_t field : outline.others) {
      if (const std::uint32_t unread = unread_event_field(field); unread != 0) ++index_.unread_packets[unread];
    }
    if (its_track.name.empty() && its_track.first_name.empty() && its_track.kind == PerfettoTrack::Kind::kOther) {
      its_track.first_name = !outline.name.empty()
                                 ? outline.name
                                 : index_.interned.find(sequence.interned, kInternedEventName, outline.name_id);
    }
    const std::size_t number = index_.events.size();
    add_event(*kind, *time, packet, sequence, track);
    for (const std::uint64_t id : outline.flows)
      index_.flows.push_back({id, number, track, *time, Role::kLink, false, true});
    for (const std::uint64_t id : outline.last_flows)
      index_.flows.push_back({id, number, track, *time, Role::kLast, false, true});
    if (legacy.direction != 0) {
      constexpr std::array<Role, 3> kRoles{Role::kEnd, Role::kStart, Role::kStep};
      index_.flows.push_back({legacy.bind_id, number, track, *time,
                              kRoles[std::min<std::uint64_t>(legacy.direction, 3) - 1], false, true});
    }
    for (const std::uint64_t id : outline.awaited) index_.awaited[id] = true;
    if (outline.submitted.empty()) return;
    const std::int64_t correlation = find_correlation(outline.annotations, index_.interned, sequence.interned)
                                         .value_or(static_cast<std::int64_t>(outline.submitted.front()));
    for (const std::uint64_t id : outline.submitted) index_.submissions.try_emplace(id, correlation);
  }

  void take_before_range(std::optional<IndexKind> kind, const Packet& packet, TrackTable::Index track) {
    report_.add(Finding::kBeforeRange, packet.place.reported());
    if (kind == IndexKind::kBegin) ++index_.begun_before_range[track];
    if (kind != IndexKind::kEnd) return;
    if (const auto begun = index_.begun_before_range.find(track);
        begun != index_.begun_before_range.end() && begun->second > 0)
      --begun->second;
  }

  std::optional<Nanos> event_time(const EventOutline& outline, const Packet& packet, Sequence& sequence) {
    if (!outline.delta_us && !outline.absolute_us) {
      const auto time = time_of(packet, sequence);
      if (!time) report_.add(Finding::kTimestampMissing, packet.place.reported());
      return time;
    }
    std::int64_t us = outline.absolute_us.value_or(0);
    if (!outline.absolute_us) us = sequence.reference_us = saturating_add(sequence.reference_us, *outline.delta_us);
    std::int64_t ns = 0;
    if (us < 0 || __builtin_mul_overflow(us, std::int64_t{1000}, &ns)) {
      report_.add(Finding::kTimestampInvalid, packet.place.reported(), fmt::format("{} us", us));
      return std::nullopt;
    }
    return monotonic_time(ns, packet);
  }

  TrackTable::Index track_of(const EventOutline& outline, const LegacyOutline& legacy, const Sequence& sequence) {
    constexpr std::uint64_t kGlobal = 1, kProcess = 2;
    const std::uint64_t uuid = outline.track.value_or(sequence.track);
    const TrackTable::Index track = index_.tracks.of_uuid(uuid);
    // Events of old recorders name no track: they are of the thread of their sequence.
    const bool is_of_thread = uuid == 0 && (outline.has_legacy || !outline.track);
    const std::int64_t pid = legacy.pid >= 0 ? legacy.pid : sequence.thread ? sequence.thread->pid : -1;
    const std::int64_t tid = legacy.tid >= 0 ? legacy.tid : sequence.thread ? sequence.thread->tid : -1;
    if (is_of_thread && legacy.scope == kProcess && pid >= 0) return index_.tracks.of_process(pid);
    if (is_of_thread && legacy.scope != kGlobal && pid >= 0 && tid >= 0) return index_.tracks.of_thread(pid, tid);
    return track;
  }

  static std::optional<IndexKind> kind_of(const EventOutline& outline, const LegacyOutline& legacy,
                                          const PerfettoTrack& track) {
    switch (outline.type) {
      case kSliceBegin:
        return IndexKind::kBegin;
      case kSliceEnd:
        return IndexKind::kEnd;
      case kInstant:
        return IndexKind::kInstant;
      case kState:
        return track.is_state && track.uuid != 0 ? std::optional(IndexKind::kState) : std::nullopt;
      default:
        break;
    }
    switch (legacy.phase) {
      case 'B':
        return IndexKind::kBegin;
      case 'E':
        return IndexKind::kEnd;
      case 'X':
        return IndexKind::kComplete;
      case 'I':
      case 'i':
      case 'R':
      case 'n':
      case 'T':
      case 'p':
        return IndexKind::kInstant;
      case 'b':
      case 'S':
        return IndexKind::kAsyncBegin;
      case 'e':
      case 'F':
        return IndexKind::kAsyncEnd;
      default:
        return std::nullopt;
    }
  }

  void add_counters(const EventOutline& outline, Nanos time, TrackTable::Index track, Sequence& sequence) {
    const auto& tracks = outline.counter_tracks.empty() ? sequence.counters : outline.counter_tracks;
    for (std::size_t i = 0; i < std::min(tracks.size(), outline.counter_values.size()); ++i)
      add_counter(tracks[i], static_cast<double>(outline.counter_values[i]), time, sequence);
    const auto& reals = outline.real_counter_tracks.empty() ? sequence.real_counters : outline.real_counter_tracks;
    for (std::size_t i = 0; i < std::min(reals.size(), outline.real_counter_values.size()); ++i)
      add_counter(reals[i], outline.real_counter_values[i], time, sequence);
    if (outline.thread_delta_us)
      sequence.thread_time_us = saturating_add(sequence.thread_time_us, *outline.thread_delta_us);
    if (outline.thread_delta_us || outline.thread_absolute_us)
      index_.counters.add(track, "thread_time", time,
                          1000.0 * static_cast<double>(outline.thread_absolute_us.value_or(sequence.thread_time_us)));
    if (outline.instructions_delta)
      sequence.instructions = saturating_add(sequence.instructions, *outline.instructions_delta);
    if (outline.instructions_delta || outline.instructions)
      index_.counters.add(track, "thread_instruction_count", time,
                          static_cast<double>(outline.instructions.value_or(sequence.instructions)));
  }

  void add_counter(std::uint64_t uuid, double value, Nanos time, Sequence& sequence) {
    const TrackTable::Index track = index_.tracks.of_uuid(uuid);
    const auto& counter = index_.tracks.at(track).counter;
    if (counter) value *= static_cast<double>(counter->multiplier);
    if (counter && counter->is_incremental) value = sequence.sums[uuid] += value;
    index_.counters.add(track, time, value);
  }

  PacketReader& reader_;
  ImportProgress* progress_;
  const bool counts_bytes_;
  std::uint64_t counted_ = 0;
  ImportReport& report_;
  TraceIndex& index_;
  std::uint64_t packets_ = 0;
  Nanos range_begin_ = INT64_MIN;
  std::unordered_map<std::uint64_t, Sequence, SeededHash> sequences_;
};

}  // namespace

Nanos TraceIndex::first_time() const {
  std::optional<Nanos> first = counters.first_time();
  for (const IndexedEvent& event : events) first = std::min(first.value_or(event.time), event.time);
  return first.value_or(0);
}

void TraceIndex::shift_times(Nanos by) {
  const auto shift = [&](Nanos& time) {
    if (__builtin_add_overflow(time, by, &time)) time = by < 0 ? INT64_MIN : INT64_MAX;
  };
  for (IndexedEvent& event : events) shift(event.time);
  for (IndexedFlow& flow : flows) shift(flow.time);
  counters.for_each_time(shift);
}

Result<void> index_trace(PacketReader& reader, const FormatInput& input, ImportReport& report, TraceIndex& index) {
  return Indexer(reader, input, report, index).run();
}

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/result.h"
#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/formats/format.h"
#include "model/formats/perfetto/clock_table.h"
#include "model/formats/perfetto/counter_index.h"
#include "model/formats/perfetto/interned_data.h"
#include "model/formats/perfetto/packet_reader.h"
#include "model/formats/perfetto/track_table.h"
#include "model/trace/import_report.h"

namespace lacuna {

/// An event of a trace, before it is read as a whole: when, where, and in which packet.
struct IndexedEvent {
  enum class Kind : std::uint8_t {
    kBegin,
    kEnd,
    kInstant,
    kState,
    kComplete,
    kAsyncBegin,
    kAsyncEnd,
    kRenderStage,
    kGpuLog,
    kQueueSubmit
  };
  Nanos time = 0;
  PacketPlace place;
  TrackTable::Index track = 0;
  InternedData::Generation interned = InternedData::kNone;
  Kind kind = Kind::kBegin;
};

/// One end of an arrow, at an event of the index.
struct IndexedFlow {
  enum class Role : std::uint8_t {
    kStart,  ///< arrows go on from here
    kStep,   ///< one comes here, and others go on
    kEnd,    ///< one comes here, and others still go on from where it came
    kLast,   ///< one comes here, and the flow is over
    kLink,   ///< kStart where it is the first of its flow, else kStep
  };
  std::uint64_t id = 0;
  std::size_t event = 0;  ///< its number in TraceIndex::events before they are sorted
  TrackTable::Index track = 0;
  Nanos time = 0;
  Role role = Role::kLink;
  bool binds_next = false;  ///< to the slice that begins next on its track, not to its own event
  bool has_event = true;
};

/// What one walk over the packets finds: events by time, and what is needed to read each of them alone. Memory: some
/// 50 bytes an event, and what sequences intern.
struct TraceIndex {
  std::vector<IndexedEvent> events;
  std::vector<IndexedFlow> flows;
  TrackTable tracks;
  InternedData interned;
  ClockTable clocks;
  CounterIndex counters;
  /// The correlation of the call that submitted a render stage, by the event_id of that.
  std::unordered_map<std::uint64_t, std::int64_t, SeededHash> submissions;
  /// By the event_id of a render stage: that others wait for it.
  std::unordered_map<std::uint64_t, bool, SeededHash> awaited;
  /// Slices that begin before the range that the recorder was asked for and have not ended there, by track.
  std::map<TrackTable::Index, std::uint64_t> begun_before_range;
  /// What old recorders say of the queues and stages of GPUs, by number.
  struct GpuWords {
    std::string name, description;
  };
  std::vector<GpuWords> queues, stages;
  std::vector<DeviceProperties> devices;
  std::vector<std::pair<std::string, std::string>> facts;  ///< TraceSink::fact
  std::map<std::uint32_t, std::uint64_t> unread_packets;   ///< by the number of their field

  /// The first time of all events and samples; 0 without any.
  Nanos first_time() const;
  void shift_times(Nanos by);
};

/// Walks the packets of `reader`, which stay there to be read again; the progress of `input` counts them. Errors:
/// kCancelled, kLimit, and kNotATrace where there is not one packet.
Result<void> index_trace(PacketReader& reader, const FormatInput& input, ImportReport& report, TraceIndex& index);

}  // namespace lacuna

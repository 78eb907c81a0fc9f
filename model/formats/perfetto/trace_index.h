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

/// An event before it is read completely: its time, its track, and its packet.
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

/// One event of a flow.
struct IndexedFlow {
  enum class Role : std::uint8_t {
    kStart,  ///< arrows start here
    kStep,   ///< an arrow ends here, and others start here
    kEnd,    ///< an arrow ends here; the next one starts at the same event as this one
    kLast,   ///< an arrow ends here, and the flow is over
    kLink,   ///< kStart if it is the first of its flow, else kStep
  };
  std::uint64_t id = 0;
  std::size_t event = 0;  ///< its index in TraceIndex::events before they are sorted
  TrackTable::Index track = 0;
  Nanos time = 0;
  Role role = Role::kLink;
  bool binds_next = false;  ///< binds to the next slice that begins on its track, not to its own event
  bool has_event = true;
};

/// The result of the first pass over the packets: events by time, and what is needed to read each one. Memory: some
/// 50 bytes per event, plus interned data.
struct TraceIndex {
  std::vector<IndexedEvent> events;
  std::vector<IndexedFlow> flows;
  TrackTable tracks;
  InternedData interned;
  ClockTable clocks;
  CounterIndex counters;
  /// The correlation of the call that submitted a render stage, by the stage's event_id.
  std::unordered_map<std::uint64_t, std::int64_t, SeededHash> submissions;
  /// Whether others wait for a render stage, by its event_id.
  std::unordered_map<std::uint64_t, bool, SeededHash> awaited;
  /// Number of slices that begin before the recorded range and have not ended there, by track.
  std::map<TrackTable::Index, std::uint64_t> begun_before_range;
  /// Names and descriptions of GPU queues and stages in traces of old recorders, by number.
  struct GpuWords {
    std::string name, description;
  };
  std::vector<GpuWords> queues, stages;
  std::vector<DeviceProperties> devices;
  std::vector<std::pair<std::string, std::string>> facts;  ///< arguments of TraceSink::fact()
  std::map<std::uint32_t, std::uint64_t> unread_packets;   ///< by field number

  /// Returns the first time of all events and samples; 0 without any.
  Nanos first_time() const;
  void shift_times(Nanos by);
};

/// Walks the packets of `reader`, which can be read again later; counts them in the progress of `input`. Errors:
/// kCancelled, kLimit, and kNotATrace if there is no packet.
Result<void> index_trace(PacketReader& reader, const FormatInput& input, ImportReport& report, TraceIndex& index);

}  // namespace lacuna

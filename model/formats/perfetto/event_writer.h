#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/formats/perfetto/debug_annotations.h"
#include "model/formats/perfetto/flow_arrows.h"
#include "model/formats/perfetto/packet_reader.h"
#include "model/formats/perfetto/trace_index.h"
#include "model/formats/trace_sink.h"
#include "model/formats/wire_message.h"

namespace lacuna {

/// Reads the track events of an index one by one, and passes them to the sink. One thread.
class EventWriter {
 public:
  /// All three must outlive the writer; the tracks must have been placed.
  EventWriter(const TraceIndex& index, PacketReader& reader, TraceSink& sink)
      : index_(index), reader_(reader), sink_(sink) {}

  /// `end`: a slice's end event, or the next state of the track; null if there is none.
  void write(const IndexedEvent& event, const IndexedEvent* end);
  /// Slices that wait for render stages, with the stages' event_id.
  const std::vector<std::pair<std::uint64_t, ArrowEnd>>& waiting() const { return waiting_; }

 private:
  struct Content {
    std::string_view name;
    std::int64_t duration_us = 0;
    bool submits = false;
  };
  /// Also sets name_, category_ and arguments_.
  Content read(const IndexedEvent& event, unsigned slot);
  void read_legacy(std::string_view message, const IndexedEvent& event, Content& content);
  void add_stack(std::string json, unsigned slot);
  void read_source(std::string_view message);
  void join_async(const IndexedEvent& event);
  bool read_correlation(const WireField& field, const IndexedEvent& event);

  const TraceIndex& index_;
  PacketReader& reader_;
  TraceSink& sink_;
  std::string category_, id_;
  EventArguments arguments_;
  std::map<std::pair<std::string, std::string>, EventArguments> open_asyncs_;  // by id and category
  std::vector<std::pair<std::uint64_t, ArrowEnd>> waiting_;
};

}  // namespace lacuna

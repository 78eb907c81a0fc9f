#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/formats/perfetto/debug_annotations.h"
#include "model/formats/perfetto/flow_arrows.h"
#include "model/formats/perfetto/packet_reader.h"
#include "model/formats/perfetto/trace_index.h"
#include "model/formats/trace_sink.h"
#include "model/trace/import_report.h"

namespace lacuna {

/// Reads the render stages of an index, which are kernels, copies and other work of GPU queues, and passes
/// them to the sink as GPU work, in order of time. One thread.
class GpuWorkWriter {
 public:
  GpuWorkWriter(const TraceIndex& index, PacketReader& reader, TraceSink& sink, ImportReport& report)
      : index_(index), reader_(reader), sink_(sink), report_(report) {}

  void write(const IndexedEvent& event);
  void write_log(const IndexedEvent& event);
  void write_submit(const IndexedEvent& event);
  /// Writes the names of queues, and arrows from stages to those that waited for them; `waiting`: slices that waited.
  void finish(std::span<const std::pair<std::uint64_t, ArrowEnd>> waiting, ArrowWriter& arrows);

 private:
  struct Stage;
  struct Queue {
    std::string name, description;
    Nanos last_end = 0;
    bool has_work = false;
  };
  using QueueId = std::pair<std::int64_t, std::int64_t>;  // device, stream

  Stage read(std::string_view message, InternedData::Generation generation);
  void read_kernel(std::string_view message, InternedData::Generation generation, Stage& stage);
  void read_launch(std::string_view message, InternedData::Generation generation);
  void read_argument(std::string_view message, InternedData::Generation generation);
  void read_context(std::string_view message);
  void read_extra(std::string_view message);
  std::optional<QueueId> queue_of(const Stage& stage, InternedData::Generation generation);
  std::string stage_of(const Stage& stage, InternedData::Generation generation);

  const TraceIndex& index_;
  PacketReader& reader_;
  TraceSink& sink_;
  ImportReport& report_;
  EventArguments arguments_;
  std::map<QueueId, Queue> queues_;
  std::map<std::pair<std::int64_t, std::string>, QueueId> queue_of_name_;  // by device and name
  std::int64_t next_stream_ = 100'000;                                     // for queues with equal numbers
  std::unordered_map<std::uint64_t, ArrowEnd, SeededHash> awaited_;
  std::vector<std::pair<std::uint64_t, ArrowEnd>> waiting_;
  bool has_log_ = false, has_submits_ = false;
};

}  // namespace lacuna

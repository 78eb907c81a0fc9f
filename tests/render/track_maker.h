#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/build/event_batch.h"
#include "model/build/trace_builder.h"

namespace lacuna {

/// Makes small traces in one-liners, through the same path as files (EventBatch, TraceBuilder):
///
///   const Trace trace = TrackMaker()
///                           .thread("1", "10").slice("aten::mm", 0, 100).slice("launch", 10, 5, "cuda_runtime", 7)
///                           .stream("0", "7").slice("gemm", 20, 50, "kernel", 7)
///                           .make();
///
/// thread(), stream() and annotations() select the track for the calls that follow.
/// Times and durations in ns. Events get ascending file offsets.
class TrackMaker {
 public:
  TrackMaker() { source_.path = "literal.json"; }

  TrackMaker& thread(std::string_view pid, std::string_view tid) {
    return on({id(pid), id(tid), kEmptyString, kEmptyString, TrackKind::kThread}, "cpu_op");
  }
  TrackMaker& stream(std::string_view device, std::string_view stream) {
    return on({id(device), id(stream), id(device), id(stream), TrackKind::kGpuStream}, "kernel");
  }
  TrackMaker& annotations(std::string_view device, std::string_view stream) {
    return on({id(device), id(stream), id(device), id(stream), TrackKind::kGpuAnnotation}, "gpu_user_annotation");
  }

  /// Adds a slice on the selected track; without a category it gets one that suits the track.
  TrackMaker& slice(std::string_view name, Nanos start, Nanos duration, std::string_view category = {},
                    std::uint64_t correlation = 0, std::uint16_t flags = 0) {
    SliceRecord slice;
    slice.start = start;
    slice.duration = duration;
    slice.file_offset = next_offset_++;
    slice.correlation = correlation;
    slice.name = id(name);
    slice.category = batch_.category(id(category.empty() ? category_ : category));
    slice.flags = flags;
    ++batch_.category_counts[slice.category];
    ++batch_.phase_counts['X'];
    batch_.tracks[track_].slices.push_back(slice);
    return *this;
  }
  TrackMaker& instant(std::string_view name, Nanos time) {
    Instant instant;
    instant.time = time;
    instant.file_offset = next_offset_++;
    instant.name = id(name);
    instant.category = CategoryId{batch_.category(id("cpu_instant_event"))};
    batch_.tracks[track_].instants.push_back(instant);
    return *this;
  }
  TrackMaker& counter(std::string_view pid, std::string_view name,
                      const std::vector<std::pair<Nanos, double>>& samples) {
    for (const auto& [time, value] : samples) batch_.counters.push_back({time, value, id(pid), id(name), kEmptyString});
    return *this;
  }
  /// Starts a flow at the slice of the selected track at `time`.
  TrackMaker& flow_start(std::string_view flow_id, Nanos time) { return flow(flow_id, time, 's'); }
  /// Ends the flow at the slice of the selected track at `time`.
  TrackMaker& flow_end(std::string_view flow_id, Nanos time) { return flow(flow_id, time, 'f'); }
  TrackMaker& process_name(std::string_view pid, std::string_view name) {
    return metadata(MetadataEvent::What::kProcessName, pid, {}, name);
  }
  TrackMaker& process_labels(std::string_view pid, std::string_view labels) {
    return metadata(MetadataEvent::What::kProcessLabels, pid, {}, labels);
  }
  TrackMaker& thread_name(std::string_view pid, std::string_view tid, std::string_view name) {
    return metadata(MetadataEvent::What::kThreadName, pid, tid, name);
  }
  /// The source, for deviceProperties, distributedInfo and so on.
  TraceSource& source() { return source_; }

  /// Builds the trace and consumes the collected events.
  Trace make() {
    TraceBuilder builder;
    const SourceId source = builder.add_source(std::move(source_));
    builder.add(source, std::move(batch_));
    return builder.finish();
  }

 private:
  StringId id(std::string_view text) { return batch_.strings.intern(text); }

  TrackMaker& on(const TrackKey& key, std::string_view category) {
    track_ = batch_.track(key);
    category_ = category;
    return *this;
  }
  TrackMaker& flow(std::string_view flow_id, Nanos time, char phase) {
    FlowEvent flow;
    flow.time = time;
    flow.file_offset = next_offset_++;
    flow.id = FlowId::text(id(flow_id));
    flow.category = batch_.category(id("flow"));
    flow.phase = phase;
    flow.binds_enclosing = true;
    const TrackKey& key = batch_.tracks[track_].key;
    batch_.flows[batch_.flow_thread(key.pid, key.tid)].events.push_back(flow);
    return *this;
  }
  TrackMaker& metadata(MetadataEvent::What what, std::string_view pid, std::string_view tid, std::string_view text) {
    batch_.metadata.push_back({what, next_offset_++, id(pid), id(tid), id(text), 0});
    return *this;
  }

  EventBatch batch_;
  TraceSource source_;
  std::uint32_t track_ = 0;
  std::string_view category_;
  std::uint64_t next_offset_ = 1;
};

}  // namespace lacuna

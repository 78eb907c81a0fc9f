#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/time.h"
#include "model/build/event_batch.h"
#include "model/import/trace_files.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A trace of a CUDA graph capture, recorded before the trace that replays its graphs and stored beside that.
struct CaptureTrace {
  std::string path;
  std::int64_t batch_size = 0;  ///< requests for which the graph was captured; 0: unknown
  std::string mode;             ///< "FULL", or "PIECEWISE" for a step of several graphs; empty: not said
};

/// Returns the capture traces beside `files`, without duplicates and without `files` themselves: those listed in
/// execution_details.json (objects with file, batch_size and mode), in the folder capture_traces beside a file or right
/// beside it; without that list all traces in capture_traces. None for archives. Blocking; opens no trace.
std::vector<CaptureTrace> find_capture_traces(std::span<const TraceFile> files);

/// Collects the facts about a trace that tell which captures it replays.
class ReplayedGraphs {
 public:
  /// Call it with every batch of the trace.
  void look_at(const EventBatch& batch);
  /// Returns the time of the first graph launch, in the trace's own time.
  std::optional<Nanos> first_launch() const { return first_launch_; }
  /// Returns those of `captures` that may have been replayed: for each batch size of the trace's steps the smallest
  /// one that is not below it, as servers pad; all if no step has a batch size. None if no graph was launched.
  std::vector<CaptureTrace> choose(std::vector<CaptureTrace> captures) const;

 private:
  std::optional<Nanos> first_launch_;
  std::vector<std::int64_t> batch_sizes_;  // without duplicates
};

/// Reduces a capture trace to the slices within captures, on tracks of TrackKind::kCaptured, and the names of their
/// threads; only those are counted. Returns the time span of the captures; nothing if nothing was captured.
TimeSpan keep_captured(std::vector<EventBatch>& batches);

/// Keys in TraceSource::metadata of the members of a CaptureTrace.
inline constexpr std::string_view kCaptureBatchSize = "capture_batch_size";
inline constexpr std::string_view kCaptureMode = "capture_mode";
/// Returns the batch size of a capture trace, 0 if unknown; nothing if the source is not a capture trace.
std::optional<std::int64_t> capture_batch_size(const TraceSource& source);

}  // namespace lacuna

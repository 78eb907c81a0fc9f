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

/// A trace of the capture of CUDA graphs, recorded before the trace beside which it lies, whose graphs replay it.
struct CaptureTrace {
  std::string path;
  std::int64_t batch_size = 0;  ///< requests that the graph is for; 0: not said
  std::string mode;             ///< "FULL", or "PIECEWISE" for a step of several graphs; empty: not said
};

/// The captures beside `files`, each once, none of which is among them: those that execution_details.json lists, a
/// list of objects with file, batch_size and mode, in the folder capture_traces beside a file or right beside it;
/// without it all traces of capture_traces. Files in archives have none. Blocking; looks at folders, opens no trace.
std::vector<CaptureTrace> find_capture_traces(std::span<const TraceFile> files);

/// What a trace says that tells which captures it replays.
class ReplayedGraphs {
 public:
  /// Any batch of the trace.
  void look_at(const EventBatch& batch);
  /// When the first graph was launched, in the trace's own time.
  std::optional<Nanos> first_launch() const { return first_launch_; }
  /// Those of `captures` that can have been replayed: for each batch size of a step of the trace the smallest
  /// that is not below it, as servers pad; all where no step says its size. None without a launch of a graph.
  std::vector<CaptureTrace> choose(std::vector<CaptureTrace> captures) const;

 private:
  std::optional<Nanos> first_launch_;
  std::vector<std::int64_t> batch_sizes_;  // each once
};

/// Leaves of a capture trace the slices within captures, on tracks of TrackKind::kCaptured, and the names of their
/// threads; counts only those. Returns when they begin and end; nothing where nothing was captured.
TimeSpan keep_captured(std::vector<EventBatch>& batches);

/// The keys in TraceSource::metadata of what a CaptureTrace says.
inline constexpr std::string_view kCaptureBatchSize = "capture_batch_size";
inline constexpr std::string_view kCaptureMode = "capture_mode";
/// The batch size that a capture trace is for, 0: it does not say; none: the source is no capture trace.
std::optional<std::int64_t> capture_batch_size(const TraceSource& source);

}  // namespace lacuna

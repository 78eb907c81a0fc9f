#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The origin of the work of CUDA graphs. One call launches a whole graph, so the frames around that call do not
/// distinguish its nodes. Two things do, where the trace has them:
///  - annotations in the work's own args, beside "graph node id" (torch.cuda.graph(enable_annotations=True)): the
///    module ("module_fqn") or the name of the scope that it was captured in;
///  - the capture: the launches between cudaStreamBeginCapture and cudaStreamEndCapture have no work of their own;
///    the Nth of them became the Nth node. A capture in the trace itself belongs to a later graph launch with as many
///    nodes of the same kinds; of several such captures only what all of them agree on counts. Those of a capture
///    trace (import/capture_traces.h) are chosen by the batch size of the step around the launch, of a step of several
///    graphs by their order; where its calls name their kernels, they are aligned with the nodes by those names
///    (sequence_alignment.h), and count where that finds most of the nodes.
/// Immutable; any thread may read.
class GraphOrigins {
 public:
  GraphOrigins() = default;
  /// O(launches of graphs and their work, and calls in captures); reads the args of GPU work when
  /// there are graphs (columns/argument_columns.h). Errors: those of reading them, kCancelled.
  static Result<GraphOrigins> find(const Trace& trace, unsigned threads = 2, const std::atomic<bool>* cancel = nullptr);

  /// Whether the activity was launched as part of a graph.
  bool contains(SliceId activity) const { return entry(activity) != nullptr; }
  /// Returns the captured call that became this node; invalid: not known.
  SliceId captured_by(SliceId activity) const;
  /// Returns the slices around that call within the capture, innermost first.
  std::vector<SliceId> captured_in(const Trace& trace, SliceId activity) const;
  /// Returns the annotation, such as "layers.0.attention.wq"; empty: none.
  std::string_view annotation(SliceId activity) const;
  /// All pairs of captured_by() and activity, ascending by activity.
  struct Entry {
    SliceId activity;
    SliceId captured_by;
    std::uint32_t annotation = 0;  // index in annotations_; 0: none
    Nanos capture_begin = 0;       // begin of the capture
  };
  const std::vector<Entry>& entries() const { return entries_; }

  /// The number of nodes by what is known about them.
  struct Counts {
    std::uint64_t nodes = 0;
    std::uint64_t annotated = 0;         ///< by annotations in their args
    std::uint64_t of_trace = 0;          ///< by a capture in the trace itself
    std::uint64_t of_capture_trace = 0;  ///< by a capture trace
    std::uint64_t by_name = 0;           ///< those of of_capture_trace matched by name, the rest by order
    std::uint64_t unknown = 0;           ///< nothing is known
  };
  const Counts& counts() const { return counts_; }

 private:
  class Finder;
  const Entry* entry(SliceId activity) const;

  std::vector<Entry> entries_;  // ascending by activity
  std::vector<std::string> annotations_{std::string()};
  Counts counts_;
};

/// Shown as module or operator of graph work whose origin is unknown.
inline constexpr std::string_view kUnattributed = "(CUDA graph, unattributed)";

}  // namespace lacuna

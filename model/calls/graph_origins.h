#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Where the work of CUDA graphs comes from. One call launches a whole graph, so that nothing around that call tells
/// its nodes apart. Two things do, where the trace has them:
///  - annotations in the work's own args, beside "graph node id" (torch.cuda.graph(enable_annotations=True)): the
///    module ("module_fqn") or the name of the scope that it was captured in;
///  - the capture: the launches between cudaStreamBeginCapture and cudaStreamEndCapture have no work of their own, and
///    the Nth of them became the Nth node. Those of the trace itself belong to a graph launch behind them with as many
///    nodes, of the same kinds; of several such captures only what all of them agree on counts. Those of a capture
///    trace (import/capture_traces.h) are chosen by the batch size of the step around the launch, of a step of several
///    graphs by their order; where its calls name their kernels, they are aligned with the nodes by those names
///    (sequence_alignment.h), and count where that finds most of the nodes.
/// Immutable; any thread may read.
class GraphOrigins {
 public:
  GraphOrigins() = default;
  /// O(launches of graphs and their work, and calls where something was captured); the args of GPU work are read
  /// where there are graphs (columns/argument_columns.h). Errors: those of reading them, kCancelled.
  static Result<GraphOrigins> find(const Trace& trace, unsigned threads = 2, const std::atomic<bool>* cancel = nullptr);

  /// Was it launched as a part of a graph?
  bool contains(SliceId activity) const { return entry(activity) != nullptr; }
  /// The launching call that became this node; invalid: not known.
  SliceId captured_by(SliceId activity) const;
  /// The slices around that call within the capture, innermost first.
  std::vector<SliceId> captured_in(const Trace& trace, SliceId activity) const;
  /// "layers.0.attention.wq"; empty: nothing is said.
  std::string_view annotation(SliceId activity) const;
  /// All pairs of captured_by() and what it was captured for, ascending by activity.
  struct Entry {
    SliceId activity;
    SliceId captured_by;
    std::uint32_t annotation = 0;  // index in annotations_; 0: none
    Nanos capture_begin = 0;       // of what was captured
  };
  const std::vector<Entry>& entries() const { return entries_; }

  /// How much is known, in nodes.
  struct Counts {
    std::uint64_t nodes = 0;
    std::uint64_t annotated = 0;         ///< by their own args
    std::uint64_t of_trace = 0;          ///< by a capture in the trace itself
    std::uint64_t of_capture_trace = 0;  ///< by a capture trace
    std::uint64_t by_name = 0;           ///< … because its names match, the rest by order
    std::uint64_t unknown = 0;           ///< by nothing
  };
  const Counts& counts() const { return counts_; }

 private:
  class Finder;
  const Entry* entry(SliceId activity) const;

  std::vector<Entry> entries_;  // ascending by activity
  std::vector<std::string> annotations_{std::string()};
  Counts counts_;
};

/// What is said where a module or operator is asked of such work and nothing tells.
inline constexpr std::string_view kUnattributed = "(CUDA graph, unattributed)";

}  // namespace lacuna

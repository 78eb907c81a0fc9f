#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Launches that a stream recorded instead of running them, in their order.
struct GraphCapture {
  struct Call {
    SliceId slice;
    CategoryClass kind = CategoryClass::kKernel;  ///< of what it launches
    StringId kernel = kEmptyString;               ///< its name, where args say it and anything of the trace has it
    bool names_kernel = false;                    ///< args say one
  };
  SourceId source;
  Nanos begin = 0, end = 0;
  bool is_from_capture_trace = false;  ///< else of the trace of the replay, and before that
  std::int64_t batch_size = 0;         ///< of a capture trace; 0: not said
  std::vector<Call> calls;

  bool has_names() const;
};

/// All captures of a trace, those of a source in their order. Reads args of capture traces. O(runtime calls of threads
/// that captured). Errors: those of scan_arguments().
Result<std::vector<GraphCapture>> find_graph_captures(const Trace& trace, unsigned threads,
                                                      const std::atomic<bool>* cancel);

}  // namespace lacuna

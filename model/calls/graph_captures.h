#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Launches that a stream captured instead of running them, in order.
struct GraphCapture {
  struct Call {
    SliceId slice;
    CategoryClass kind = CategoryClass::kKernel;  ///< kind of the launched work
    StringId kernel = kEmptyString;               ///< the kernel's name, where args have one that occurs in the trace
    bool names_kernel = false;                    ///< args have a kernel name
  };
  SourceId source;
  Nanos begin = 0, end = 0;
  bool is_from_capture_trace = false;  ///< else from the trace of the replay, and before that
  std::int64_t batch_size = 0;         ///< of a capture trace; 0: not stated
  std::vector<Call> calls;

  bool has_names() const;
};

/// Finds all captures of a trace, ordered within each source. Reads args of capture traces. O(runtime calls of threads
/// that captured). Errors: those of scan_arguments().
Result<std::vector<GraphCapture>> find_graph_captures(const Trace& trace, unsigned threads,
                                                      const std::atomic<bool>* cancel);

}  // namespace lacuna

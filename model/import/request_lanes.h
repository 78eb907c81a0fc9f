#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/build/event_batch.h"
#include "model/input/import_options.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Requests to a server, to be shown beside the trace of its GPU: a source of its own, whose times are ns since 1970.
struct RequestLanes {
  TraceSource source;
  std::vector<EventBatch> batches;
  std::uint64_t shown = 0;    ///< requests
  std::uint64_t outside = 0;  ///< those that no part of the trace is of, and that `batches` do not have
};

/// Those of a file that kRequestsFormat reads. `recorded`: what the trace is of, since 1970. Errors: those of opening
/// and reading it; kNotATrace for another kind of file. Blocking.
Result<RequestLanes> read_request_lanes(const std::string& path, const ImportOptions& options, TimeSpan recorded);

/// Whether a source is such a file.
bool has_requests(const TraceSource& source);

}  // namespace lacuna

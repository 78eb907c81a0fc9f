#pragma once

#include "model/base/result.h"
#include "model/query/query_limits.h"
#include "model/query/query_source.h"

struct sqlite3;

namespace lacuna {

/// Registers functions of Perfetto or newer SQLite versions, scalar and aggregate: trace_start(), trace_end(),
/// trace_dur(), slice_is_ancestor(), to_timecode(), regexp(), regexp_extract(), demangle(), time_to_…(), time_from_…(),
/// concat(), string_agg(), two-argument iif(), median(), percentile(), stddev() … Source and limits must outlive it.
Result<void> register_functions(sqlite3* connection, QuerySource& source, QueryLimits& limits);

}  // namespace lacuna

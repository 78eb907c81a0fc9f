#pragma once

#include "model/base/result.h"
#include "model/query/dialect.h"

struct sqlite3;

namespace lacuna {

/// Creates a temporary table of the intersections of both inputs' spans: ts, dur, the partition if there is one,
/// then the other columns of the left and the right input. Rows of an input must not overlap inside a partition.
/// O(n log n) in both inputs.
Result<void> make_span_join(sqlite3* connection, const SpanJoin& join);

}  // namespace lacuna

#pragma once

#include "model/base/result.h"
#include "model/query/dialect.h"

struct sqlite3;

namespace lacuna {

/// Makes a temporary table of the times at which rows of both inputs hold: ts, dur, the partition where there is one,
/// then the other columns of the left and of the right. Rows of an input must not overlap inside a partition.
/// O(n log n) in both inputs.
Result<void> make_span_join(sqlite3* connection, const SpanJoin& join);

}  // namespace lacuna

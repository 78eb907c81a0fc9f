#pragma once

#include "model/base/result.h"
#include "model/import/bytes.h"
#include "model/import/top_level.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A file of torch.profiler's export_memory_timeline as events, so that it opens as traces do: one process with a
/// counter of each category and one of their sum. Times are the file's, in ns.
/// Errors: those of read_category_timeline(); kNotATrace when no row of it can be read.
Result<void> read_timeline_events(ImportBytes& bytes, TraceSource& facts, const BatchSink& sink);

}  // namespace lacuna

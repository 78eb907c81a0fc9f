#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// A file of torch.profiler's export_memory_timeline as events, so that it opens as traces do: one process with a
/// counter of each category and one of their sum. Times are the file's, in ns.
/// Errors: those of read_category_timeline(); kNotATrace when no row of it can be read.
extern const Format kMemoryTimelineFormat;

}  // namespace lacuna

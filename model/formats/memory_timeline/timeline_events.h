#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// Reads a file of torch.profiler's export_memory_timeline as a trace: one process with a
/// counter per category and one for their sum. Times are the file's, in ns.
/// Errors: those of read_category_timeline(); kNotATrace if no row can be read.
extern const Format kMemoryTimelineFormat;

}  // namespace lacuna

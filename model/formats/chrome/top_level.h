#pragma once

#include "model/base/result.h"
#include "model/formats/format.h"
#include "model/input/bytes.h"
#include "model/input/import_options.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Chrome-trace JSON in all its dialects. Also takes files of no known format, which its reader describes.
extern const Format kChromeFormat;

/// Reads a whole trace from its JSON: the list of events goes to `sink` in batches, everything
/// else (in any order, before and after the events) to `facts`: base time, rank, devices,
/// metadata and what had to be repaired there. Damage outside the events, such as unescaped quotes
/// in Kineto's INFO strings, does not stop the import.
///
/// Accepts an object with traceEvents, a bare list (closing bracket optional), and concatenated
/// events without a list. Errors: kEmpty, kNotATrace (nothing to show), kCancelled, kLimit and
/// what ImportBytes::ending() reports. Sets neither path nor format nor bytes.
Result<void> read_trace(ImportBytes& bytes, const ImportOptions& options, ImportProgress* progress, TraceSource& facts,
                        const BatchReceiver& sink);

}  // namespace lacuna

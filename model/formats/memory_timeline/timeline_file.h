#pragma once

#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/memory/category_timeline.h"

namespace lacuna {

/// Reads [[t_ns, action, bytes, category], …] (raw) or [times_us, sizes[][1 + 8]]; accepts only lists of numbers.
/// Errors: kNotATrace with a byte offset.
Result<CategoryTimeline> read_category_timeline(const ByteSource& source, const std::string& path);

}  // namespace lacuna

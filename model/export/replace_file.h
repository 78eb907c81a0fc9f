#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/base/result.h"
#include "model/export/claimed_file.h"
#include "model/export/output_file.h"

namespace lacuna {

class ByteSource;

/// Writes `path` completely or not at all: `write` fills a hidden file beside it, which replaces it when
/// finished (ClaimedFile). After a failure the old file is still there, and the hidden one is removed. Errors name
/// `path`; kInvalidArgument if `existing` says to keep the old file.
Result<void> replace_file(const std::string& path, Existing existing,
                          const std::function<Result<void>(OutputFile&)>& write);

/// Appends the bytes [begin, end) of `from`; stops early, without an error of its own, if `out` failed.
/// kNotReadable if there are fewer bytes.
Result<void> copy_bytes(const ByteSource& from, std::uint64_t begin, std::uint64_t end, OutputFile& out);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/base/result.h"
#include "model/export/claimed_file.h"
#include "model/export/output_file.h"

namespace lacuna {

class ByteSource;

/// Writes `path` whole or not at all: `write` fills a hidden file beside it, which takes its place once it is
/// finished (ClaimedFile). After a failure what was at `path` is still there, and the hidden file is not. Errors name
/// `path`; kInvalidArgument when `existing` says that what is there stays.
Result<void> replace_file(const std::string& path, Existing existing,
                          const std::function<Result<void>(OutputFile&)>& write);

/// Appends the bytes [begin, end) of `from`; stops early, without an error of its own, when `out` failed.
/// kNotReadable when there are fewer.
Result<void> copy_bytes(const ByteSource& from, std::uint64_t begin, std::uint64_t end, OutputFile& out);

}  // namespace lacuna

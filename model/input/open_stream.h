#pragma once

#include <cstdint>
#include <memory>

#include "model/input/bytes.h"
#include "model/input/streams.h"

namespace lacuna {

/// Returns the data of a stream as open_file() would: adds decompressors until their output is not compressed
/// any more; `depth` of them are there already. `progress` (may be null) must live until the end of the
/// data.
OpenedFile open_stream(std::unique_ptr<Stream> stream, std::uint64_t most_bytes, const ImportProgress* progress,
                       int depth = 0);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <memory>

#include "model/input/bytes.h"
#include "model/input/streams.h"

namespace lacuna {

/// What a stream holds, as open_file() would read it: decompressors are put onto it until what comes out is not
/// compressed any more; `depth` of them are there already. `progress` (may be null) must live until the data have
/// ended.
OpenedFile open_stream(std::unique_ptr<Stream> stream, std::uint64_t most_bytes, const ImportProgress* progress,
                       int depth = 0);

}  // namespace lacuna

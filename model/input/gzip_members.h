#pragma once

#include <memory>

#include "model/base/byte_source.h"
#include "model/input/import_options.h"
#include "model/input/streams.h"

namespace lacuna {

/// Decompresses a gzip file; where it consists of several members, as concatenated files and bgzip's
/// do, with several threads.
///
/// A member does not say how long it is, so where the next one begins is a guess: workers look ahead
/// for the magic bytes of a header and decompress from there, up to kLargestMember bytes. The reading
/// thread goes from member to member; one that a worker began exactly there, and that is whole, is
/// handed out as it is; every other is decompressed by the reading thread itself. So the result never
/// depends on the guesses, and damage shows as in a single thread.
///
/// `progress` (may be null) counts the bytes of the file; it must live as long as the stream.
std::unique_ptr<Stream> make_gzip_members(std::shared_ptr<const ByteSource> file, ImportProgress* progress);

}  // namespace lacuna

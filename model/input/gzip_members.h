#pragma once

#include <memory>

#include "model/base/byte_source.h"
#include "model/input/import_options.h"
#include "model/input/streams.h"

namespace lacuna {

/// Decompresses a gzip file; one of several members, as concatenation and bgzip produce, is decompressed by
/// several threads.
///
/// A member does not state its length, so the start of the next one is a guess: workers search ahead
/// for the magic bytes of a header and decompress from there, up to kLargestMember bytes. The reading
/// thread goes from member to member: one that a worker started exactly there, and that is complete, is
/// returned as it is; the reading thread decompresses every other one itself. So the result never
/// depends on the guesses, and damage is reported as by a single thread.
///
/// `progress` (may be null) counts the bytes of the file; it must outlive the stream.
std::unique_ptr<Stream> make_gzip_members(std::shared_ptr<const ByteSource> file, ImportProgress* progress);

}  // namespace lacuna

#pragma once

#include <atomic>
#include <cstdint>

#include "model/base/result.h"
#include "model/build/event_batch.h"
#include "model/formats/chrome/event_reader.h"
#include "model/formats/format.h"
#include "model/input/bytes.h"
#include "model/input/import_options.h"

namespace lacuna {

/// Reads a list of events with several threads, without looking for its end first.
///
/// The data are cut into stripes of chunk_bytes. A worker takes a stripe, guesses where its first
/// event begins (boundaries.h) and reads until the first event that begins in the next stripe. The
/// calling thread goes through the stripes in order: one that begins exactly where its predecessor
/// ended was guessed right, and its batch is handed on; otherwise the batch is thrown away and the
/// gap is read again from the true position. So the result never depends on the guesses, and each
/// batch that was handed on is final.
///
/// Workers run at most a few stripes ahead. Returns where the list ended. Errors: cancelled, no
/// memory.
Result<EventReader::Outcome> read_list(ImportBytes& bytes, std::uint64_t from, const ImportOptions& options,
                                       ImportProgress* progress, const BatchReceiver& sink);

}  // namespace lacuna

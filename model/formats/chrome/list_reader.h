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

/// Reads an event list with several threads, without searching for its end first.
///
/// The data is split into stripes of chunk_bytes. A worker takes a stripe, guesses where its first
/// event begins (boundaries.h) and reads until the first event that begins in the next stripe. The
/// calling thread processes the stripes in order: if a stripe begins exactly where the previous one
/// ended, the guess was right and its batch is passed on; otherwise the batch is dropped and the
/// gap is read again from the true position. So the result never depends on the guesses, and every
/// batch passed on is final.
///
/// Workers are at most a few stripes ahead. Returns where the list ended. Errors: cancelled, out of
/// memory.
Result<EventReader::Outcome> read_list(ImportBytes& bytes, std::uint64_t from, const ImportOptions& options,
                                       ImportProgress* progress, const BatchReceiver& sink);

}  // namespace lacuna

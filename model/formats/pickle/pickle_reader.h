#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/formats/pickle/pickle_document.h"

namespace lacuna {

/// Returns the bytes of memory that reading a pickle of `bytes` may take, tables included: 64 MiB and twice its size.
/// Beyond that the read ends with kLimit. Snapshots take less than their size.
std::uint64_t pickle_memory_limit(std::uint64_t bytes);

/// Whether the data begins like a pickle: its first byte and a protocol of 2 to 5.
bool looks_like_pickle(std::string_view head);
bool looks_like_pickle(const ByteSource& source);

/// Progress and cancellation; either may be null.
struct PickleProgress {
  std::atomic<std::uint64_t>* bytes_done = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// Reads a pickle without executing anything: accepts only opcodes that build plain data (PickleOpcode), and refuses
/// any other with its name and offset. `rows` may be null.
/// Errors: kNotATrace with a byte offset if the data is no pickle, refused or cut off; kLimit if it nests deeper
/// than 1,000 marks, holds a text of more than 16 MiB or outgrows `room`; kCancelled. One pass, one thread.
Result<PickleDocument> read_pickle(const ByteSource& source, MemoryRoom& room, PickleRows* rows,
                                   PickleProgress* progress = nullptr);

/// Walks over the opcodes without building anything; returns their number. The lower bound of a reader's cost.
Result<std::uint64_t> count_pickle_opcodes(const ByteSource& source);

}  // namespace lacuna

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/formats/pickle/pickle_document.h"

namespace lacuna {

/// Bytes of memory that reading a pickle of `bytes` may take, tables included: 64 MiB and twice its size. Beyond it
/// the read ends with kLimit. Snapshots take less than their size.
std::uint64_t pickle_memory_limit(std::uint64_t bytes);

/// A pickle as far as it begins like one: its first byte and a protocol of 2 to 5.
bool looks_like_pickle(std::string_view head);
bool looks_like_pickle(const ByteSource& source);

/// Of the caller who waits; either may be null.
struct PickleProgress {
  std::atomic<std::uint64_t>* bytes_done = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// Reads a pickle without executing anything: only opcodes that build plain data are taken (PickleOpcode), each
/// other is refused with its name and offset. `rows` may be null.
/// Errors: kNotATrace with a byte offset for what is no pickle, refused or cut off; kLimit for what nests deeper
/// than 1,000 marks, holds a text of more than 16 MiB or outgrows `room`; kCancelled. One pass, one thread.
Result<PickleDocument> read_pickle(const ByteSource& source, MemoryRoom& room, PickleRows* rows,
                                   PickleProgress* progress = nullptr);

/// Walks over the opcodes without building anything; returns how many. The floor of what a reader costs.
Result<std::uint64_t> count_pickle_opcodes(const ByteSource& source);

}  // namespace lacuna

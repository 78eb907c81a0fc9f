#pragma once

#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/formats/pickle/pickle_reader.h"
#include "model/memory/snapshot.h"

namespace lacuna {

/// Reads an allocator snapshot: a dictionary of segments and device_traces from either producer (Python's pickle and
/// the JIT's), of CUDA, ROCm or XPU, or the bare list of segments that memory_snapshot() returns.
/// Errors: those of read_pickle(); kNotATrace for any other pickle, with its contents as the cause.
/// `source` must know its size already. `path` names the file in errors. One thread.
Result<MemorySnapshot> read_snapshot(const ByteSource& source, const std::string& path,
                                     PickleProgress* progress = nullptr);

}  // namespace lacuna

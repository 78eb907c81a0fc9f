#pragma once

#include <cstdint>

#include "model/base/byte_source.h"

namespace lacuna {

/// What a file tells of memory, judged by its first bytes.
enum class MemoryFile : std::uint8_t {
  kSnapshot,  ///< a pickle: read_snapshot
  kTimeline,  ///< lists of numbers as export_memory_timeline writes them: read_category_timeline
  kTrace      ///< neither: a trace, if anything
};
MemoryFile memory_file_kind(const ByteSource& bytes);

}  // namespace lacuna

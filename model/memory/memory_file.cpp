#include "model/memory/memory_file.h"

#include <array>
#include <string_view>

#include "model/base/ascii.h"
#include "model/memory/pickle_reader.h"

namespace lacuna {

MemoryFile memory_file_kind(const ByteSource& bytes) {
  if (looks_like_pickle(bytes)) return MemoryFile::kSnapshot;
  // [[ and a number or ]: no list of events begins so.
  std::array<char, 256> buffer;
  const std::string_view head(buffer.data(), bytes.read_at(0, buffer));
  int brackets = 0;
  for (const char c : head) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c != '[')
      return brackets >= 2 && (c == '-' || c == ']' || is_digit(c)) ? MemoryFile::kTimeline : MemoryFile::kTrace;
    ++brackets;
  }
  return MemoryFile::kTrace;
}

}  // namespace lacuna

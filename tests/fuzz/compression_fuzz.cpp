// The gzip and zstd front: whatever the bytes, it ends, within the limit.
#include <array>
#include <string>

#include "model/import/bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto file = lacuna::open_memory(std::string(reinterpret_cast<const char*>(data), size), 1 << 20);
  if (!file) return 0;
  file->bytes->ending();
  std::array<char, 4096> buffer;
  for (std::uint64_t at = 0; at < file->bytes->size(); at += buffer.size()) file->bytes->read_at(at, buffer);
  return 0;
}

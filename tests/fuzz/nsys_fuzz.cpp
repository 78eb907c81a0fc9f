// Any bytes as an SQLite file: an export of Nsight Systems, a database of rocprofv3, or what claims to be one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "model/formats/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/lacuna_nsys_fuzz_" + std::to_string(::getpid());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  (void)lacuna::open_text(path, std::uint64_t{64} << 20);
  ::unlink(path.c_str());
  return 0;
}

// The gzip and zstd front.
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  lacuna::fuzz::run_compression({reinterpret_cast<const char*>(data), size});
  return 0;
}

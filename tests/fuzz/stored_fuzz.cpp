// Files of the cache, as somebody might have changed them who also makes the checksums fit.
#include "tests/fuzz/stored_target.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string kSeed = lacuna::fuzz::stored_seed();
  lacuna::fuzz::run_stored(kSeed, {reinterpret_cast<const char*>(data), size});
  return 0;
}

// The JSON importer as everybody uses it: strict, tolerant where that fails.
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  lacuna::fuzz::run_strict({reinterpret_cast<const char*>(data), size});
  return 0;
}

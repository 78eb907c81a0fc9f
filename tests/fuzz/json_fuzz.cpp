// The JSON importer, strict and tolerant: the same text cut in many ways must not crash.
#include <string_view>

#include "model/import/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lacuna::ImportOptions options;
  options.threads = 1;
  (void)lacuna::import_json(text, "fuzz", options);
  options.chunk_bytes = 64;
  (void)lacuna::import_json(text, "fuzz", options);
  options.tolerant_only = true;
  (void)lacuna::import_json(text, "fuzz", options);
  return 0;
}

// Any bytes as XProf's protobuf: they end with an answer or an error.
#include <string>

#include "model/formats/format.h"
#include "model/formats/xplane/xplane_events.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  const std::string path = "fuzz";
  const auto bytes = make_memory_bytes(std::string(reinterpret_cast<const char*>(data), size));
  ImportOptions options;
  options.max_json_bytes = std::uint64_t{64} << 20;
  TraceSource facts;
  (void)kXplaneFormat.read({path, *bytes, options, nullptr}, facts, [](EventBatch) {});
  return 0;
}

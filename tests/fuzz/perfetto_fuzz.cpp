// Any bytes as a Perfetto trace, also where its first packet would be told for another file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/formats/perfetto/perfetto_events.h"
#include "model/trace/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lacuna;
  const std::string path = "fuzz.pftrace";
  const auto bytes = make_memory_bytes(std::string(reinterpret_cast<const char*>(data), size));
  ImportOptions options;
  options.max_json_bytes = std::uint64_t{64} << 20;
  TraceSource facts;
  (void)kPerfettoFormat.recognises(std::string_view(reinterpret_cast<const char*>(data), size), true);
  (void)kPerfettoFormat.read({path, *bytes, options, nullptr}, facts, [](EventBatch) {});
  return 0;
}

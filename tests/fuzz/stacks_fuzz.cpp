// Any bytes as the files of sampling profilers, those of collectives, and requests: they end with an answer or an
// error.
#include <string>

#include "model/formats/collectives/collective_formats.h"
#include "model/formats/format.h"
#include "model/formats/requests/requests_format.h"
#include "model/formats/stacks/stack_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  const std::string path = "fuzz";
  ImportOptions options;
  options.max_json_bytes = std::uint64_t{64} << 20;
  for (const Format* format : {&kSpeedscopeFormat, &kGeckoFormat, &kPprofFormat, &kPerfScriptFormat, &kCollapsedFormat,
                               &kNcclInspectorFormat, &kChakraFormat, &kRequestsFormat}) {
    const auto bytes = make_memory_bytes(std::string(reinterpret_cast<const char*>(data), size));
    TraceSource facts;
    (void)format->read({path, *bytes, options, nullptr}, facts, [](EventBatch) {});
  }
  return 0;
}

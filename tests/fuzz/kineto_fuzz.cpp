// Datagrams of processes that claim to be PyTorch jobs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/kineto/kineto_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto message = lacuna::parse_kineto_message({reinterpret_cast<const char*>(data), size});
  if (message && (message->pids.empty() || message->pids.front() <= 0 || size > lacuna::kMostKinetoBytes)) std::abort();
  return 0;
}

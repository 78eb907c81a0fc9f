#pragma once

#include <atomic>
#include <cstring>
#include <cwchar>

#include <nvtx3/nvToolsExt.h>

#include "capture/collector/domains.h"
#include "capture/collector/threads.h"

namespace lacuna::collector {

/// Converts a wide text of NVTX (UTF-32 here) to UTF-8, cut at kMostNameBytes. Null stays null.
class Utf8 {
 public:
  explicit Utf8(const wchar_t* wide);
  ~Utf8();
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;
  const char* text() const { return text_; }

 private:
  char near_[512];
  char* text_ = nullptr;
  std::size_t mapped_ = 0;
};

std::uint32_t name_of_unknown(ThreadState& thread, const char* message);

/// Returns the id of a message; null is the empty name.
inline std::uint32_t name_of(ThreadState& thread, const char* message) {
  if (message == nullptr) return wire::kNoName;
  const std::uint32_t known = thread.names.find_address(message);
  return __builtin_expect(known != 0, 1) ? known : name_of_unknown(thread, message);
}
std::uint32_t name_of(ThreadState& thread, const wchar_t* message);
inline std::uint32_t name_of(ThreadState& thread, const nvtxEventAttributes_t& a) {
  switch (a.messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return a.message.registered == nullptr ? wire::kNoName
                                             : reinterpret_cast<RegisteredName*>(a.message.registered)->id(thread);
    case NVTX_MESSAGE_TYPE_ASCII:
      return name_of(thread, a.message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return name_of(thread, a.message.unicode);
    default:
      return wire::kNoName;
  }
}

/// Set while torch.autograd.profiler.emit_nvtx names the operators: "aten::mm, seq = 4, op_id = 9".
extern std::atomic<bool> strips_torch_names;
/// nvtxRangePush of such a name: pushes the operator without the text after its name. Other names are pushed
/// unchanged.
int push_torch_name(ThreadState& thread, const char* message);

}  // namespace lacuna::collector

#include "capture/collector/cuda_names.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include "capture/collector/cupti_capture.h"
#include "capture/collector/cupti_library.h"
#include "capture/collector/process.h"

namespace lacuna::collector {
namespace {

using wire::ObjectKind;

/// cudaStreamLegacy and cudaStreamPerThread: numbers, not objects.
constexpr std::uintptr_t kLegacyStream = 1;
constexpr std::uintptr_t kPerThreadStream = 2;

void put_name(ObjectKind kind, std::uint32_t device, std::uint32_t id, const char* name) {
  Process* process = attached_process();
  if (process == nullptr) return;
  wire::ObjectRecord record;
  record.head.type = wire::RecordType::kObjectName;
  record.head.name = intern(*process, nullptr, nullptr, name, std::strlen(name));
  record.head.time = now(*process);
  record.kind = kind;
  record.device = device;
  record.id = id;
  const Locked locked(process->lock);
  put_control(*process, record);
}

void say_once(const char* what, cupti::Status status) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  char text[160];
  std::snprintf(text, sizeof text, "the name of a CUDA %s is not shown: CUPTI does not know its id (error %d)", what,
                status);
  say(wire::MessageKind::kInfo, text);
}

/// The context of a stream from the driver, null = unknown. The call shows up among the driver's calls.
void* context_of(void* stream) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  void* context = nullptr;
  if (auto* get = reinterpret_cast<int (*)(void*, void**)>(dlsym(driver, "cuStreamGetCtx")))
    if (get(stream, &context) != 0) context = nullptr;
  dlclose(driver);
  return context;
}

}  // namespace

void name_device(int ordinal, const char* name) {
  if (name != nullptr && ordinal >= 0)
    put_name(ObjectKind::kDevice, wire::kAnyDevice, static_cast<std::uint32_t>(ordinal), name);
}

void name_context(void* context, const char* name) {
  const cupti::Library* cupti = cupti::library_in_use();
  if (name == nullptr || context == nullptr || cupti == nullptr) return;
  std::uint32_t id = 0;
  cupti::Status status = cupti::kUnknownError;
  if (cupti->functions.GetContextId != nullptr) status = cupti->functions.GetContextId(context, &id);
  if (status != cupti::kSuccess) return say_once("context", status);
  put_name(ObjectKind::kContext, wire::kAnyDevice, id, name);
}

void name_stream(void* stream, const char* name) {
  const cupti::Library* cupti = cupti::library_in_use();
  if (name == nullptr || cupti == nullptr) return;
  const cupti::Functions& f = cupti->functions;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  std::uint32_t id = 0;
  cupti::Status status = cupti::kUnknownError;
  if (f.GetStreamIdEx != nullptr) {
    status = f.GetStreamIdEx(nullptr, stream, handle == kPerThreadStream ? 1 : 0, &id);
  } else if (f.GetStreamId != nullptr) {
    status = f.GetStreamId(nullptr, stream, &id);
  }
  if (status != cupti::kSuccess) return say_once("stream", status);
  // The special streams are those of the current context (null).
  void* context =
      stream == nullptr || handle == kLegacyStream || handle == kPerThreadStream ? nullptr : context_of(stream);
  std::uint32_t device = wire::kAnyDevice;
  if (f.GetDeviceId != nullptr && f.GetDeviceId(context, &device) != cupti::kSuccess) device = wire::kAnyDevice;
  put_name(ObjectKind::kStream, device, id, name);
}

void name_other(unsigned type) {
  Process* process = attached_process();
  if (process == nullptr) return;
  wire::NumberRecord record;
  record.head.type = wire::RecordType::kResource;
  record.head.time = now(*process);
  record.number = type;
  const Locked locked(process->lock);
  put_control(*process, record);
}

}  // namespace lacuna::collector

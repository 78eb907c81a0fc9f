// A stand-in for libcuda.so.1: cuInit() loads the library named by CUDA_INJECTION64_PATH as the driver
// does, and what is launched goes to the fake CUPTI. See fake_cupti.cpp.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>

#include "fake_handles.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
void (*command)(const char* what, const char* name, unsigned stream, unsigned long duration);

void connect() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD))
      if ((command = reinterpret_cast<decltype(command)>(dlsym(handle, "fake_cupti_do")))) return;
}
}  // namespace

EXPORT int cuInit(unsigned) {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    if (path != nullptr && *path != '\0') {
      void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr) {
        std::fprintf(stderr, "fake cuda: %s\n", dlerror());
        return;
      }
      if (auto* start = reinterpret_cast<int (*)()>(dlsym(handle, "InitializeInjection"))) start();
    }
    connect();
  });
  return 0;
}

EXPORT int cuDriverGetVersion(int* version) {
  const char* text = std::getenv("FAKE_DRIVER_VERSION");
  return *version = text != nullptr ? std::atoi(text) : 13000, 0;
}

// Two devices with a context each; what fake_do() does, it does on the current one.
static FakeContext contexts[2] = {{1, 0}, {2, 1}};
static FakeStream streams[64];

EXPORT void* fake_context(unsigned device) {
  return &contexts[device];
}
/// A stream whose id in CUPTI is `id`. The oldest dead one is used again: a handle says little.
EXPORT void* fake_stream(unsigned id, unsigned device) {
  for (FakeStream& s : streams) {
    if (s.is_alive) continue;
    s = {true, id, &contexts[device]};
    return &s;
  }
  return nullptr;
}
EXPORT void fake_destroy(void* stream) {
  static_cast<FakeStream*>(stream)->is_alive = false;
}
EXPORT int cuStreamGetCtx(void* stream, void** context) {
  const FakeStream* s = static_cast<FakeStream*>(stream);
  if (s < streams || s >= streams + 64) std::abort();  // as the driver may with a number for a stream
  if (!s->is_alive) return 400;
  return *context = s->context, 0;
}

EXPORT int cuDeviceGetCount(int* count) {
  return *count = 1, 0;
}

/// What the test target wants to happen: "kernel", "copy", "set", "graph", "sync", …
EXPORT int fake_do(const char* what, const char* name, unsigned stream, unsigned long duration) {
  // CUPTI may be loaded long after cuInit, by a collector that was asleep.
  if (static unsigned calls = 0; command == nullptr && ++calls % 256 == 0) connect();
  if (command != nullptr) command(what, name, stream, duration);
  return 0;
}

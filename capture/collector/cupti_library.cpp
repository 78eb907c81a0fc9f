#include "capture/collector/cupti_library.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include "capture/wire/handshake.h"

namespace lacuna::cupti {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                    "/usr/local/cuda/lib"};

/// CUPTI of CUDA 13 needs a driver of 13; an older driver wants that of 12 first.
bool has_old_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  int version = 0;
  auto* get_version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  const bool is_old = get_version != nullptr && get_version(&version) == 0 && version < 13000;
  dlclose(driver);
  return is_old;
}

void* open_any() {
  const char* names[] = {kNames[0], kNames[1]};
  if (has_old_driver()) std::swap(names[0], names[1]);
  for (const char* name : names)
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return handle;
  if (const char* path = std::getenv(wire::kCuptiVariable); path != nullptr && *path != '\0')
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : names)
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const char* folder : kFolders) {
    for (const char* name : names) {
      char path[128];
      std::snprintf(path, sizeof path, "%s/%s", folder, name);
      if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  }
  return nullptr;
}

template <class Function>
bool find(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  return function != nullptr;
}

}  // namespace

void describe_version(std::uint32_t version, char* text, std::size_t size) {
  if (version >= 100000) {
    std::snprintf(text, size, "CUDA %u.%u", version / 10000, version / 100 % 100);
    return;
  }
  static constexpr const char* kReleases[] = {"12.0", "12.1", "12.2", "12.3", "12.4", "12.5",
                                              "12.6", "12.7", "12.8", "12.9", "12.9"};
  const bool known = version >= kOldestVersion && version < kOldestVersion + std::size(kReleases);
  std::snprintf(text, size, "CUDA %s",
                known                      ? kReleases[version - kOldestVersion]
                : version < kOldestVersion ? "before 12"
                                           : "12");
}

bool load_library(Library& library, char* why, std::size_t why_size) {
  void* handle = open_any();
  if (handle == nullptr) {
    std::snprintf(why, why_size,
                  "no libcupti.so.13 or .12 found (install the CUDA toolkit or pip's nvidia-cuda-cupti, or set %s)",
                  wire::kCuptiVariable);
    return false;
  }
  library.handle = handle;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr)
    std::snprintf(library.path, sizeof library.path, "%s", map->l_name);
  Functions& f = library.functions;
  const char* missing = nullptr;
#define LACUNA_CUPTI_NEEDED(name) \
  if (!find(handle, "cupti" #name, f.name)) missing = "cupti" #name
  LACUNA_CUPTI_NEEDED(GetVersion);
  LACUNA_CUPTI_NEEDED(GetResultString);
  LACUNA_CUPTI_NEEDED(Subscribe);
  LACUNA_CUPTI_NEEDED(Unsubscribe);
  LACUNA_CUPTI_NEEDED(ActivityRegisterCallbacks);
  LACUNA_CUPTI_NEEDED(ActivityEnable);
  LACUNA_CUPTI_NEEDED(ActivityDisable);
  LACUNA_CUPTI_NEEDED(ActivityFlushAll);
  LACUNA_CUPTI_NEEDED(ActivityGetNextRecord);
  LACUNA_CUPTI_NEEDED(ActivityGetNumDroppedRecords);
  LACUNA_CUPTI_NEEDED(GetCallbackName);
#undef LACUNA_CUPTI_NEEDED
  find(handle, "cuptiSubscribe_v2", f.SubscribeV2);
  find(handle, "cuptiActivityRegisterTimestampCallback", f.ActivityRegisterTimestampCallback);
  find(handle, "cuptiGetTimestamp", f.GetTimestamp);
  find(handle, "cuptiEnableCallback", f.EnableCallback);
  find(handle, "cuptiSetThreadIdType", f.SetThreadIdType);
  find(handle, "cuptiGetStreamIdEx", f.GetStreamIdEx);
  find(handle, "cuptiGetStreamId", f.GetStreamId);
  find(handle, "cuptiGetContextId", f.GetContextId);
  find(handle, "cuptiGetDeviceId", f.GetDeviceId);
  if (missing != nullptr) {
    std::snprintf(why, why_size, "%s lacks %s", library.path, missing);
    return false;
  }
  if (f.GetVersion(&library.version) != kSuccess || library.version < kOldestVersion) {
    std::snprintf(why, why_size, "%s is of API version %u, older than CUDA 12.0", library.path, library.version);
    return false;
  }
  return true;
}

}  // namespace lacuna::cupti

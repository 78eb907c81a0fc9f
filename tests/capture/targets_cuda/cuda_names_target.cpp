// Names CUDA objects through NVIDIA's NVTX headers: cuda_names_target. The (fake) driver makes the objects; which
// lanes the names must end up on is in tests/capture/cuda_names_test.py.
#include <cstdio>
#include <string>

#include <dlfcn.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

namespace {

void* driver = nullptr;

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

}  // namespace

int main() {
  nvtxNameCudaDeviceA(0, "named before CUDA");
  nvtxNameCudaDeviceA(0, "first GPU");
  nvtxNameCudaStreamA(nullptr, "no CUDA yet");  // nothing to name, nothing to crash
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) {
    std::puts(dlerror());
    return 2;
  }
  find<int(unsigned)>("cuInit")(0);
  auto* fake_do = find<int(const char*, const char*, unsigned, unsigned long)>("fake_do");
  auto* make = find<void*(unsigned, unsigned)>("fake_stream");
  auto* destroy = find<void(void*)>("fake_destroy");
  auto* context_of = find<void*(unsigned)>("fake_context");
  if (fake_do == nullptr || make == nullptr || destroy == nullptr || context_of == nullptr) return 2;
  const auto kernel = [&](unsigned stream) { fake_do("kernel", "work", stream, 1000); };
  const auto runtime = [](void* handle) { return static_cast<cudaStream_t>(handle); };
  const auto driver_api = [](void* handle) { return static_cast<CUstream>(handle); };

  nvtxNameCuContextA(static_cast<CUcontext>(context_of(0)), "main context");

  // Before its first kernel; again, the last wins.
  void* copies = make(13, 0);
  nvtxNameCudaStreamA(runtime(copies), "first try");
  nvtxNameCudaStreamA(runtime(copies), "copies");
  kernel(13);
  // After its first kernel, through the driver's call, wide.
  void* math = make(14, 0);
  kernel(14);
  nvtxNameCuStreamW(driver_api(math), L"math \u00e9");
  // Renamed while in use.
  void* renamed = make(15, 0);
  nvtxNameCuStreamA(driver_api(renamed), "before");
  kernel(15);
  nvtxNameCudaStreamW(runtime(renamed), L"after");
  // Long names, and what JSON must escape.
  void* lengthy = make(16, 0);
  nvtxNameCudaStreamA(runtime(lengthy), (std::string(5000, 'x') + "\"\n\xff end").c_str());
  kernel(16);
  // Destroyed: its handle becomes another stream's, its name does not.
  void* gone = make(17, 0);
  nvtxNameCudaStreamA(runtime(gone), "short-lived");
  kernel(17);
  destroy(gone);
  void* heir = make(18, 0);
  if (heir != gone) return 3;
  kernel(18);
  // Named after its destruction: CUPTI refuses.
  void* dead = make(19, 0);
  kernel(19);
  destroy(dead);
  nvtxNameCudaStreamA(runtime(dead), "too late");
  // Named, never used: no lane. Unnamed: as before.
  nvtxNameCudaStreamA(runtime(make(20, 0)), "never used");
  kernel(21);
  // The default stream and that of the thread are numbers, no pointers.
  nvtxNameCudaStreamA(nullptr, "default");
  kernel(7);
  nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(2), "per thread");
  kernel(77);
  // The same id on another device is another stream.
  nvtxNameCudaStreamA(runtime(make(13, 1)), "of device 1");
  nvtxNameCuDeviceW(1, L"second GPU");
  fake_do("device", "", 1, 0);
  kernel(13);
  kernel(14);
  // As a resource of a domain.
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_CUDART_STREAM;
  resource.identifier.pValue = make(30, 1);
  resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource.message.ascii = "a resource";
  nvtxDomainResourceCreate(nvtxDomainCreateA("domain"), &resource);
  kernel(30);

  int event = 0;
  nvtxNameCudaEventA(reinterpret_cast<cudaEvent_t>(&event), "an event");
  nvtxNameCuEventW(reinterpret_cast<CUevent>(&event), L"an event");
  nvtxNameCudaStreamA(runtime(copies), nullptr);
  nvtxNameCuContextA(nullptr, "no context");
  nvtxNameCudaDeviceA(-1, "no device");
  return 0;
}

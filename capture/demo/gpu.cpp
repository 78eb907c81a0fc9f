#include "capture/demo/gpu.h"

#include <dlfcn.h>

namespace {

// A kernel as text: the driver compiles it for whatever device is there (compute capability 5.0 on).
constexpr const char* kPtx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry multiply_add(.param .u64 data, .param .u32 rounds) {
  .reg .pred %p; .reg .f32 %x; .reg .b32 %r<5>; .reg .b64 %a<4>;
  ld.param.u64 %a1, [data];
  ld.param.u32 %r1, [rounds];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %a2, %r2, 4;
  add.s64 %a3, %a1, %a2;
  ld.global.f32 %x, [%a3];
  mov.u32 %r3, 0;
again:
  fma.rn.f32 %x, %x, 0f3F7FF972, 0f38D1B717;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, %r1;
  @%p bra again;
  st.global.f32 [%a3], %x;
  ret;
}
)";

void* library = nullptr;

/// Calls a driver function by name: 0 is success. Our declarations of the few types: handles are
/// pointers, device pointers 64-bit numbers.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function == nullptr ? -1 : function(arguments...);
}

constexpr unsigned kBlock = 256;
constexpr unsigned kGrid = static_cast<unsigned>(Gpu::kBytes / sizeof(float) / kBlock);

}  // namespace

Gpu::Gpu() {
  library = library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  int devices = 0;
  int device = 0;
  void* context = nullptr;
  void* module = nullptr;
  if (call("cuInit", 0u) != 0 || call("cuDeviceGetCount", &devices) != 0 || devices == 0 ||
      call("cuDeviceGet", &device, 0) != 0 || call("cuDevicePrimaryCtxRetain", &context, device) != 0 ||
      call("cuCtxSetCurrent", context) != 0 || call("cuModuleLoadData", &module, kPtx) != 0 ||
      call("cuModuleGetFunction", &kernel_, module, "multiply_add") != 0 || call("cuStreamCreate", &stream_, 1u) != 0 ||
      call("cuMemAlloc_v2", &memory_, kBytes) != 0)
    return;
  is_there_ = true;
}

void Gpu::upload(const void* data, std::size_t bytes) {
  if (is_there_) call("cuMemcpyHtoDAsync_v2", memory_, data, bytes < kBytes ? bytes : kBytes, stream_);
}

void Gpu::launch(unsigned rounds) {
  if (!is_there_) return;
  void* arguments[] = {&memory_, &rounds};
  void** extra = nullptr;
  call("cuLaunchKernel", kernel_, kGrid, 1u, 1u, kBlock, 1u, 1u, 0u, stream_, &arguments[0], extra);
}

float Gpu::read_back() {
  float value = 0;
  if (is_there_) {
    void* to = &value;
    call("cuMemcpyDtoHAsync_v2", to, memory_, sizeof value, stream_);
    synchronize();
  }
  return value;
}

void Gpu::synchronize() {
  if (is_there_) call("cuStreamSynchronize", stream_);
}

// Entry points besides NVTX's and those of operators.cpp: the CUDA driver's, and those that Lacuna's Python hook
// calls around other profilers. All are safe to call in any process at any time; without a viewer they do nothing.

#include "capture/collector/cupti_capture.h"
#include "capture/collector/process.h"

#define LACUNA_EXPORT extern "C" __attribute__((visibility("default")))

using namespace lacuna;
using namespace lacuna::collector;

/// cuInit calls this in the library named by CUDA_INJECTION64_PATH. Non-zero: all is well.
LACUNA_EXPORT int InitializeInjection() {
  cupti::start_capture();
  return 1;
}

/// Non-zero when this process is being captured.
LACUNA_EXPORT int lacuna_is_capturing() {
  return attached_process() != nullptr ? 1 : 0;
}

/// Around another profiler of this process that needs CUPTI for itself.
LACUNA_EXPORT void lacuna_gpu_pause(const char* holder) {
  cupti::pause_capture(holder);
}
LACUNA_EXPORT void lacuna_gpu_resume() {
  cupti::resume_capture();
}

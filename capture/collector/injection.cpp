// Entry points besides NVTX's and those of operators.cpp: the CUDA driver's, and those that Lacuna's Python hook
// calls around other profilers. All are safe to call in any process at any time; without a viewer they do nothing.

#include "capture/collector/cupti_capture.h"
#include "capture/collector/process.h"
#include "capture/collector/sleeper.h"

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

/// Non-zero when this process captures nothing until it is asked to.
LACUNA_EXPORT int lacuna_is_dormant() {
  if (!is_dormant()) return 0;
  const Process* awake = attached_process();  // or it starts to sleep now
  const Process* process = known_process();
  return awake != nullptr || (process != nullptr && process->state == Process::kAsleep) ? 1 : 0;
}
/// `call(1)` when it woke, `call(0)` before it sleeps again, on a thread of ours; null: nobody is to be called.
LACUNA_EXPORT void lacuna_on_waking(void (*call)(int)) {
  use_waking_call(call);
}
/// In a forked child that goes on: so that it can be found as well.
LACUNA_EXPORT void lacuna_stir() {
  (void)attached_process();
}

/// Around another profiler of this process that needs CUPTI for itself.
LACUNA_EXPORT void lacuna_gpu_pause(const char* holder) {
  cupti::pause_capture(holder);
}
LACUNA_EXPORT void lacuna_gpu_resume() {
  cupti::resume_capture();
}

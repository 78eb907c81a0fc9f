// Entry points besides NVTX's: the CUDA driver's, and those that Lacuna's Python hook and its operator
// library call. All are safe to call in any process at any time; without a viewer they do nothing.

#include <cstring>

#include "capture/collector/cupti_capture.h"
#include "capture/collector/nvtx_names.h"
#include "capture/collector/threads.h"

#define LACUNA_EXPORT extern "C" __attribute__((visibility("default")))

using namespace lacuna;
using namespace lacuna::collector;

/// cuInit calls this in the library named by CUDA_INJECTION64_PATH. Non-zero: all is well.
LACUNA_EXPORT int InitializeInjection() {
  cupti::start_capture();
  return 1;
}

/// Non-zero when this process is being captured.
LACUNA_EXPORT int lacuna_is_capturing() { return attached_process() != nullptr ? 1 : 0; }

/// An operator of PyTorch starts on this thread. `sequence`: autograd's number, negative = none.
/// `shapes`: text such as "[[8, 16], []]", null = not asked for. `is_user`: not an operator, but what the
/// program marked with record_function.
LACUNA_EXPORT void lacuna_operator_begin(const char* name, long long sequence, const char* shapes, int is_user) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  const std::int32_t level = thread->depth(wire::kTorchDomain)++;
  const auto depth = static_cast<std::uint8_t>(level);
  if (sequence < 0 && shapes == nullptr && is_user == 0) {
    const std::uint32_t id = name_of(*thread, name);
    put_now(*thread, wire::head_bits(wire::RecordType::kPush, id, wire::kTorchDomain, depth));
    return;
  }
  wire::RangeRecord record;
  record.head.type = wire::RecordType::kPushAttributes;
  record.head.domain = wire::kTorchDomain;
  record.head.depth = depth;
  record.head.name = name_of(*thread, name);
  record.category = is_user != 0 ? wire::kUserScope : 0;
  record.payload_type = wire::PayloadType::kOperator;
  record.payload = sequence < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(sequence);
  if (shapes != nullptr) record.id = intern(*thread->process, &thread->names, nullptr, shapes, std::strlen(shapes));
  record.head.time = thread->time();
  put(*thread, record);
}

LACUNA_EXPORT void lacuna_operator_end() {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  std::int32_t& depth = thread->depth(wire::kTorchDomain);
  if (depth <= 0) return;
  const std::int32_t level = --depth;
  put_now(*thread, wire::head_bits(wire::RecordType::kPop, wire::kNoName, wire::kTorchDomain,
                                   static_cast<std::uint8_t>(level)));
}

/// A training step ends here, on this thread.
LACUNA_EXPORT void lacuna_step(unsigned number) {
  if (ThreadState* thread = current_thread())
    put_now(*thread, wire::head_bits(wire::RecordType::kStep, number, wire::kDefaultDomain, 0));
}

/// Something about the capture of PyTorch that the user should read.
LACUNA_EXPORT void lacuna_say_torch(const char* text) { say(wire::MessageKind::kTorch, text); }

/// While non-zero, default-domain ranges with emit_nvtx's suffixes are operators.
LACUNA_EXPORT void lacuna_strip_torch_names(int on) { strips_torch_names = on != 0; }

/// Around another profiler of this process that needs CUPTI for itself.
LACUNA_EXPORT void lacuna_gpu_pause(const char* holder) { cupti::pause_capture(holder); }
LACUNA_EXPORT void lacuna_gpu_resume() { cupti::resume_capture(); }

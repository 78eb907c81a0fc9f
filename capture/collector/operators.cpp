// What Lacuna's Python hook and its operator library tell of PyTorch and of Python's threads and processes.

#include <cstring>

#include "capture/collector/announce.h"
#include "capture/collector/nvtx_names.h"
#include "capture/collector/steps.h"
#include "capture/collector/threads.h"

#define LACUNA_EXPORT extern "C" __attribute__((visibility("default")))

using namespace lacuna;
using namespace lacuna::collector;

/// An operator of PyTorch starts on this thread. `sequence`: autograd's number, negative = none. `inputs`: members
/// of "args" as JSON, null = not asked for. `scope`: wire::OperatorScope. `forward`: of a backward operator, the
/// thread of the forward one, in PyTorch's numbers; `torch_thread`: this thread in those numbers.
LACUNA_EXPORT void lacuna_operator_begin(const char* name, long long sequence, const char* inputs, unsigned scope,
                                         unsigned forward, unsigned torch_thread) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  if (__builtin_expect(thread->torch_thread != torch_thread, 0)) {
    thread->torch_thread = torch_thread;
    put_now(*thread, wire::head_bits(wire::RecordType::kTorchThread, torch_thread, wire::kTorchDomain, 0));
  }
  const auto depth = static_cast<std::uint8_t>(thread->depth(wire::kTorchDomain)++);
  const std::uint32_t id = name_of(*thread, name);
  if (sequence < 0 && inputs == nullptr && scope == 0) {
    put_now(*thread, wire::head_bits(wire::RecordType::kPush, id, wire::kTorchDomain, depth));
    return;
  }
  const std::uint32_t known = inputs == nullptr
                                  ? wire::kNoName
                                  : intern(*thread->process, &thread->names, nullptr, inputs, std::strlen(inputs));
  const wire::Slot more{sequence < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(sequence),
                        std::uint64_t{known} | std::uint64_t{(scope & 0xff) | forward << 8} << 32};
  put_now(*thread, wire::head_bits(wire::RecordType::kOperator, id, wire::kTorchDomain, depth), more);
}

LACUNA_EXPORT void lacuna_operator_end() {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  std::int32_t& depth = thread->depth(wire::kTorchDomain);
  if (depth <= 0) return;
  const std::int32_t level = --depth;
  put_now(*thread,
          wire::head_bits(wire::RecordType::kPop, wire::kNoName, wire::kTorchDomain, static_cast<std::uint8_t>(level)));
}

/// PyTorch's allocator gave `bytes` on this thread, or took them back (negative), or could not give them.
LACUNA_EXPORT void lacuna_allocation(unsigned long long address, long long bytes, unsigned long long allocated,
                                     unsigned long long reserved, int device_type, int device, int is_out_of_memory) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  wire::AllocatorRecord record;
  record.head.time = thread->time();
  record.head.domain = wire::kTorchDomain;
  record.head.type = wire::RecordType::kAllocator;
  record.address = address;
  record.bytes = bytes;
  record.allocated = allocated;
  record.reserved = reserved;
  record.device_type = static_cast<std::int16_t>(device_type);
  record.device = static_cast<std::int16_t>(device);
  record.is_out_of_memory = static_cast<std::uint32_t>(is_out_of_memory);
  put(*thread, record);
}

/// How to stop and resume the calls of the two functions above for all operators but those of scope 2
/// (record_function): `set(0)`, `set(1)`.
LACUNA_EXPORT void lacuna_operator_switch(void (*set)(int)) {
  use_operator_switch(set);
}

/// A training step ends here, on this thread.
LACUNA_EXPORT void lacuna_step(unsigned number) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  put_now(*thread, wire::head_bits(wire::RecordType::kStep, number, wire::kDefaultDomain, 0));
  step_ended(*thread);
}

/// torch.profiler begins (or ends) one of its ProfilerStep# ranges on this thread.
LACUNA_EXPORT void lacuna_profiler_step(int begins) {
  if (ThreadState* thread = current_thread(); thread != nullptr) profiler_step(*thread, begins != 0);
}

/// In a forked child that goes on with Python.
LACUNA_EXPORT void lacuna_forget_steps() {
  forget_steps();
}

/// Something about the capture of PyTorch that the user should read.
LACUNA_EXPORT void lacuna_say_torch(const char* text) {
  say(wire::MessageKind::kTorch, text);
}

/// While non-zero, default-domain ranges with emit_nvtx's suffixes are operators.
LACUNA_EXPORT void lacuna_strip_torch_names(int on) {
  strips_torch_names = on != 0;
}

/// What this process is to the program, for instance "DataLoader worker 1".
LACUNA_EXPORT void lacuna_name_process(const char* name) {
  name_this_process(name);
}

/// A thread's name in the program.
LACUNA_EXPORT void lacuna_name_thread(unsigned tid, const char* name) {
  name_thread(tid, name);
}

/// Which rank of how many this process is, as torch.distributed says; `facts`: members of "distributedInfo" as JSON.
LACUNA_EXPORT void lacuna_rank(long long rank, long long local_rank, long long world_size, const char* facts) {
  tell_rank({rank, local_rank, world_size}, facts);
}

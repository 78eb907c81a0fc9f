#pragma once

#include <cstdint>
#include <string_view>

namespace lacuna {

/// The meaning of a category for the analyses, independent of its name in different versions
/// (2021: "Kernel", "Runtime"; now: "kernel", "cuda_runtime"; HIP, XPU and MTIA names likewise).
/// Source of the names: libkineto ActivityType.h and the files in formats.md 9.
enum class CategoryClass : std::uint8_t {
  kOther,
  kCpuOperator,      ///< cpu_op, Operator
  kRuntime,          ///< cuda_runtime, cuda_driver, Runtime, …: the calls that launch GPU work
  kKernel,           ///< kernel
  kMemcpy,           ///< gpu_memcpy, Memcpy
  kMemset,           ///< gpu_memset, Memset
  kCpuAnnotation,    ///< user_annotation: record_function, ProfilerStep#k
  kGpuAnnotation,    ///< gpu_user_annotation: its projection on a stream
  kPythonFunction,   ///< python_function
  kOverhead,         ///< overhead: time taken by the profiler
  kSynchronisation,  ///< cuda_sync
  kSample,           ///< python_sample, python_library_sample, native_sample: a frame of sampled stacks, an estimate
  kThreadState,      ///< thread_state: running, waiting, preempted
};

/// Classifies a category by its name, ignoring case. "a,b" counts as its first known part.
CategoryClass classify_category(std::string_view category);

/// Whether the category belongs on a track beside a thread, which no analysis counts as the thread's work.
constexpr bool is_beside_thread(CategoryClass c) {
  return c == CategoryClass::kSample || c == CategoryClass::kThreadState;
}

/// Whether the category keeps a GPU busy: kernel, memcpy or memset; not annotations and overhead.
constexpr bool is_gpu_activity(CategoryClass c) {
  return c == CategoryClass::kKernel || c == CategoryClass::kMemcpy || c == CategoryClass::kMemset;
}

}  // namespace lacuna

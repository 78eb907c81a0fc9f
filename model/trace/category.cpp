#include "model/trace/category.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

using enum CategoryClass;

constexpr std::array<std::pair<std::string_view, CategoryClass>, 36> kCategoryNames{{
    {"cpu_op", kCpuOperator},
    {"operator", kCpuOperator},
    {"cuda_runtime", kRuntime},
    {"cuda_driver", kRuntime},
    {"runtime", kRuntime},
    {"driver", kRuntime},
    {"hip_runtime", kRuntime},
    {"hip_api", kRuntime},  // this and the next three are rocprofv3's
    {"privateuse1_runtime", kRuntime},
    {"privateuse1_driver", kRuntime},
    {"xpu_runtime", kRuntime},
    {"xpu_driver", kRuntime},
    {"mtia_runtime", kRuntime},
    {"hpu_op", kRuntime},  // of the host, Kineto's ActivityType.h says
    {"glow_runtime", kRuntime},
    {"kernel", kKernel},
    {"mtia_ccp_events", kKernel},
    {"privateuse1_kernel", kKernel},
    {"kernel_dispatch", kKernel},
    {"gpu_memcpy", kMemcpy},
    {"memory_copy", kMemcpy},
    {"memcpy", kMemcpy},
    {"gpu_memset", kMemset},
    {"memset", kMemset},
    {"user_annotation", kCpuAnnotation},
    {"marker_api", kCpuAnnotation},
    {"gpu_user_annotation", kGpuAnnotation},
    {"python_function", kPythonFunction},
    {"overhead", kOverhead},
    {"cuda_sync", kSynchronisation},
    {"xpu_sync", kSynchronisation},
    {"synchronization", kSynchronisation},
    {"python_sample", kSample},
    {"python_library_sample", kSample},
    {"native_sample", kSample},
    {"thread_state", kThreadState},
}};

}  // namespace

CategoryClass classify_category(std::string_view category) {
  while (true) {
    const auto comma = category.find(',');
    const std::string_view part = category.substr(0, comma);
    for (const auto& [name, meaning] : kCategoryNames)
      if (equal_ignoring_case(part, name)) return meaning;
    if (comma == std::string_view::npos) return kOther;
    category.remove_prefix(comma + 1);
  }
}

}  // namespace lacuna

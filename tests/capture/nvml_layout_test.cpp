// capture/metrics/nvml_abi.h against NVIDIA's header, where it is installed.
#include <doctest/doctest.h>

#include "tests/support/skip.h"

#if __has_include(<nvml.h>)

#include <cstddef>

#include <nvml.h>

#include "capture/metrics/nvml_abi.h"

namespace nvml_abi = lacuna::nvml;

#define SAME_AS_NVML(Ours, our_field, Theirs, their_field)                             \
  static_assert(offsetof(nvml_abi::Ours, our_field) == offsetof(Theirs, their_field)); \
  static_assert(sizeof(nvml_abi::Ours::our_field) == sizeof(Theirs::their_field))

static_assert(sizeof(nvml_abi::Utilisation) == sizeof(nvmlUtilization_t));
SAME_AS_NVML(Utilisation, gpu, nvmlUtilization_t, gpu);
SAME_AS_NVML(Utilisation, memory, nvmlUtilization_t, memory);
static_assert(sizeof(nvml_abi::Memory) == sizeof(nvmlMemory_t));
SAME_AS_NVML(Memory, total, nvmlMemory_t, total);
SAME_AS_NVML(Memory, free, nvmlMemory_t, free);
SAME_AS_NVML(Memory, used, nvmlMemory_t, used);
static_assert(sizeof(nvml_abi::ProcessInfo) == sizeof(nvmlProcessInfo_t));
SAME_AS_NVML(ProcessInfo, pid, nvmlProcessInfo_t, pid);
SAME_AS_NVML(ProcessInfo, used, nvmlProcessInfo_t, usedGpuMemory);
static_assert(sizeof(nvml_abi::FieldValue) == sizeof(nvmlFieldValue_t));
SAME_AS_NVML(FieldValue, field, nvmlFieldValue_t, fieldId);
SAME_AS_NVML(FieldValue, scope, nvmlFieldValue_t, scopeId);
SAME_AS_NVML(FieldValue, type, nvmlFieldValue_t, valueType);
SAME_AS_NVML(FieldValue, status, nvmlFieldValue_t, nvmlReturn);
SAME_AS_NVML(FieldValue, value, nvmlFieldValue_t, value);
static_assert(nvml_abi::kNvlinkSent == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX);
static_assert(nvml_abi::kNvlinkReceived == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX);
static_assert(static_cast<int>(nvml_abi::Clock::kSm) == NVML_CLOCK_SM);
static_assert(static_cast<int>(nvml_abi::Clock::kMemory) == NVML_CLOCK_MEM);
static_assert(static_cast<int>(nvml_abi::PcieCounter::kSent) == NVML_PCIE_UTIL_TX_BYTES);
static_assert(static_cast<int>(nvml_abi::PcieCounter::kReceived) == NVML_PCIE_UTIL_RX_BYTES);
static_assert(nvml_abi::kTemperatureOfGpu == NVML_TEMPERATURE_GPU);
static_assert(static_cast<int>(nvml_abi::ValueType::kUnsigned) == NVML_VALUE_TYPE_UNSIGNED_INT);
static_assert(static_cast<int>(nvml_abi::ValueType::kUnsignedLong) == NVML_VALUE_TYPE_UNSIGNED_LONG);
static_assert(static_cast<int>(nvml_abi::ValueType::kUnsignedLongLong) == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
static_assert(nvml_abi::kSuccess == NVML_SUCCESS && nvml_abi::kNoPermission == NVML_ERROR_NO_PERMISSION);
static_assert(nvml_abi::kDriverNotLoaded == NVML_ERROR_DRIVER_NOT_LOADED &&
              nvml_abi::kGpuIsLost == NVML_ERROR_GPU_IS_LOST);
static_assert(nvml_abi::kVersionMismatch == NVML_ERROR_LIB_RM_VERSION_MISMATCH);
static_assert(nvml_abi::reason::kIdle == nvmlClocksThrottleReasonGpuIdle);
static_assert(nvml_abi::reason::kApplicationClocks == nvmlClocksThrottleReasonApplicationsClocksSetting);
static_assert(nvml_abi::reason::kPowerCap == nvmlClocksThrottleReasonSwPowerCap);
static_assert(nvml_abi::reason::kHardwareSlowdown == nvmlClocksThrottleReasonHwSlowdown);
static_assert(nvml_abi::reason::kSyncBoost == nvmlClocksThrottleReasonSyncBoost);
static_assert(nvml_abi::reason::kThermal == nvmlClocksThrottleReasonSwThermalSlowdown);
static_assert(nvml_abi::reason::kHardwareThermal == nvmlClocksThrottleReasonHwThermalSlowdown);
static_assert(nvml_abi::reason::kPowerBrake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
static_assert(nvml_abi::reason::kDisplayClocks == nvmlClocksThrottleReasonDisplayClockSetting);

TEST_CASE("NVML: our declarations are those of nvml.h") {
  CHECK(sizeof(nvml_abi::FieldValue) == sizeof(nvmlFieldValue_t));
}

#else

TEST_CASE("NVML: our declarations are those of nvml.h") {
  lacuna::skip("nvml.h is not installed");
}

#endif

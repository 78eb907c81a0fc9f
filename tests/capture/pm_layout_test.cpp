// capture/metrics/pm_abi.h against NVIDIA's headers, and what is sampled against the real libcupti, where they are.
#include <doctest/doctest.h>

#include "tests/support/skip.h"

#if __has_include(<cupti_pmsampling.h>)

#include <cstddef>
#include <cstdlib>
#include <string>

#include <cuda.h>
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include "capture/metrics/pm_library.h"

namespace pm_abi = lacuna::pm;

#define PM_STRUCT(Ours, Theirs)                          \
  static_assert(sizeof(pm_abi::Ours) == sizeof(Theirs)); \
  static_assert(offsetof(pm_abi::Head, reserved) == offsetof(Theirs, pPriv))
#define PM_FIELD(Ours, our_field, Theirs, their_field)                               \
  static_assert(offsetof(pm_abi::Ours, our_field) == offsetof(Theirs, their_field)); \
  static_assert(sizeof(pm_abi::Ours::our_field) == sizeof(Theirs::their_field))

PM_STRUCT(Initialize, CUpti_Profiler_Initialize_Params);
PM_STRUCT(GetChipName, CUpti_Device_GetChipName_Params);
PM_FIELD(GetChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
PM_FIELD(GetChipName, name, CUpti_Device_GetChipName_Params, pChipName);
PM_STRUCT(GetAvailability, CUpti_PmSampling_GetCounterAvailability_Params);
PM_FIELD(GetAvailability, device, CUpti_PmSampling_GetCounterAvailability_Params, deviceIndex);
PM_FIELD(GetAvailability, bytes, CUpti_PmSampling_GetCounterAvailability_Params, counterAvailabilityImageSize);
PM_FIELD(GetAvailability, image, CUpti_PmSampling_GetCounterAvailability_Params, pCounterAvailabilityImage);
PM_STRUCT(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
PM_FIELD(HostInitialize, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
PM_FIELD(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
PM_FIELD(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
PM_FIELD(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
PM_STRUCT(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params);
PM_FIELD(HostDeinitialize, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
PM_STRUCT(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
PM_FIELD(AddMetrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
PM_FIELD(AddMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
PM_FIELD(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
PM_STRUCT(GetConfigSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
PM_FIELD(GetConfigSize, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
PM_FIELD(GetConfigSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
PM_STRUCT(GetConfig, CUpti_Profiler_Host_GetConfigImage_Params);
PM_FIELD(GetConfig, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
PM_FIELD(GetConfig, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
PM_FIELD(GetConfig, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
PM_STRUCT(GetPasses, CUpti_Profiler_Host_GetNumOfPasses_Params);
PM_FIELD(GetPasses, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
PM_FIELD(GetPasses, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
PM_FIELD(GetPasses, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
PM_STRUCT(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
PM_FIELD(Evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
PM_FIELD(Evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
PM_FIELD(Evaluate, data_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
PM_FIELD(Evaluate, sample, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
PM_FIELD(Evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
PM_FIELD(Evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
PM_FIELD(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
PM_STRUCT(Enable, CUpti_PmSampling_Enable_Params);
PM_FIELD(Enable, device, CUpti_PmSampling_Enable_Params, deviceIndex);
PM_FIELD(Enable, sampler, CUpti_PmSampling_Enable_Params, pPmSamplingObject);
PM_STRUCT(OfSampler, CUpti_PmSampling_Disable_Params);
PM_STRUCT(OfSampler, CUpti_PmSampling_Start_Params);
PM_STRUCT(OfSampler, CUpti_PmSampling_Stop_Params);
PM_FIELD(OfSampler, sampler, CUpti_PmSampling_Start_Params, pPmSamplingObject);
PM_STRUCT(SetConfig, CUpti_PmSampling_SetConfig_Params);
PM_FIELD(SetConfig, sampler, CUpti_PmSampling_SetConfig_Params, pPmSamplingObject);
PM_FIELD(SetConfig, config_bytes, CUpti_PmSampling_SetConfig_Params, configSize);
PM_FIELD(SetConfig, config, CUpti_PmSampling_SetConfig_Params, pConfig);
PM_FIELD(SetConfig, buffer_bytes, CUpti_PmSampling_SetConfig_Params, hardwareBufferSize);
PM_FIELD(SetConfig, interval, CUpti_PmSampling_SetConfig_Params, samplingInterval);
PM_FIELD(SetConfig, trigger, CUpti_PmSampling_SetConfig_Params, triggerMode);
static_assert(pm_abi::kSetConfigBytesBefore ==
              CUPTI_PROFILER_STRUCT_SIZE(CUpti_PmSampling_SetConfig_Params, triggerMode));
#if CUPTI_API_VERSION >= 26
PM_FIELD(SetConfig, append, CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode);
static_assert(sizeof(pm_abi::SetConfig) == CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
#endif
PM_STRUCT(GetDataSize, CUpti_PmSampling_GetCounterDataSize_Params);
PM_FIELD(GetDataSize, sampler, CUpti_PmSampling_GetCounterDataSize_Params, pPmSamplingObject);
PM_FIELD(GetDataSize, names, CUpti_PmSampling_GetCounterDataSize_Params, pMetricNames);
PM_FIELD(GetDataSize, count, CUpti_PmSampling_GetCounterDataSize_Params, numMetrics);
PM_FIELD(GetDataSize, most_samples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
PM_FIELD(GetDataSize, bytes, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize);
PM_STRUCT(InitializeData, CUpti_PmSampling_CounterDataImage_Initialize_Params);
PM_FIELD(InitializeData, sampler, CUpti_PmSampling_CounterDataImage_Initialize_Params, pPmSamplingObject);
PM_FIELD(InitializeData, bytes, CUpti_PmSampling_CounterDataImage_Initialize_Params, counterDataSize);
PM_FIELD(InitializeData, data, CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData);
PM_STRUCT(Decode, CUpti_PmSampling_DecodeData_Params);
PM_FIELD(Decode, sampler, CUpti_PmSampling_DecodeData_Params, pPmSamplingObject);
PM_FIELD(Decode, data, CUpti_PmSampling_DecodeData_Params, pCounterDataImage);
PM_FIELD(Decode, bytes, CUpti_PmSampling_DecodeData_Params, counterDataImageSize);
PM_FIELD(Decode, stop, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
PM_FIELD(Decode, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
PM_STRUCT(GetDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params);
PM_FIELD(GetDataInfo, data, CUpti_PmSampling_GetCounterDataInfo_Params, pCounterDataImage);
PM_FIELD(GetDataInfo, bytes, CUpti_PmSampling_GetCounterDataInfo_Params, counterDataImageSize);
PM_FIELD(GetDataInfo, total, CUpti_PmSampling_GetCounterDataInfo_Params, numTotalSamples);
PM_FIELD(GetDataInfo, populated, CUpti_PmSampling_GetCounterDataInfo_Params, numPopulatedSamples);
PM_FIELD(GetDataInfo, completed, CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples);
PM_STRUCT(GetSampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
PM_FIELD(GetSampleInfo, sampler, CUpti_PmSampling_CounterData_GetSampleInfo_Params, pPmSamplingObject);
PM_FIELD(GetSampleInfo, data, CUpti_PmSampling_CounterData_GetSampleInfo_Params, pCounterDataImage);
PM_FIELD(GetSampleInfo, bytes, CUpti_PmSampling_CounterData_GetSampleInfo_Params, counterDataImageSize);
PM_FIELD(GetSampleInfo, sample, CUpti_PmSampling_CounterData_GetSampleInfo_Params, sampleIndex);
PM_FIELD(GetSampleInfo, start, CUpti_PmSampling_CounterData_GetSampleInfo_Params, startTimestamp);
PM_FIELD(GetSampleInfo, end, CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp);

static_assert(pm_abi::kPmSampling == CUPTI_PROFILER_TYPE_PM_SAMPLING);
static_assert(static_cast<int>(pm_abi::Trigger::kClockCycles) == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL);
static_assert(static_cast<int>(pm_abi::Trigger::kNanoseconds) == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL);
static_assert(static_cast<int>(pm_abi::DecodeStop::kDataIsFull) ==
              CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL);
static_assert(pm_abi::kInvalidParameter == CUPTI_ERROR_INVALID_PARAMETER);
static_assert(pm_abi::kInvalidContext == CUPTI_ERROR_INVALID_CONTEXT);
static_assert(pm_abi::kInvalidOperation == CUPTI_ERROR_INVALID_OPERATION);
static_assert(pm_abi::kOutOfMemory == CUPTI_ERROR_OUT_OF_MEMORY);
static_assert(pm_abi::kHardware == CUPTI_ERROR_HARDWARE);
static_assert(pm_abi::kNotInitialized == CUPTI_ERROR_NOT_INITIALIZED);
static_assert(pm_abi::kHardwareBusy == CUPTI_ERROR_HARDWARE_BUSY);
static_assert(pm_abi::kNotSupported == CUPTI_ERROR_NOT_SUPPORTED);
static_assert(pm_abi::kVirtualized == CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
static_assert(pm_abi::kNoPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
static_assert(pm_abi::kNoPrivilegesVirtualized == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
static_assert(pm_abi::kConfidential == CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
static_assert(pm_abi::kMining == CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED);
static_assert(pm_abi::kMig == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
static_assert(pm_abi::kSli == CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
static_assert(pm_abi::kWsl == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
static_assert(pm_abi::kUnknown == CUPTI_ERROR_UNKNOWN);
static_assert(pm_abi::kNoDevice == CUDA_ERROR_NO_DEVICE);

TEST_CASE("the real libcupti samples what we ask for in one pass, on each chip") {
  if (std::getenv("LACUNA_SANITIZED") != nullptr) {
    lacuna::skip("AddressSanitizer does not let libcupti load its own libraries");
    return;
  }
  const lacuna::Result<lacuna::PmLibrary> library = lacuna::load_pm_library();
  if (!library) {
    lacuna::skip("no libcupti of CUDA 12.6 or later on this machine");
    return;
  }
  const auto chosen = [&](const char* chip) {
    const lacuna::Result<lacuna::PmChoice> choice = lacuna::choose_pm_metrics(*library, chip, {});
    return choice ? choice->metrics : std::vector<std::size_t>{};
  };
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  for (const char* chip : {"GA100", "GA102", "AD102", "GH100"}) CHECK_MESSAGE(chosen(chip) == all, std::string(chip));
  if (library->version >= 26)
    for (const char* chip : {"GB100", "GB202"}) CHECK_MESSAGE(chosen(chip) == all, std::string(chip));
  // Turing needs a second pass for them, and what shares the host's memory has none of its own; a chip of which nobody
  // heard is refused with words.
  CHECK(chosen("TU104") == std::vector<std::size_t>{0, 1});
  CHECK(chosen("GA10B") == std::vector<std::size_t>{0, 1});
  const lacuna::Result<lacuna::PmChoice> unknown = lacuna::choose_pm_metrics(*library, "XX123", {});
  REQUIRE(!unknown);
  CHECK(unknown.error().message().find("a newer libcupti may know this GPU") != std::string::npos);
}

#else

TEST_CASE("layouts of CUPTI's PM sampling") {
  lacuna::skip("no cupti_pmsampling.h on this machine");
}

#endif

// A stand-in for CUPTI's PM sampling: a GPU at half of everything, as FAKE_PM asks:
//   (unset)     good: samples come by the time since start, stamped with the clock that was registered
//   realtime    stamped with CLOCK_REALTIME, whatever was registered
//   privileges, busy, mig, vgpu, unknown   asked about counters, it refuses
//   taken       enabling is refused: another profiler has it
//   lacks       the chip has no DRAM metrics;   passes   two metrics fill a pass;   cycles   a GA100
//   overflow    after 1 s the hardware's buffer has run over, and stays so until sampling is begun anew
//   gone        after 1 s the GPU has fallen off the bus;   crash   … the library does
//   hang        after 1 s nothing returns;          deaf   nothing returns from the start
//   odd         samples that make no sense: no time, times of another age, not a number
// FAKE_PM_VERSION: its CUPTI_API_VERSION, by which it insists on the sizes of structs. What is refused beyond that is a
// caller that does not keep NVIDIA's order of calls. It says nothing of how the real one behaves: tests/gpu/run does.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <cuda.h>
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

uint64_t (*given_clock)() = nullptr;
bool is_initialized = false, is_enabled = false, is_started = false;
uint64_t interval = 0, sampled_until = 0, began = 0, first_began = 0;
size_t metrics_sampled = 0;
uint32_t most_samples = 0;
bool has_run_over = false;
struct Host {
  size_t metrics;
};

struct Image {
  uint64_t magic, count;
  uint64_t times[1];  // count + 1
};
constexpr uint64_t kImage = 0xfacef00d;

bool is_wanted(const char* how) {
  const char* asked = std::getenv("FAKE_PM");
  return asked != nullptr && std::strcmp(asked, how) == 0;
}
uint64_t clock_now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
uint64_t time_now() {
  if (given_clock != nullptr && !is_wanted("realtime")) return given_clock();
  return clock_now(CLOCK_REALTIME);
}
uint32_t api_version() {
  const char* text = std::getenv("FAKE_PM_VERSION");
  return text != nullptr ? std::atoi(text) : CUPTI_API_VERSION;
}
bool is_late() {  // a second after the first start
  return first_began != 0 && clock_now(CLOCK_MONOTONIC) > first_began + 1000000000ull;
}
[[noreturn]] void hang() {
  for (;;) pause();
}
bool knows(const char* metric) {
  const std::string name = metric;
  if (name.find("dram__") == 0 && is_wanted("lacks")) return false;
  return name == "sm__cycles_active.avg.pct_of_peak_sustained_elapsed" ||
         name == "sm__warps_active.avg.pct_of_peak_sustained_elapsed" ||
         name == "dram__read_throughput.avg.pct_of_peak_sustained_elapsed" ||
         name == "dram__write_throughput.avg.pct_of_peak_sustained_elapsed";
}
template <class Params>
bool fits(const Params* params, size_t size) {
  return params != nullptr && params->structSize == size && params->pPriv == nullptr;
}
size_t metrics_of(CUpti_Profiler_Host_Object* host) {
  return reinterpret_cast<Host*>(host)->metrics;
}
char the_sampler;
auto* const sampler = reinterpret_cast<CUpti_PmSampling_Object*>(&the_sampler);

}  // namespace

#define FITS(Type) \
  if (!fits(p, Type##_STRUCT_SIZE)) return CUPTI_ERROR_INVALID_PARAMETER

EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  return *version = api_version(), CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetTimestamp(uint64_t* time) {
  return *time = time_now(), CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  return given_clock = callback, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* p) {
  FITS(CUpti_Profiler_Initialize_Params);
  if (is_wanted("deaf")) hang();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");  // one GPU, by its name
  if (visible == nullptr || std::strncmp(visible, "GPU-", 4) != 0) return CUPTI_ERROR_UNKNOWN;
  return is_initialized = true, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  FITS(CUpti_Device_GetChipName_Params);
  if (!is_initialized || p->deviceIndex != 0) return CUPTI_ERROR_INVALID_PARAMETER;
  return p->pChipName = is_wanted("cycles") ? "GA100" : "GH100", CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingGetCounterAvailability(CUpti_PmSampling_GetCounterAvailability_Params* p) {
  FITS(CUpti_PmSampling_GetCounterAvailability_Params);
  if (is_wanted("privileges")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (is_wanted("busy")) return CUPTI_ERROR_HARDWARE_BUSY;
  if (is_wanted("mig")) return CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED;
  if (is_wanted("vgpu")) return CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
  if (is_wanted("unknown")) return CUPTI_ERROR_UNKNOWN;
  if (p->pCounterAvailabilityImage == nullptr) return p->counterAvailabilityImageSize = 64, CUPTI_SUCCESS;
  std::memset(p->pCounterAvailabilityImage, 7, p->counterAvailabilityImageSize);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  FITS(CUpti_Profiler_Host_Initialize_Params);
  if (p->profilerType != CUPTI_PROFILER_TYPE_PM_SAMPLING || p->pChipName == nullptr ||
      p->pCounterAvailabilityImage == nullptr || p->pCounterAvailabilityImage[63] != 7)
    return CUPTI_ERROR_INVALID_PARAMETER;
  return p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Host{}), CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  FITS(CUpti_Profiler_Host_Deinitialize_Params);
  delete reinterpret_cast<Host*>(p->pHostObject);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  FITS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  for (size_t i = 0; i < p->numMetrics; ++i)
    if (!knows(p->ppMetricNames[i])) return CUPTI_ERROR_INVALID_METRIC_NAME;
  reinterpret_cast<Host*>(p->pHostObject)->metrics = p->numMetrics;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  FITS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  return p->configImageSize = 32, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  FITS(CUpti_Profiler_Host_GetConfigImage_Params);
  std::memset(p->pConfigImage, static_cast<int>(metrics_of(p->pHostObject)), p->configImageSize);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  FITS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  p->numOfPasses = is_wanted("passes") && p->pConfigImage[0] > 2 ? 2 : 1;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* p) {
  FITS(CUpti_PmSampling_Enable_Params);
  if (is_enabled || is_wanted("taken")) return CUPTI_ERROR_INVALID_OPERATION;
  is_enabled = true;
  return p->pPmSamplingObject = sampler, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params* p) {
  FITS(CUpti_PmSampling_Disable_Params);
  if (p->pPmSamplingObject != sampler || !is_enabled || is_started) return CUPTI_ERROR_INVALID_PARAMETER;
  return is_enabled = false, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* p) {
  // The size that CUDA 12.6 has, and the one of later versions.
  if (!fits(p, api_version() < 26 ? CUPTI_PROFILER_STRUCT_SIZE(CUpti_PmSampling_SetConfig_Params, triggerMode)
                                  : CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE))
    return CUPTI_ERROR_INVALID_PARAMETER;
  metrics_sampled = p->pConfig[0];
  if (!is_enabled || p->configSize != 32 || p->hardwareBufferSize < (1 << 20) || p->samplingInterval == 0)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const bool is_in_cycles = p->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
  if (is_wanted("cycles") && !is_in_cycles) return CUPTI_ERROR_NOT_SUPPORTED;
  interval = is_in_cycles ? p->samplingInterval * 10 / 14 : p->samplingInterval;  // a clock of 1.4 GHz
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* p) {
  FITS(CUpti_PmSampling_GetCounterDataSize_Params);
  if (p->numMetrics != metrics_sampled) return CUPTI_ERROR_INVALID_PARAMETER;
  most_samples = p->maxSamples;
  return p->counterDataSize = sizeof(Image) + most_samples * sizeof(uint64_t), CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params* p) {
  FITS(CUpti_PmSampling_CounterDataImage_Initialize_Params);
  if (p->counterDataSize != sizeof(Image) + most_samples * sizeof(uint64_t)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto* image = reinterpret_cast<Image*>(p->pCounterData);
  image->magic = kImage;
  image->count = 0;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params* p) {
  FITS(CUpti_PmSampling_Start_Params);
  if (!is_enabled || is_started || interval == 0) return CUPTI_ERROR_INVALID_OPERATION;
  is_started = true;
  has_run_over = false;
  sampled_until = began = time_now();
  if (first_began == 0) first_began = clock_now(CLOCK_MONOTONIC);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params* p) {
  FITS(CUpti_PmSampling_Stop_Params);
  if (!is_started) return CUPTI_ERROR_INVALID_OPERATION;
  return is_started = false, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* p) {
  FITS(CUpti_PmSampling_DecodeData_Params);
  if (!is_started) return CUPTI_ERROR_INVALID_OPERATION;
  auto* image = reinterpret_cast<Image*>(p->pCounterDataImage);
  if (image->magic != kImage || image->count != 0) return CUPTI_ERROR_INVALID_PARAMETER;  // as the last one left it
  if (is_late() && is_wanted("hang")) hang();
  if (is_late() && is_wanted("crash")) *reinterpret_cast<volatile int*>(16) = 1;
  if (is_late() && is_wanted("gone")) return CUPTI_ERROR_HARDWARE;
  static bool ran_over_once = false;
  if (is_late() && is_wanted("overflow") && !ran_over_once) has_run_over = ran_over_once = true;
  if (has_run_over) return p->overflow = 1, CUPTI_ERROR_OUT_OF_MEMORY;
  p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  image->times[0] = sampled_until;
  for (const uint64_t until = time_now(); sampled_until + interval <= until; sampled_until += interval) {
    if (image->count == most_samples) {
      p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
      break;
    }
    image->times[++image->count] = sampled_until + interval;
  }
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* p) {
  FITS(CUpti_PmSampling_GetCounterDataInfo_Params);
  p->numTotalSamples = most_samples;
  p->numPopulatedSamples = p->numCompletedSamples = reinterpret_cast<const Image*>(p->pCounterDataImage)->count;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
  FITS(CUpti_PmSampling_CounterData_GetSampleInfo_Params);
  const auto* image = reinterpret_cast<const Image*>(p->pCounterDataImage);
  if (p->sampleIndex >= image->count) return CUPTI_ERROR_INVALID_PARAMETER;
  p->startTimestamp = image->times[p->sampleIndex];
  p->endTimestamp = image->times[p->sampleIndex + 1];
  if (is_wanted("odd") && p->sampleIndex % 2 == 0) p->startTimestamp = p->endTimestamp = 0;
  if (is_wanted("odd") && p->sampleIndex % 4 == 1) p->endTimestamp = p->startTimestamp << 1;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  FITS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  if (p->numMetrics != metrics_of(p->pHostObject) || p->numMetrics != metrics_sampled)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const auto* image = reinterpret_cast<const Image*>(p->pCounterDataImage);
  // Half busy: on for 100 ms, off for 100 ms since it began.
  const bool is_on = (image->times[p->rangeIndex] - began) / 100000000 % 2 == 0;
  for (size_t i = 0; i < p->numMetrics; ++i) {
    const std::string name = p->ppMetricNames[i];
    p->pMetricValues[i] = !is_on                         ? 0
                          : name.find("sm__cycles") == 0 ? 97.26
                          : name.find("sm__warps") == 0  ? 50.04
                          : name.find("dram__read") == 0 ? 40
                                                         : 20.5;
    if (is_wanted("odd")) p->pMetricValues[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return CUPTI_SUCCESS;
}

#pragma once
// The part of the binary interface of CUPTI's PM sampling (CUDA 12.6 and later) that Lacuna uses. Our own declarations,
// as in nvml_abi.h; tests/capture/pm_layout_test.cpp checks all of it against NVIDIA's headers where these are
// installed.

#include <cstddef>
#include <cstdint>

namespace lacuna::pm {

using Status = int;  // CUptiResult
inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidParameter = 1;
inline constexpr Status kInvalidContext = 3;
inline constexpr Status kInvalidOperation = 7;
inline constexpr Status kOutOfMemory = 8;
inline constexpr Status kHardware = 9;
inline constexpr Status kNotInitialized = 15;
inline constexpr Status kHardwareBusy = 26;
inline constexpr Status kNotSupported = 27;
inline constexpr Status kVirtualized = 33;
inline constexpr Status kNoPrivileges = 35;
inline constexpr Status kNoPrivilegesVirtualized = 40;
inline constexpr Status kConfidential = 41;
inline constexpr Status kMining = 42;
inline constexpr Status kMig = 43;
inline constexpr Status kSli = 44;
inline constexpr Status kWsl = 45;
inline constexpr Status kUnknown = 999;

/// Result of cuInit().
inline constexpr int kNoDevice = 100;

/// First member of each struct below: the struct size that the caller knows.
struct Head {
  std::size_t size = 0;
  void* reserved = nullptr;
};

struct Initialize {
  Head head{sizeof(Initialize), nullptr};
};

struct GetChipName {
  Head head{sizeof(GetChipName), nullptr};
  std::size_t device = 0;
  const char* name = nullptr;  ///< out: "GH100"
};

struct GetAvailability {
  Head head{sizeof(GetAvailability), nullptr};
  std::size_t device = 0;
  std::size_t bytes = 0;          ///< out while image is null
  std::uint8_t* image = nullptr;  ///< out
};

inline constexpr int kPmSampling = 1;  ///< the kind of profiler

struct HostInitialize {
  Head head{sizeof(HostInitialize), nullptr};
  int profiler = kPmSampling;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;  ///< null: everything that the chip has
  void* host = nullptr;                        ///< out
};

struct HostDeinitialize {
  Head head{sizeof(HostDeinitialize), nullptr};
  void* host = nullptr;
};

struct AddMetrics {
  Head head{sizeof(AddMetrics), nullptr};
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct GetConfigSize {
  Head head{sizeof(GetConfigSize), nullptr};
  void* host = nullptr;
  std::size_t bytes = 0;  ///< out
};

struct GetConfig {
  Head head{sizeof(GetConfig), nullptr};
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;  ///< out
};

struct GetPasses {
  Head head{sizeof(GetPasses), nullptr};
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  ///< out; PM sampling supports one
};

struct Evaluate {
  Head head{sizeof(Evaluate), nullptr};
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t sample = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  ///< out
};

struct Enable {
  Head head{sizeof(Enable), nullptr};
  std::size_t device = 0;
  void* sampler = nullptr;  ///< out
};

/// For Disable, Start and Stop.
struct OfSampler {
  Head head{sizeof(OfSampler), nullptr};
  void* sampler = nullptr;
};

enum class Trigger : int { kClockCycles = 0, kNanoseconds = 1 };  ///< Turing and GA100 know cycles of "sysclk" only

struct SetConfig {
  Head head{sizeof(SetConfig), nullptr};
  void* sampler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t buffer_bytes = 0;
  std::uint64_t interval = 0;
  Trigger trigger = Trigger::kNanoseconds;
  int append = 0;  ///< keep the oldest samples and report when full; not in CUDA 12.6
};
/// The size in CUDA 12.6; and the CUPTI API version of the first with all members (12.8; 12.7 was never released).
inline constexpr std::size_t kSetConfigBytesBefore = offsetof(SetConfig, append);
inline constexpr std::uint32_t kApiWithAppend = 26;

struct GetDataSize {
  Head head{sizeof(GetDataSize), nullptr};
  void* sampler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::uint32_t most_samples = 0;
  std::size_t bytes = 0;  ///< out
};

struct InitializeData {
  Head head{sizeof(InitializeData), nullptr};
  void* sampler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};

enum class DecodeStop : int { kOther = 0, kDataIsFull = 1, kEndOfRecords = 2 };

struct Decode {
  Head head{offsetof(Decode, overflow) + 1, nullptr};
  void* sampler = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  DecodeStop stop = DecodeStop::kOther;  ///< out
  std::uint8_t overflow = 0;             ///< out
};

struct GetDataInfo {
  Head head{sizeof(GetDataInfo), nullptr};
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t total = 0, populated = 0, completed = 0;  ///< out: samples
};

struct GetSampleInfo {
  Head head{sizeof(GetSampleInfo), nullptr};
  void* sampler = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t sample = 0;
  std::uint64_t start = 0, end = 0;  ///< out: ns of CUPTI's clock
};

struct Functions {
  int (*Init)(unsigned) = nullptr;                 ///< cuInit
  int (*RetainContext)(void**, int) = nullptr;     ///< cuDevicePrimaryCtxRetain
  int (*SetCurrentContext)(void*) = nullptr;       ///< cuCtxSetCurrent
  Status (*GetVersion)(std::uint32_t*) = nullptr;  ///< this and all below are CUPTI's
  Status (*GetTimestamp)(std::uint64_t*) = nullptr;
  Status (*RegisterClock)(std::uint64_t (*)()) = nullptr;  ///< cuptiActivityRegisterTimestampCallback
  Status (*ProfilerInitialize)(Initialize*) = nullptr;
  Status (*DeviceGetChipName)(GetChipName*) = nullptr;
  Status (*HostInitialize)(pm::HostInitialize*) = nullptr;
  Status (*HostDeinitialize)(pm::HostDeinitialize*) = nullptr;
  Status (*HostAddMetrics)(AddMetrics*) = nullptr;
  Status (*HostGetConfigSize)(GetConfigSize*) = nullptr;
  Status (*HostGetConfig)(GetConfig*) = nullptr;
  Status (*HostGetPasses)(GetPasses*) = nullptr;
  Status (*HostEvaluate)(Evaluate*) = nullptr;
  Status (*PmGetAvailability)(GetAvailability*) = nullptr;
  Status (*PmEnable)(Enable*) = nullptr;
  Status (*PmDisable)(OfSampler*) = nullptr;
  Status (*PmSetConfig)(SetConfig*) = nullptr;
  Status (*PmGetDataSize)(GetDataSize*) = nullptr;
  Status (*PmInitializeData)(InitializeData*) = nullptr;
  Status (*PmStart)(OfSampler*) = nullptr;
  Status (*PmStop)(OfSampler*) = nullptr;
  Status (*PmDecode)(Decode*) = nullptr;
  Status (*PmGetDataInfo)(GetDataInfo*) = nullptr;
  Status (*PmGetSampleInfo)(GetSampleInfo*) = nullptr;
};

}  // namespace lacuna::pm

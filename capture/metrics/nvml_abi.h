#pragma once
// The part of NVML's binary interface that Lacuna uses. Our own declarations, so that it is built without NVIDIA's
// headers, and one binary serves all drivers; tests/capture/nvml_layout_test.cpp checks all of it against nvml.h where
// that is installed.

#include <cstddef>
#include <cstdint>

namespace lacuna::nvml {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 3;
inline constexpr Status kNoPermission = 4;
inline constexpr Status kDriverNotLoaded = 9;
inline constexpr Status kGpuIsLost = 15;
inline constexpr Status kVersionMismatch = 18;

using Device = void*;

enum class Clock : int { kSm = 1, kMemory = 2 };
enum class PcieCounter : int { kSent = 0, kReceived = 1 };
inline constexpr int kTemperatureOfGpu = 0;

struct Utilisation {
  unsigned gpu;  ///< percent of the driver's own period (1/6 s to 1 s) with a kernel running
  unsigned memory;
};

struct Memory {
  unsigned long long total, free, used;  ///< bytes
};

/// For nvmlDeviceGetComputeRunningProcesses_v3.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;  ///< bytes; kUnknownBytes if the driver does not provide it
  unsigned gpu_instance;
  unsigned compute_instance;
};
inline constexpr unsigned long long kUnknownBytes = ~0ull;

enum class ValueType : int { kDouble = 0, kUnsigned = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  ValueType type;
  Status status;
  union {
    double real;
    unsigned number;
    unsigned long long_number;
    unsigned long long long_long_number;
  } value;
};
inline constexpr unsigned kNvlinkSent = 138;      ///< KiB since the driver was loaded
inline constexpr unsigned kNvlinkReceived = 139;  ///< likewise
inline constexpr unsigned kAllLinks = ~0u;        ///< scope: sum over all links

/// Bits of nvmlDeviceGetCurrentClocksEventReasons (before driver 535: …ThrottleReasons).
namespace reason {
inline constexpr std::uint64_t kIdle = 0x1;
inline constexpr std::uint64_t kApplicationClocks = 0x2;
inline constexpr std::uint64_t kPowerCap = 0x4;
inline constexpr std::uint64_t kHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kSyncBoost = 0x10;
inline constexpr std::uint64_t kThermal = 0x20;
inline constexpr std::uint64_t kHardwareThermal = 0x40;
inline constexpr std::uint64_t kPowerBrake = 0x80;
inline constexpr std::uint64_t kDisplayClocks = 0x100;
}  // namespace reason

/// Null: missing in this driver.
struct Functions {
  Status (*Init)() = nullptr;
  Status (*SystemGetDriverVersion)(char*, unsigned) = nullptr;
  Status (*DeviceGetCount)(unsigned*) = nullptr;
  Status (*DeviceGetHandleByIndex)(unsigned, Device*) = nullptr;
  Status (*DeviceGetName)(Device, char*, unsigned) = nullptr;
  Status (*DeviceGetUuid)(Device, char*, unsigned) = nullptr;
  Status (*DeviceGetUtilizationRates)(Device, Utilisation*) = nullptr;
  Status (*DeviceGetMemoryInfo)(Device, Memory*) = nullptr;
  Status (*DeviceGetClockInfo)(Device, Clock, unsigned*) = nullptr;
  Status (*DeviceGetMaxClockInfo)(Device, Clock, unsigned*) = nullptr;
  Status (*DeviceGetPowerUsage)(Device, unsigned*) = nullptr;
  Status (*DeviceGetEnforcedPowerLimit)(Device, unsigned*) = nullptr;
  Status (*DeviceGetTemperature)(Device, int, unsigned*) = nullptr;
  Status (*DeviceGetReasons)(Device, unsigned long long*) = nullptr;
  Status (*DeviceGetPcieThroughput)(Device, PcieCounter, unsigned*) = nullptr;
  Status (*DeviceGetFieldValues)(Device, int, FieldValue*) = nullptr;
  Status (*DeviceGetProcesses)(Device, unsigned*, ProcessInfo*) = nullptr;
};

}  // namespace lacuna::nvml

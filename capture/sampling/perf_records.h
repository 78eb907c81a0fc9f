#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lacuna {

/// One record of the kernel's perf ring, in the format that PerfEvents requests. Texts and spans point into the parsed
/// bytes.
struct PerfRecord {
  enum class Kind : std::uint8_t {
    kOther,      ///< not used
    kSwitchIn,   ///< the thread starts running
    kSwitchOut,  ///< the thread waits
    kPreempted,  ///< the thread could run, but another one does
    kStart,      ///< a thread was created: `pid`, `tid`
    kExit,
    kName,  ///< prctl, pthread_setname_np or exec: `name`
    kSample,
    kLost,  ///< the ring was full: `lost` records are missing
  };
  Kind kind = Kind::kOther;
  bool is_exec = false;  ///< kName
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time = 0;  ///< CLOCK_MONOTONIC ns; 0 = the record has none
  std::uint64_t lost = 0;
  std::string_view name;
  // kSample: the user-mode state recorded by the kernel.
  std::span<const std::byte> registers;  ///< kSampleRegisters' values, 8 bytes each; empty = none (a kernel thread)
  std::span<const std::byte> stack;      ///< copy of the stack from its top
};

/// Registers in samples, as bits of the kernel's PERF_REG_…: those that unwinding may need.
#if defined(__x86_64__)
inline constexpr std::uint64_t kSampleRegisters = 0xff01ff;  // ax … ip, r8 … r15; not flags and segments
#elif defined(__aarch64__)
inline constexpr std::uint64_t kSampleRegisters = 0x1ffffffff;  // x0 … x30, sp, pc
#else
inline constexpr std::uint64_t kSampleRegisters = 0;
#endif

/// Removes the first record from `bytes`. Returns false at the end, and if no valid record follows: `bytes` is then the
/// unparsed rest.
bool take_record(std::span<const std::byte>& bytes, PerfRecord& record);

}  // namespace lacuna

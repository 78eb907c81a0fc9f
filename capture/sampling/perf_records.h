#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lacuna {

/// One record of the kernel's perf ring, as PerfEvents asks for it. Texts and spans point into the bytes it was
/// parsed from.
struct PerfRecord {
  enum class Kind : std::uint8_t {
    kOther,      ///< of no use to us
    kSwitchIn,   ///< the thread begins to run
    kSwitchOut,  ///< it waits
    kPreempted,  ///< it could run on, but another one does
    kStart,      ///< a thread began: `pid`, `tid`
    kExit,
    kName,  ///< prctl, pthread_setname_np or exec: `name`
    kSample,
    kLost,  ///< the ring was full: `lost` records
  };
  Kind kind = Kind::kOther;
  bool is_exec = false;  ///< kName
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time = 0;  ///< CLOCK_MONOTONIC ns; 0 = the record has none
  std::uint64_t lost = 0;
  std::string_view name;
  // kSample: where user code was, as the kernel took it down.
  std::span<const std::byte> registers;  ///< kSampleRegisters' values, 8 bytes each; empty = none (a kernel thread)
  std::span<const std::byte> stack;      ///< a copy of the stack from its top on
};

/// Registers that samples hold, as bits of the kernel's PERF_REG_…: those that unwinding may need.
#if defined(__x86_64__)
inline constexpr std::uint64_t kSampleRegisters = 0xff01ff;  // ax … ip, r8 … r15; not flags and segments
#elif defined(__aarch64__)
inline constexpr std::uint64_t kSampleRegisters = 0x1ffffffff;  // x0 … x30, sp, pc
#else
inline constexpr std::uint64_t kSampleRegisters = 0;
#endif

/// Takes the first record off `bytes`. False at the end, and when what follows is no record: `bytes` is then
/// what could not be read.
bool take_record(std::span<const std::byte>& bytes, PerfRecord& record);

}  // namespace lacuna

#pragma once

#include <ctime>

#include "capture/wire/segment.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lacuna::wire {

inline std::uint64_t to_ns(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}
inline std::uint64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return to_ns(t);
}
inline std::uint64_t realtime_ns() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return to_ns(t);
}
/// Reads the time-stamp counter; 0 on processors without one that we can read.
inline std::uint64_t read_tsc() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}
inline std::uint64_t read_clock(ClockKind kind) {
  return kind == ClockKind::kTsc ? read_tsc() : monotonic_ns();
}

/// Whether the counter runs at one rate on all cores, according to the processor (CPUID 8000_0007h
/// EDX bit 8) and the kernel (it has not fallen back to another clock source).
bool tsc_is_reliable();

/// Reads the three clocks as close together as five tries allow (tens of ns).
ClockTriple read_triple();

}  // namespace lacuna::wire

#include "capture/wire/clock.h"

#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lacuna::wire {

bool tsc_is_reliable() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  // A kernel that found the counter unstable reads another one ("hpet", "acpi_pm", "refined-jiffies").
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;  // no /sys in this container: the processor's word stands alone
  char name[32] = {};
  const ssize_t got = read(file, name, sizeof name - 1);
  close(file);
  if (got <= 0) return true;
  return std::strncmp(name, "tsc", 3) == 0 || std::strncmp(name, "kvm-clock", 9) == 0 ||
         std::strncmp(name, "hyperv", 6) == 0 || std::strncmp(name, "xen", 3) == 0;
#else
  return false;
#endif
}

ClockTriple read_triple() {
  ClockTriple best;
  std::uint64_t best_width = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = monotonic_ns();
    ClockTriple triple;
    triple.tsc = read_tsc();
    triple.realtime_ns = realtime_ns();
    const std::uint64_t after = monotonic_ns();
    triple.monotonic_ns = before + (after - before) / 2;
    if (after - before < best_width) {
      best_width = after - before;
      best = triple;
    }
  }
  return best;
}

}  // namespace lacuna::wire

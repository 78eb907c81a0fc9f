#include "tests/support/counted_work.h"

#include <ctime>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lacuna {
namespace {

/// A counter that threads inherit; < 0: there is none on this machine.
int instruction_counter() {
#if defined(__linux__)
  static const int counter = [] {
    perf_event_attr asked{};
    asked.size = sizeof asked;
    asked.type = PERF_TYPE_HARDWARE;
    asked.config = PERF_COUNT_HW_INSTRUCTIONS;
    asked.inherit = 1;
    asked.exclude_kernel = 1;
    asked.exclude_hv = 1;
    return static_cast<int>(::syscall(SYS_perf_event_open, &asked, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  }();
  return counter;
#else
  return -1;
#endif
}

}  // namespace

std::uint64_t work_done() {
#if defined(__linux__)
  std::uint64_t count = 0;
  if (instruction_counter() >= 0 && ::read(instruction_counter(), &count, sizeof count) == sizeof count) return count;
#endif
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

bool are_instructions_counted() {
  return instruction_counter() >= 0;
}

double little_work() {
#if defined(_WIN32)
  return 32e6;  // the clock goes on by 10 or 16 ms at once
#else
  return are_instructions_counted() ? 6e6 : 2e6;
#endif
}

}  // namespace lacuna

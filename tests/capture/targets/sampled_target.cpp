// A program without any instrumentation that works 0.3 s in each of two threads, in functions of known names.
#include <cstdio>
#include <thread>

#include <time.h>

namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

volatile double result = 0;

}  // namespace

// External names, so that they stand in the symbol table as they are; not inlined, not merged.
#ifdef __clang__
#define LACUNA_AS_WRITTEN __attribute__((noinline))
#else
#define LACUNA_AS_WRITTEN __attribute__((noinline, noclone))
#endif

LACUNA_AS_WRITTEN void leaf(int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds; ++i) sum += static_cast<double>(i) / (sum + 1);
  result = result + sum;
}

LACUNA_AS_WRITTEN void in_main(int rounds) {
  for (const double end = thread_seconds() + 0.3; thread_seconds() < end;) leaf(rounds);
  result = result + 1;  // no tail call
}

LACUNA_AS_WRITTEN void in_thread(int rounds) {
  for (const double end = thread_seconds() + 0.3; thread_seconds() < end;) leaf(rounds);
  result = result + 1;
}

int main() {
  std::thread thread(in_thread, 20000);
  in_main(20000);
  const timespec pause{0, 200'000'000};
  nanosleep(&pause, nullptr);
  thread.join();
  std::printf("%f\n", result);
}

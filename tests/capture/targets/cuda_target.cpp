// A program that uses the (fake) CUDA driver: cuda_target MODE [NUMBER]. See tests/capture/cuda_test.py.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

namespace {

int (*fake_do)(const char*, const char*, unsigned, unsigned long);
void (*gpu_pause)(const char*);
void (*gpu_resume)();

void rest(long milliseconds) {
  const timespec t{milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&t, nullptr);
}

double seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// The same work each time.
void compute(long rounds) {
  volatile unsigned long state = 1;
  for (long i = 0; i < rounds; ++i) state = state * 6364136223846793005ul + 1442695040888963407ul;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "all";
  const int number = argc > 2 ? std::atoi(argv[2]) : 1;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) {
    std::puts(dlerror());
    return 2;
  }
  reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0);
  fake_do = reinterpret_cast<decltype(fake_do)>(dlsym(driver, "fake_do"));
  if (fake_do == nullptr) return 2;
  if (const char* path = std::getenv("LACUNA_COLLECTOR")) {
    void* collector = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (collector != nullptr) {
      gpu_pause = reinterpret_cast<decltype(gpu_pause)>(dlsym(collector, "lacuna_gpu_pause"));
      gpu_resume = reinterpret_cast<decltype(gpu_resume)>(dlsym(collector, "lacuna_gpu_resume"));
    }
  }
  nvtxRangePushA("work");
  const char* mangled = "_Z4gemmIfEvPT_i";
  if (mode == "all") {
    fake_do("kernel", mangled, 7, 3000);
    rest(1);
    fake_do("kernel", "relu", 7, 2000);
    fake_do("copy", "", 8, 1000);
    fake_do("set", "", 8, 500);
    rest(1);
    fake_do("graph", "in_graph", 9, 1000);
    fake_do("sync", "", 7, 9000);
    fake_do("overhead", "", 0, 700);
    fake_do("incomplete", "cut", 7, 0);
  }
  if (mode == "memory") {
    fake_do("malloc", "", 1, 1000);
    fake_do("malloc", "", 2, 500);
    fake_do("host_malloc", "", 3, 64);
    fake_do("free", "", 1, 0);  // a release may lack its size
    fake_do("free", "", 2, 500);
    fake_do("free", "", 9, 0);  // never seen
    fake_do("graph", "in_graph", 9, 1000);
  }
  if (mode == "many")
    for (int i = 0; i < number; ++i) fake_do("kernel", i % 2 ? "odd" : "even", 7, 3000);
  if (mode == "rounds") {  // of compute() in 10 us: what "work" wants to be told
    compute(1000000);
    double best = 1;
    for (int i = 0; i < 20; ++i) {
      const double start = thread_seconds();
      compute(100000);
      const double spent = thread_seconds() - start;
      best = spent < best ? spent : best;
    }
    std::printf("%.0f\n", 100000 * 1e-5 / best);
  }
  if (mode == "work") {  // so many launches, each with so much work: prints what both take
    const long rounds = argc > 3 ? std::atol(argv[3]) : 1000;
    const double start = seconds();
    const double cpu = thread_seconds();
    for (int i = 0; i < number; ++i) {
      fake_do("kernel", "worked", 7, 3000);
      compute(rounds);
    }
    std::printf("%.1f ns, %.1f ns of the thread's time\n", (seconds() - start) / number * 1e9,
                (thread_seconds() - cpu) / number * 1e9);
  }
  if (mode == "rate") {  // launches, so many a second, as a busy program does; prints what one costs
    const double start = seconds();
    const double each = 1.0 / (argc > 3 ? std::atof(argv[3]) : 100000);
    double spent = 0;
    for (int i = 0; i < number; ++i) {
      const double before = seconds();
      fake_do("kernel", "rated", 7, 3000);
      spent += seconds() - before;
      while (seconds() < start + each * (i + 1))
        if (each > 1e-3) rest(1);
    }
    std::printf("%.1f ns a launch\n", spent / number * 1e9);
  }
  if (mode == "later") {  // CUPTI is busy at first
    fake_do("kernel", "too early", 7, 1000);
    rest(2500);
    fake_do("kernel", "in time", 7, 1000);
  }
  if (mode == "steal") {
    fake_do("kernel", "ours", 7, 1000);
    rest(200);
    fake_do("steal", "", 0, 0);
    for (int i = 0; i < 30; ++i) {
      fake_do("kernel", "theirs", 7, 1000);
      rest(100);
    }
    if (gpu_resume != nullptr) gpu_resume();
    fake_do("kernel", "ours again", 7, 1000);
  }
  if (mode == "pause") {
    fake_do("kernel", "ours", 7, 1000);
    if (gpu_pause != nullptr) gpu_pause("torch.profiler");
    nvtxRangePushA("while paused");
    nvtxRangePop();
    if (gpu_resume != nullptr) gpu_resume();
    fake_do("kernel", "ours again", 7, 1000);
  }
  nvtxRangePop();
  return 0;
}

// A program with NVTX ranges for the capture tests: nvtx_target MODE [NUMBER]. Each mode does one thing
// whose ranges the test knows exactly; see tests/capture/record_test.py.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int failures = 0;
void expect(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "nvtx_target: wrong: %s\n", what);
  ++failures;
}

double seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void range(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return a;
}

/// Every call of NVTX once, with known answers.
void all_calls() {
  expect(nvtxRangePushA("outer") == 0, "level of the first push");
  expect(nvtxRangePushW(L"inner \u00e9\U0001f600") == 1, "level of the second push");
  auto a = attributes();
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "coloured";
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xff112233;
  a.category = 7;
  a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  a.payload.llValue = -5;
  nvtxNameCategoryA(7, "seventh");
  expect(nvtxRangePushEx(&a) == 2, "level of the third push");
  expect(nvtxRangePop() == 2 && nvtxRangePop() == 1 && nvtxRangePop() == 0, "levels of the pops");
  expect(nvtxRangePop() < 0, "a pop without a push");

  nvtxDomainHandle_t domain = nvtxDomainCreateA("my.domain");
  expect(nvtxDomainCreateA("my.domain") == domain, "a domain of the same name");
  expect(nvtxDomainCreateW(L"wide.domain") != domain, "another domain");
  nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "registered");
  auto r = attributes();
  r.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  r.message.registered = name;
  nvtxDomainNameCategoryW(domain, 7, L"domain seven");
  r.category = 7;
  r.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  r.payload.dValue = 2.5;
  expect(nvtxDomainRangePushEx(domain, &r) == 0, "levels are per domain");
  expect(nvtxDomainRangePop(domain) == 0, "level of the domain's pop");
  r.message.registered = nvtxDomainRegisterStringW(domain, L"registered wide");
  r.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  r.payload.fValue = 0.25f;
  nvtxDomainRangePushEx(domain, &r);
  nvtxDomainRangePop(domain);

  nvtxMarkA("mark");
  nvtxMarkW(L"wide mark");
  nvtxMarkEx(&a);
  nvtxDomainMarkEx(domain, &r);

  const nvtxRangeId_t first = nvtxRangeStartA("started");
  const nvtxRangeId_t second = nvtxRangeStartW(L"started wide");
  const nvtxRangeId_t third = nvtxDomainRangeStartEx(domain, &r);
  expect(first != second && second != third && first != 0, "ids of started ranges");
  std::thread([=] { nvtxRangeEnd(first); }).join();  // ends on another thread
  nvtxDomainRangeEnd(domain, third);
  nvtxRangeEnd(second);

  nvtxNameOsThreadA(static_cast<std::uint32_t>(syscall(SYS_gettid)), "named thread");
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  resource.identifier.pValue = &resource;
  resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource.message.ascii = "a resource";
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, &resource));
  nvtxDomainDestroy(domain);

  // The same buffer with other names: the address says nothing.
  char buffer[64];
  for (const char* text : {"first use", "second use", "a name that is longer than sixteen bytes 1",
                           "a name that is longer than sixteen bytes 2", "first use", ""}) {
    std::snprintf(buffer, sizeof buffer, "%s", text);
    range(buffer);
  }
  range("control \x01 \"quoted\" \\ \xff");
  nvtxRangePushEx(nullptr);
  nvtxRangePop();
}

void many_threads(int count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([i] {
      const std::string name = "thread " + std::to_string(i);
      for (int k = 0; k < 100; ++k) range(name.c_str());
      usleep(200'000);  // all live at once
      range("same in all");
    });
  for (std::thread& t : threads) t.join();
}

void threads_in_turn(int count) {
  for (int i = 0; i < count; ++i) std::thread([] { range("short-lived"); }).join();
}

void forks(const char* self) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("inherited");
  auto r = attributes();
  r.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  r.message.registered = nvtxDomainRegisterStringA(domain, "registered before fork");
  range("in parent");
  nvtxRangePushA("across fork");
  if (fork() == 0) {
    for (int i = 0; i < 50; ++i) range("in child");
    nvtxDomainRangePushEx(domain, &r);
    nvtxDomainRangePop(domain);
    _exit(0);
  }
  wait(nullptr);
  if (fork() == 0) {
    execl(self, self, "simple", static_cast<char*>(nullptr));
    _exit(9);
  }
  wait(nullptr);
  nvtxRangePop();
  range("after fork");
}

void close_everything() {
  range("before closing");
  for (int i = 3; i < 1024; ++i) close(i);
  // New descriptors get the old numbers: nobody may touch them.
  const int mine = dup(1);
  for (int i = 0; i < 1000; ++i) range("after closing");
  if (fork() == 0) {
    range("child after closing");
    _exit(0);
  }
  wait(nullptr);
  usleep(300'000);
  expect(write(mine, "", 0) == 0, "a descriptor opened later still works");
  range("last");
}

struct Statics {
  Statics() { range("static initialiser"); }
  ~Statics() { range("static destructor"); }
} statics;

/// A thread's own destructor runs after our thread was told that it ends.
struct AtThreadEnd {
  ~AtThreadEnd() { range("thread destructor"); }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "simple";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "all") all_calls();
  if (mode == "simple") range("simple");
  if (mode == "threads") many_threads(number);
  if (mode == "turns") threads_in_turn(number);
  if (mode == "forks") forks(argv[0]);
  if (mode == "close") close_everything();
  if (mode == "exec") {
    range("before exec");
    execl(argv[0], argv[0], "simple", static_cast<char*>(nullptr));
  }
  if (mode == "exit") {
    std::atexit([] { range("atexit"); });
    std::thread([] {
      thread_local AtThreadEnd at_end;
      (void)&at_end;
      range("thread");
    }).join();
  }
  if (mode == "kill") {
    for (int i = 0; i < number; ++i) range("before kill");
    nvtxRangePushA("open at kill");
    raise(SIGKILL);
  }
  if (mode == "flood") {  // as fast as can be: a small ring must overflow
    nvtxRangePushA("flood");
    for (int i = 0; i < number; ++i) range("f");
    nvtxRangePop();
    usleep(100'000);
    nvtxRangePushA("after flood");
    range("inner");
    nvtxRangePop();
  }
  if (mode == "unique") {
    char name[64];
    for (int i = 0; i < number; ++i) {
      std::snprintf(name, sizeof name, "unique %d", i);
      range(name);
      if (i % 1000 == 0) usleep(2000);
    }
  }
  if (mode == "long") {
    range(std::string(static_cast<std::size_t>(number), 'x').c_str());
    range("after long");
  }
  if (mode == "wait") {  // until a signal comes
    range("ready");
    std::printf("ready %d\n", getpid());
    std::fflush(stdout);
    for (;;) {
      range("tick");
      usleep(1000);
    }
  }
  if (mode == "hang") {  // in a range, until a signal comes
    nvtxRangePushA("hangs here");
    std::printf("ready %d\n", getpid());
    std::fflush(stdout);
    for (;;) pause();
  }
  if (mode == "phases") {  // two phases of 150 ms, the second with 20 steps
    nvtxRangePushA("whole");
    nvtxRangePushA("loading");
    usleep(150'000);
    nvtxRangePop();
    nvtxRangePushA("training");
    for (int i = 0; i < 20; ++i) {
      nvtxRangePushA("step");
      usleep(7'000);
      nvtxRangePop();
    }
    nvtxRangePop();
    nvtxRangePop();
  }
  if (mode == "fail") {
    range("simple");
    return 3;
  }
  if (mode == "orphan") {  // the child goes on when its parent has ended
    range("parent");
    if (fork() == 0) {
      setsid();
      usleep(1'200'000);
      for (int i = 0; i < number; ++i) range("late");
    }
  }
  if (mode == "steps") {  // a loop that marks its steps, and nothing else
    for (int i = 0; i < number; ++i) {
      nvtxRangePushA("my step");
      range("work");
      nvtxRangePop();
      usleep(20'000);
    }
  }
  if (mode == "profiler_steps") {  // steps that torch.profiler marks, with an optimizer inside
    void* collector = dlopen(std::getenv("LACUNA_COLLECTOR"), RTLD_NOW | RTLD_NOLOAD);
    const auto end_step =
        collector == nullptr ? nullptr : reinterpret_cast<void (*)(unsigned)>(dlsym(collector, "lacuna_step"));
    for (int i = 0; i < number && end_step != nullptr; ++i) {
      char name[32];
      std::snprintf(name, sizeof name, "ProfilerStep#%d", i);
      nvtxRangePushA(name);
      range("work");
      end_step(static_cast<unsigned>(i));
      nvtxRangePop();
    }
  }
  if (mode == "rate") {  // NUMBER ranges a second for SECONDS, from THREADS threads, in bursts of a millisecond
    const double length = argc > 3 ? std::atof(argv[3]) : 1;
    const int threads = argc > 4 ? std::atoi(argv[4]) : 2;
    std::vector<std::thread> workers;
    const double start = seconds();
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([=] {
        const double per_thread = double(number) / threads;
        for (double done = 0; done < per_thread * length;) {
          for (const double due = (seconds() - start) * per_thread; done < due && done < per_thread * length;
               done += 2) {
            nvtxRangePushA("outer");
            range("aten::mm");
            nvtxRangePop();
          }
          usleep(1000);
        }
      });
    for (std::thread& t : workers) t.join();
    std::printf("%.0f ranges a second\n", number * length / (seconds() - start));
  }
  if (mode == "forked_rate") {  // as "rate", in this process and in a child that was forked without exec
    const pid_t child = fork();
    const double end = seconds() + (argc > 3 ? std::atof(argv[3]) : 1);
    while (seconds() < end && (child == 0 ? getppid() != 1 : true)) {
      nvtxRangePushA("outer");
      range("aten::mm");
      nvtxRangePop();
      usleep(static_cast<useconds_t>(1'000'000 / number));
    }
    if (child == 0) _exit(0);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (mode == "bench") {  // ns of a pair, best of several rounds; number = threads besides
    std::vector<std::thread> others;
    static volatile bool stop = false;
    for (int i = 0; i < number; ++i)
      others.emplace_back([] {
        while (!stop) range("aten::mm");
      });
    nvtxDomainHandle_t domain = nvtxDomainCreateA("bench");
    auto r = attributes();
    r.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    r.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    const auto measure = [](const char* what, auto&& pair) {
      double best = 1e9;
      for (int round = 0; round < 40; ++round) {
        usleep(20'000);
        const double start = seconds();
        for (int i = 0; i < 10'000; ++i) pair(i);
        best = std::min(best, (seconds() - start) / 10'000);
      }
      std::printf("%-40s %6.1f ns\n", what, best * 1e9);
    };
    measure("two reads of the time-stamp counter", [](int) {
#if defined(__x86_64__)
      (void)__builtin_ia32_rdtsc();
      (void)__builtin_ia32_rdtsc();
#endif
    });
    measure("push+pop, registered name", [&](int) {
      nvtxDomainRangePushEx(domain, &r);
      nvtxDomainRangePop(domain);
    });
    auto coloured = r;
    coloured.colorType = NVTX_COLOR_ARGB;
    coloured.color = 0xff00ff00;
    coloured.category = 1;
    measure("push+pop, with colour and category", [&](int) {
      nvtxDomainRangePushEx(domain, &coloured);
      nvtxDomainRangePop(domain);
    });
    auto odd = coloured;
    odd.category = 1u << 24;  // no room for it in the short record
    measure("push+pop, with a category from 2^24 on", [&](int) {
      nvtxDomainRangePushEx(domain, &odd);
      nvtxDomainRangePop(domain);
    });
    measure("push+pop, 8 characters", [](int) { range("aten::mm"); });
    measure("push+pop, 39 characters", [](int) { range("autograd::engine::evaluate_function: X1"); });
    char name[64];
    measure("push+pop, a new name each time", [&](int i) {
      static int round = 0;
      std::snprintf(name, sizeof name, "op %d", round++ + i);
      range(name);
    });
    stop = true;
    for (std::thread& t : others) t.join();
  }
  return failures == 0 ? 0 : 1;
}

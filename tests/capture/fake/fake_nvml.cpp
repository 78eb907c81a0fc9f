// A stand-in for libnvidia-ml: two GPUs whose numbers follow how often they were looked at, as FAKE_NVML asks:
//   (unset)    GPU 0 is at work at 1,980 MHz, falls to 1,095 MHz by its power cap at the 21st look, for 20 looks and
//   one
//              second at least, GPU 1 is idle
//   absent     the driver is not loaded
//   hang       the first look at a clock never returns
//   slow       each look at a clock takes 300 ms
//   lost       each number is refused (the GPU has fallen off the bus)
// FAKE_NVML_PID: the process that has 3 GiB on GPU 0. FAKE_NVML_ENOUGH: a file that is made once a GPU was looked at
// FAKE_NVML_LOOKS times; where that is unset, once GPU 0 was looked at for 1.5 s, and 30 times, after its fall. It says
// nothing of how NVIDIA's library behaves: tests/gpu/run does.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int kFallAt = 20, kLooksOfFall = 20, kLooksAfter = 30;

int looks[2] = {0, 0};
long long fell = 0, rose = 0;  // when the clock of GPU 0 did; 0: not yet
int looks_at_rise = 0;

long long now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}
bool is_asked(const char* how) {
  const char* asked = std::getenv("FAKE_NVML");
  return asked != nullptr && std::strcmp(asked, how) == 0;
}
void sleep_ms(long ms) {
  const timespec pause{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, nullptr);
}
long index_of(void* device) {
  return reinterpret_cast<long>(device) - 1;
}
bool is_throttled() {
  return fell != 0 && rose == 0;
}
/// At the first question of a look: one thread asks them all.
void look_at(long gpu) {
  const long long now = now_ms();
  const int seen = ++looks[gpu];
  if (gpu == 0 && fell == 0 && seen > kFallAt) fell = now;
  if (gpu == 0 && is_throttled() && seen > kFallAt + kLooksOfFall && now >= fell + 1000) {
    rose = now;
    looks_at_rise = seen;
  }
  const char* file = std::getenv("FAKE_NVML_ENOUGH");
  const char* most = std::getenv("FAKE_NVML_LOOKS");
  const bool is_enough = most != nullptr
                             ? seen >= std::atoi(most)
                             : gpu == 0 && rose != 0 && seen >= looks_at_rise + kLooksAfter && now >= rose + 1500;
  if (file == nullptr || !is_enough) return;
  if (FILE* made = std::fopen(file, "w")) std::fclose(made);
}
int give(unsigned* into, unsigned value) {
  if (is_asked("lost")) return 15;
  *into = value;
  return 0;
}

struct Utilisation {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  int type, status;
  unsigned long long value;
};

}  // namespace

#define NVML extern "C" __attribute__((visibility("default"))) int

NVML nvmlInit_v2() {
  return is_asked("absent") ? 9 : 0;
}
NVML nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "999.1 (fake)", size);
  return 0;
}
NVML nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<long>(index) + 1);
  return index < 2 ? 0 : 2;
}
NVML nvmlDeviceGetName(void*, char* text, unsigned size) {
  std::strncpy(text, "Fake GPU 9000", size);
  return 0;
}
NVML nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  std::strncpy(text, index_of(device) == 0 ? "GPU-aaaa-0000" : "GPU-bbbb-1111", size);
  return 0;
}
NVML nvmlDeviceGetUtilizationRates(void* device, Utilisation* use) {
  look_at(index_of(device));
  if (is_asked("lost")) return 15;
  *use = index_of(device) == 0 ? Utilisation{97, 41} : Utilisation{0, 0};
  return 0;
}
NVML nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  if (is_asked("lost")) return 15;
  const unsigned long long total = 80ull << 30, used = index_of(device) == 0 ? 5ull << 30 : 1ull << 20;
  *memory = {total, total - used, used};
  return 0;
}
NVML nvmlDeviceGetClockInfo(void* device, int kind, unsigned* mhz) {
  if (is_asked("hang"))
    for (;;) sleep_ms(1000);
  if (is_asked("slow")) sleep_ms(300);
  if (kind == 2) return give(mhz, 2619);
  return give(mhz, index_of(device) != 0 ? 210 : is_throttled() ? 1095 : 1980);
}
NVML nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) {
  return give(mhz, 1980);
}
NVML nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  return give(milliwatts, index_of(device) == 0 ? 699600 : 70000);
}
NVML nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return give(milliwatts, 700000);
}
NVML nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
  return give(celsius, index_of(device) == 0 ? 71 : 30);
}
NVML nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons) {
  if (is_asked("lost")) return 15;
  *reasons = index_of(device) != 0 ? 0x1 : is_throttled() ? 0x4 : 0;  // idle; power cap
  return 0;
}
NVML nvmlDeviceGetPcieThroughput(void* device, int kind, unsigned* kib) {
  if (is_asked("lost")) return 15;
  sleep_ms(20);
  *kib = index_of(device) == 0 ? (kind == 0 ? 1000u : 2000u) : 0;
  return 0;
}
NVML nvmlDeviceGetFieldValues(void* device, int count, FieldValue* fields) {
  if (is_asked("lost")) return 15;
  for (int i = 0; i < count; ++i) {
    fields[i].type = 3;
    fields[i].status = index_of(device) == 0 && (fields[i].field == 138 || fields[i].field == 139) ? 0 : 3;
    // 100 MiB a second one way, 200 the other.
    fields[i].value = static_cast<unsigned long long>(now_ms()) * 1024 * (fields[i].field == 138 ? 100 : 200) / 1000;
  }
  return 0;
}
NVML nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* list) {
  const char* pid = std::getenv("FAKE_NVML_PID");
  const bool is_there = index_of(device) == 0 && pid != nullptr && *count > 0;
  *count = is_there ? 1 : 0;
  if (is_there) list[0] = {static_cast<unsigned>(std::atoi(pid)), 3ull << 30, ~0u, ~0u};
  return 0;
}

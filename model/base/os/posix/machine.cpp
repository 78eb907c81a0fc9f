#include "model/base/os/machine.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <vector>

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/base/os/pages.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kNoMemoryLimit = ~std::uint64_t{0};

/// The number behind `key` in a file of "key value" lines; of its first line when `key` is empty.
std::optional<std::uint64_t> number_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (key.empty()) return file >> number ? std::optional(number) : std::nullopt;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    if (std::sscanf(line.c_str() + key.size(), " %lu", &number) == 1) return number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> free_in_system() {
  const auto available = number_in("/proc/meminfo", "MemAvailable:");
  if (!available) return std::nullopt;
  return (*available + number_in("/proc/meminfo", "SwapFree:").value_or(0)) * 1024;
}

/// How a version of control groups calls what limits memory.
struct ControlGroups {
  std::string root;                 // where they are mounted
  std::vector<std::string> limits;  // files with bytes
  std::string used;
  std::vector<std::string> cached;  // keys in memory.stat: pages of files, which the kernel takes away as it needs
};

/// The least that a group and those around it leave. In a container the path may be that of the machine; then only
/// the root, which is the container's own group, is there.
std::optional<std::uint64_t> free_in_groups(const ControlGroups& groups, std::string path) {
  std::optional<std::uint64_t> least;
  while (true) {
    const std::string folder = groups.root + path;
    if (const auto used = number_in(folder + groups.used, "")) {
      std::uint64_t cached = 0;
      for (const std::string& key : groups.cached) cached += number_in(folder + "/memory.stat", key).value_or(0);
      const std::uint64_t really_used = *used - std::min(*used, cached);
      for (const std::string& limit : groups.limits) {
        const auto most = number_in(folder + limit, "");  // "max": no number, no limit
        if (most) least = std::min(least.value_or(kNoMemoryLimit), *most - std::min(*most, really_used));
      }
    }
    if (path.empty()) return least;
    path.resize(path.rfind('/'));
  }
}

/// "0::/path" in /proc/self/cgroup is version 2, "4:memory:/path" version 1.
std::optional<std::uint64_t> free_in_control_group() {
  const ControlGroups unified{
      "/sys/fs/cgroup", {"/memory.max", "/memory.high"}, "/memory.current", {"inactive_file ", "active_file "}};
  const ControlGroups legacy{"/sys/fs/cgroup/memory",
                             {"/memory.limit_in_bytes"},
                             "/memory.usage_in_bytes",
                             {"total_inactive_file ", "total_active_file "}};
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (!path.empty() && path.front() != '/') continue;
    const bool is_legacy = controllers == "memory";
    if (!is_legacy && !controllers.empty()) continue;
    if (const auto free = free_in_groups(is_legacy ? legacy : unified, path)) return free;
  }
  return std::nullopt;
}

/// `limit` - `used`, where there is a limit.
std::optional<std::uint64_t> free_below(int resource, std::optional<std::uint64_t> used) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !used)
    return std::nullopt;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, *used);
}

std::optional<std::uint64_t> kilobytes_of_process(const std::string& key) {
  const auto found = number_in("/proc/self/status", key);
  return found ? std::optional(*found * 1024) : found;
}

std::optional<std::uint64_t> free_in_address_space() {
  const auto pages = number_in("/proc/self/statm", "");
  const auto page = static_cast<std::uint64_t>(page_size());
  return free_below(RLIMIT_AS, pages ? std::optional(*pages * page) : pages);
}

std::optional<std::uint64_t> free_in_data_segment() {
  return free_below(RLIMIT_DATA, kilobytes_of_process("VmData:"));
}

}  // namespace

std::optional<std::uint64_t> memory_left_by_system() {
  std::optional<std::uint64_t> least;
  for (const auto free : {free_in_system(), free_in_control_group(), free_in_address_space(), free_in_data_segment()})
    if (free) least = std::min(least.value_or(kNoMemoryLimit), *free);
  return least;
}

bool is_address_space_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

std::uint64_t resident_file_bytes() {
  return kilobytes_of_process("RssFile:").value_or(0);
}
std::optional<std::uint64_t> resident_own_bytes() {
  return kilobytes_of_process("RssAnon:");
}

int process_id() {
  return static_cast<int>(::getpid());
}

std::string own_program() {
  return "/proc/self/exe";
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : std::string();
}

bool fill_with_secret(std::span<unsigned char> out) {
  while (!out.empty()) {
    const ssize_t count = ::getrandom(out.data(), out.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void give_way_to_others([[maybe_unused]] int nice) {
#if defined(__linux__)
  (void)::setpriority(PRIO_PROCESS, 0, nice);  // there, 0 is the calling thread alone
#endif
}

std::int64_t thread_worked_ns() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace lacuna

#include "model/import/memory_room.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lacuna {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{96} << 20;  // for what goes on beside the load
// Of the JSON's size; measured: 0.2 to 0.35. Less than any trace took, so that none is refused in vain.
constexpr double kLeastPart = 0.1;

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

/// Control groups, version 2: "0::/path" in /proc/self/cgroup.
std::optional<std::uint64_t> free_in_control_group() {
  std::ifstream groups("/proc/self/cgroup");
  std::optional<std::uint64_t> least;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    const auto most = number_in(folder + "/memory.max", "");  // "max": no number, no limit
    const auto used = number_in(folder + "/memory.current", "");
    if (!most || !used) continue;
    const std::uint64_t cache = number_in(folder + "/memory.stat", "inactive_file").value_or(0);
    const std::uint64_t really_used = *used - std::min(*used, cache);
    least = *most - std::min(*most, really_used);
  }
  return least;
}

std::optional<std::uint64_t> free_in_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto pages = number_in("/proc/self/statm", "");
  if (!pages) return std::nullopt;
  const std::uint64_t used = *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::string describe_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::optional<std::uint64_t> free_memory() {
  std::optional<std::uint64_t> least;
  for (const auto free : {free_in_system(), free_in_control_group(), free_in_address_space()})
    if (free && (!least || *free < *least)) least = free;
  return least;
}

Result<void> check_memory(const std::string& what_is_read) {
  const auto free = free_memory();
  if (!free || *free >= kReserve) return {};
  return fail(ErrorCode::kLimit, fmt::format("not enough memory: after {} only {} are free; leave out categories "
                                             "(--skip-category python_function, say), or load it where there is more",
                                             what_is_read, describe_bytes(*free)));
}

Result<void> check_memory_for(std::uint64_t json_bytes) {
  const auto free = free_memory();
  const auto least = static_cast<std::uint64_t>(static_cast<double>(json_bytes) * kLeastPart);
  if (!free || *free >= least) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("not enough memory: {} of JSON need {} at least, and {} are free; leave out categories "
                          "(--skip-category python_function, say), or load it where there is more",
                          describe_bytes(json_bytes), describe_bytes(least), describe_bytes(*free)));
}

}  // namespace lacuna

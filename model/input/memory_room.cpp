#include "model/input/memory_room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/base/spill_space.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::uint64_t kReserve = std::uint64_t{96} << 20;  // for what goes on beside the load
/// A load that goes on with so little left puts the rest on disk.
constexpr std::uint64_t kSpillBelow = 4 * kReserve;
constexpr std::uint64_t kLeftOnDisk = std::uint64_t{256} << 20;  // for others
// Of the JSON's size; measured: 0.2 to 0.35, and 0.41 of small files. Less than any trace took, so that none is refused
// in vain; more, so that memory suffices where nothing is said.
constexpr double kLeastPart = 0.1;
constexpr double kMostPart = 0.45;
constexpr double kSpilledPart = 0.3;  // what lay on disk at most; measured: 0.21

std::uint64_t part_of(std::uint64_t bytes, double part) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * part);
}

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
        if (most) least = std::min(least.value_or(kNoLimit), *most - std::min(*most, really_used));
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
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return free_below(RLIMIT_AS, pages ? std::optional(*pages * page) : pages);
}

std::optional<std::uint64_t> free_in_data_segment() {
  return free_below(RLIMIT_DATA, kilobytes_of_process("VmData:"));
}

constexpr const char* kMemoryVariable = "LACUNA_MEMORY";

/// "4G"; nothing when it is no size.
std::optional<std::uint64_t> size_in(const char* text) {
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = *end == 0 ? std::string_view::npos : kUnits.find(*end);
  if (end == text || !(number >= 0) || (*end != 0 && unit == std::string_view::npos)) return std::nullopt;
  const int power = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  return static_cast<std::uint64_t>(std::min(std::ldexp(number, power), 1e18));
}

/// What the user allows.
std::optional<std::uint64_t> free_by_request() {
  const char* const text = std::getenv(kMemoryVariable);
  const auto allowed = text == nullptr ? std::nullopt : size_in(text);
  if (!allowed) return std::nullopt;
  const auto used = kilobytes_of_process("RssAnon:");
  return *allowed - std::min(*allowed, used.value_or(0));
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
  for (const auto free :
       {free_in_system(), free_in_control_group(), free_in_address_space(), free_in_data_segment(), free_by_request()})
    if (free) least = std::min(least.value_or(kNoLimit), *free);
  return least;
}

std::uint64_t resident_file_bytes() {
  return kilobytes_of_process("RssFile:").value_or(0);
}

Result<void> check_memory(const std::string& what_is_read) {
  const auto free = free_memory();
  if (free && *free < kSpillBelow && !is_spilling()) (void)start_spilling();
  if (!free || *free >= kReserve) return {};
  return fail(ErrorCode::kLimit, fmt::format("not enough memory: after {} only {} are free; leave out categories "
                                             "(--skip-category python_function, say), or load it where there is more",
                                             what_is_read, describe_bytes(*free)));
}

Result<void> check_memory_of_stream(std::uint64_t bytes) {
  const auto free = free_memory();
  if (free && *free < bytes && !is_spilling()) (void)start_spilling();
  return check_memory(describe_bytes(bytes) + " of decompressed data");
}

Result<void> check_memory_request() {
  if (const char* const text = std::getenv(kMemoryVariable); text != nullptr && *text != '\0' && !size_in(text))
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no size; say \"4G\"", text), kMemoryVariable);
  return {};
}

Result<void> make_room_for_json(std::uint64_t json_bytes) {
  const auto free = free_memory();
  if (!free || *free >= part_of(json_bytes, kMostPart) + kReserve) return {};
  // A disk that is too small helps nobody: then memory has to do, if it can.
  const std::uint64_t on_disk = free_to_spill();
  const bool has_room = on_disk >= part_of(json_bytes, kSpilledPart) + kLeftOnDisk;
  Result<void> started;
  if (has_room) started = start_spilling();
  const std::uint64_t least = part_of(json_bytes, kLeastPart);
  if ((has_room && started) || *free >= least) return {};
  const std::string disk = started ? fmt::format("{} more on the disk of the user's cache", describe_bytes(on_disk))
                                   : fmt::format("no tables can lie on disk ({})", started.error().message());
  return fail(ErrorCode::kLimit,
              fmt::format("not enough memory: {} of JSON need {} at least, and {} are free, {}; leave out categories "
                          "(--skip-category python_function, say), or load it where there is more",
                          describe_bytes(json_bytes), describe_bytes(least), describe_bytes(*free), disk));
}

void make_room_for_tables(std::uint64_t bytes) {
  const auto free = free_memory();
  if (free && *free < bytes + kReserve && free_to_spill() >= bytes + kLeftOnDisk) (void)start_spilling();
}

}  // namespace lacuna

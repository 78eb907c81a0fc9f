#include "model/base/os/machine.h"

#include <algorithm>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {

std::optional<std::uint64_t> memory_left_by_system() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (!::GlobalMemoryStatusEx(&status)) return std::nullopt;
  // The system counts what was asked for, not what is used: the page file is what it can promise beside memory.
  return std::min<std::uint64_t>(status.ullAvailPageFile, status.ullAvailVirtual);
}

bool is_address_space_limited() {
  return false;
}

std::uint64_t resident_file_bytes() {
  return 0;
}
std::optional<std::uint64_t> resident_own_bytes() {
  return std::nullopt;
}

int process_id() {
  return static_cast<int>(::GetCurrentProcessId());
}

std::string own_program() {
  wchar_t path[32768];
  const DWORD length = ::GetModuleFileNameW(nullptr, path, 32768);
  return narrow_path({path, length});
}

std::string host_name() {
  wchar_t name[256];
  DWORD length = 256;
  return ::GetComputerNameExW(ComputerNameDnsHostname, name, &length) ? narrow({name, length}) : std::string();
}

bool fill_with_secret(std::span<unsigned char> out) {
  return ::BCryptGenRandom(nullptr, out.data(), static_cast<ULONG>(out.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}

void give_way_to_others(int nice) {
  ::SetThreadPriority(::GetCurrentThread(), nice < 10 ? THREAD_PRIORITY_BELOW_NORMAL : THREAD_PRIORITY_LOWEST);
}

std::int64_t thread_worked_ns() {
  FILETIME begin{}, end{}, kernel{}, user{};
  if (!::GetThreadTimes(::GetCurrentThread(), &begin, &end, &kernel, &user)) return 0;
  const auto ticks = [](FILETIME time) { return (std::int64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime; };
  return (ticks(kernel) + ticks(user)) * 100;
}

}  // namespace lacuna

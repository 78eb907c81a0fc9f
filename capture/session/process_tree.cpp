#include "capture/session/process_tree.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostThreadsAsked = 32;
constexpr std::size_t kMostPolled = 16;
constexpr unsigned kKernelThread = 0x00200000;  // PF_KTHREAD of Linux

std::vector<std::string> split_at_zeros(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// /proc/PID/stat. The name is in brackets and may hold anything.
bool read_entry(int pid, ProcessEntry& entry) {
  const std::string text = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  entry.pid = pid;
  entry.name = text.substr(open + 1, close - open - 1);
  unsigned long long start = 0;
  unsigned flags = 0;
  if (std::sscanf(text.c_str() + close + 1,
                  " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &entry.state,
                  &entry.parent, &flags, &start) != 4)
    return false;
  entry.is_kernel = (flags & kKernelThread) != 0;
  entry.start = start;
  return true;
}

bool is_terminal_of(int pid, unsigned long long descriptor) {
  char target[256];
  const ssize_t length = readlink(fmt::format("/proc/{}/fd/{}", pid, descriptor).c_str(), target, sizeof target);
  const std::string_view path(target, length > 0 ? static_cast<std::size_t>(length) : 0);
  return path.starts_with("/dev/pts/") || path.starts_with("/dev/tty") || path == "/dev/console";
}

/// Whether one of the descriptors that poll() was given is a terminal to read from.
bool polls_terminal(int pid, unsigned long long address, unsigned long long count) {
  if (count == 0 || count > kMostPolled) return false;
  pollfd polled[kMostPolled];
  iovec ours{polled, static_cast<std::size_t>(count) * sizeof(pollfd)};
  iovec theirs{reinterpret_cast<void*>(address), ours.iov_len};  // NOLINT: an address in the other process
  if (process_vm_readv(pid, &ours, 1, &theirs, 1, 0) != static_cast<ssize_t>(ours.iov_len)) return false;
  return std::any_of(polled, polled + count, [&](const pollfd& p) {
    return p.fd >= 0 && (p.events & POLLIN) != 0 && is_terminal_of(pid, static_cast<unsigned long long>(p.fd));
  });
}

}  // namespace

std::vector<ProcessEntry> all_processes() {
  std::vector<ProcessEntry> found;
  for (const int pid : numbers_in("/proc")) {
    ProcessEntry entry;
    if (read_entry(pid, entry)) found.push_back(std::move(entry));
  }
  return found;
}

std::vector<ProcessEntry> with_descendants(const std::vector<ProcessEntry>& all, int root) {
  std::unordered_set<int> chosen{root};
  // A child may have a lower pid than its parent, so go on until nothing is added.
  for (std::size_t before = 0; before != chosen.size();) {
    before = chosen.size();
    for (const ProcessEntry& entry : all)
      if (chosen.contains(entry.parent)) chosen.insert(entry.pid);
  }
  std::vector<ProcessEntry> result;
  for (const ProcessEntry& entry : all)
    if (chosen.contains(entry.pid)) result.push_back(entry);
  return result;
}

std::optional<std::vector<std::string>> environment_of(int pid) {
  const std::optional<std::string> text = readable_proc_text(fmt::format("/proc/{}/environ", pid));
  if (!text) return std::nullopt;
  return split_at_zeros(*text);
}

std::vector<std::string> arguments_of(int pid) {
  return split_at_zeros(proc_text(fmt::format("/proc/{}/cmdline", pid)));
}

std::int64_t user_of(int pid) {
  const std::string text = proc_text(fmt::format("/proc/{}/status", pid));
  const std::size_t line = text.find("\nUid:");
  unsigned long long real = 0;
  unsigned long long effective = 0;
  if (line == std::string::npos || std::sscanf(text.c_str() + line + 5, "%llu %llu", &real, &effective) != 2) return -1;
  return static_cast<std::int64_t>(effective);
}

bool has_mapped(int pid, std::string_view part) {
  return proc_text(fmt::format("/proc/{}/maps", pid)).find(part) != std::string::npos;
}

bool waits_for_terminal(int pid) {
  std::vector<int> threads = numbers_in(fmt::format("/proc/{}/task", pid));
  threads.resize(std::min(threads.size(), kMostThreadsAsked));
  for (const int thread : threads) {
    // "NUMBER ARGUMENTS…", or "running".
    const std::string text = proc_text(fmt::format("/proc/{}/task/{}/syscall", pid, thread));
    long number = -1;
    unsigned long long first = 0;
    unsigned long long second = 0;
    if (std::sscanf(text.c_str(), "%ld %llx %llx", &number, &first, &second) != 3) continue;
    if ((number == SYS_read || number == SYS_readv) && is_terminal_of(pid, first)) return true;
    // select() of descriptors below 1 is one of standard input.
    if (number == SYS_pselect6 && first == 1 && is_terminal_of(pid, 0)) return true;
    if (number == SYS_ppoll && polls_terminal(pid, first, second)) return true;
#ifdef SYS_select
    if (number == SYS_select && first == 1 && is_terminal_of(pid, 0)) return true;
#endif
#ifdef SYS_poll
    if (number == SYS_poll && polls_terminal(pid, first, second)) return true;
#endif
  }
  return false;
}

}  // namespace lacuna

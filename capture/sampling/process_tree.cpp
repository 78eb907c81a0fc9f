#include "capture/sampling/process_tree.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"

namespace lacuna {
namespace {

/// The parent, by /proc/PID/stat; 0 when that cannot be read or it has ended.
int parent_of(int pid) {
  const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos || name_end + 4 >= stat.size()) return 0;
  return stat[name_end + 2] == 'Z' ? 0 : std::atoi(stat.c_str() + name_end + 4);
}

bool is_alive(int pid) {
  const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  return name_end != stat.npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z';
}

std::vector<int> children_of(int pid) {
  std::vector<int> children;
  for (const int tid : numbers_in(fmt::format("/proc/{}/task", pid))) {
    const std::string list = proc_text(fmt::format("/proc/{}/task/{}/children", pid, tid));
    for (const char* at = list.c_str(); *at != '\0';) {
      char* end = nullptr;
      const long child = std::strtol(at, &end, 10);
      if (end == at) break;
      children.push_back(static_cast<int>(child));
      at = end;
    }
  }
  return children;
}

}  // namespace

bool is_helper(int pid) {
  // Each variable ends with a zero byte; one before the first makes them all alike.
  const std::string environment = std::string(1, '\0') + proc_text(fmt::format("/proc/{}/environ", pid));
  constexpr std::string_view kMark("\0LACUNA_HELPER=1\0", 17);
  return environment.find(kMark) != environment.npos;
}

std::vector<int> threads_of(int pid) {
  return numbers_in(fmt::format("/proc/{}/task", pid));
}

std::optional<std::string> thread_fact(int pid, int tid, const char* file) {
  std::string text = proc_text(fmt::format("/proc/{}/task/{}/{}", pid, tid, file));
  if (text.empty()) return std::nullopt;
  if (const std::size_t end = text.find('\n'); end != text.npos) text.resize(end);
  return text;
}

void ProcessTree::update() {
  std::erase_if(processes_, [](const auto& entry) { return !is_alive(entry.first); });
  static const bool has_children_files = access("/proc/thread-self/children", R_OK) == 0;
  if (has_children_files) {
    std::vector<int> open;
    for (const auto& entry : processes_) open.push_back(entry.first);
    while (!open.empty()) {
      const int pid = open.back();
      open.pop_back();
      for (const int child : children_of(pid))
        if (processes_.try_emplace(child).second) open.push_back(child);
    }
  } else {
    const std::vector<int> all = numbers_in("/proc");
    for (bool grew = true; grew;) {
      grew = false;
      for (const int pid : all)
        if (!processes_.contains(pid) && processes_.contains(parent_of(pid)))
          grew |= processes_.try_emplace(pid).second;
    }
  }
  for (auto& [pid, process] : processes_) {
    std::array<char, 4096> target{};
    const ssize_t length = readlink(fmt::format("/proc/{}/exe", pid).c_str(), target.data(), target.size());
    const std::string_view program(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    process.is_new = process.name.empty() || process.program != program;
    if (process.is_new) process.is_helper = is_helper(pid);
    process.program = program;
    process.name = thread_fact(pid, pid, "comm").value_or("?");
  }
}

}  // namespace lacuna

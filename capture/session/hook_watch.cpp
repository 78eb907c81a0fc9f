#include "capture/session/hook_watch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/session/process_tree.h"
#include "capture/wire/clock.h"
#include "capture/wire/handshake.h"

namespace lacuna {
namespace {

constexpr Nanos kSoonNs = 50'000'000;
constexpr Nanos kLaterNs = 2'000'000'000;
constexpr int kLooksSoon = 20;
constexpr Nanos kPartOfTimeSoon = 20;
constexpr Nanos kPartOfTime = 1000;
constexpr std::size_t kMostSeen = 4096;
constexpr std::size_t kMostInReason = 4;

std::string mount_namespace(const std::string& process) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + process + "/ns/mnt", error).string();
}

}  // namespace

std::string python_isolation(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {};
  const std::string program = std::filesystem::path(arguments.front()).filename().string();
  if (!program.starts_with("python") && !program.starts_with("pypy")) return {};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return {};
    for (std::size_t k = 1; k < word.size(); ++k) {
      if (word[k] == 'I' || word[k] == 'E' || word[k] == 'S') return word;
      if (word[k] == 'c' || word[k] == 'm') return {};  // the rest is the program
      if (word[k] == 'X' || word[k] == 'W') {           // takes a value, here or in the next word
        if (k + 1 == word.size()) ++i;
        break;
      }
    }
  }
  return {};
}

HookWatch::HookWatch(int root, std::string socket, std::string python_hook)
    : root_(root), socket_(std::move(socket)), python_hook_(std::move(python_hook)) {}

void HookWatch::examine(int pid, Seen& seen) const {
  seen.user = user_of(pid);
  if (const std::string isolation = python_isolation(arguments_of(pid)); !isolation.empty())
    seen.python_switch = isolation;
  if (const auto environment = environment_of(pid)) {
    seen.knows_environment = true;
    seen.is_ours = std::ranges::find(*environment, "LACUNA_HELPER=1") != environment->end();
    seen.has_socket =
        std::ranges::find(*environment, fmt::format("{}={}", wire::kSocketVariable, socket_)) != environment->end();
    seen.has_other_socket = !seen.has_socket && std::ranges::any_of(*environment, [](const std::string& variable) {
      return variable.starts_with(fmt::format("{}=", wire::kSocketVariable));
    });
    seen.has_hook_path = std::ranges::any_of(*environment, [&](const std::string& variable) {
      return variable.starts_with("PYTHONPATH=") && variable.find(python_hook_) != std::string::npos;
    });
  }
  const std::string ours = mount_namespace("self");
  const std::string theirs = mount_namespace(std::to_string(pid));
  seen.is_elsewhere = !ours.empty() && !theirs.empty() && ours != theirs;
  // What is mapped stays so; asking holds up the process for a moment.
  if (!seen.has_torch) seen.has_torch = has_mapped(pid, "/libtorch_cpu.so");
  if (!seen.has_collector) seen.has_collector = has_mapped(pid, "liblacuna_collector");
}

void HookWatch::look(Nanos now) {
  if (now < due_) return;
  const std::uint64_t begin = wire::monotonic_ns();
  const std::vector<ProcessEntry> all = all_processes();
  std::vector<ProcessEntry> of_command = with_descendants(all, root_);
  for (const ProcessEntry& entry : all)  // whose parent has ended meanwhile
    if (processes_.contains({entry.pid, entry.start}) &&
        std::ranges::none_of(of_command, [&](const ProcessEntry& e) { return e.pid == entry.pid; }))
      of_command.push_back(entry);
  for (const ProcessEntry& entry : of_command) {
    if (entry.state == 'Z' || (processes_.size() >= kMostSeen && !processes_.contains({entry.pid, entry.start})))
      continue;
    Seen& seen = processes_[{entry.pid, entry.start}];
    seen.name = entry.name;
    examine(entry.pid, seen);
  }
  const auto cost = static_cast<Nanos>(wire::monotonic_ns() - begin);
  due_ = now +
         (++looks_ < kLooksSoon ? std::max(kSoonNs, cost * kPartOfTimeSoon) : std::max(kLaterNs, cost * kPartOfTime));
}

std::vector<std::string> HookWatch::reasons(const std::vector<std::uint32_t>& captured,
                                            const std::vector<std::uint32_t>& with_torch) const {
  std::map<std::string, std::vector<std::string>> by_cause;
  for (const auto& [key, seen] : processes_) {
    const auto pid = static_cast<std::uint32_t>(key.first);
    const auto add = [&, number = key.first, name = seen.name](std::string cause) {
      by_cause[std::move(cause)].push_back(fmt::format("{} ({})", name, number));
    };
    if (seen.is_ours) continue;
    const bool is_captured = std::ranges::find(captured, pid) != captured.end();
    const bool lacks_torch = std::ranges::find(with_torch, pid) == with_torch.end();
    // Where something was captured, a process that has none of what is captured is nobody's question.
    const bool is_missed = !is_captured && (captured.empty() || seen.has_torch);
    if (is_missed && seen.user >= 0 && seen.user != static_cast<std::int64_t>(geteuid())) {
      add(fmt::format("ran as user {}, and only processes of your own user ({}) are recorded", seen.user, geteuid()));
    } else if (is_missed && seen.is_elsewhere) {
      add("ran in another mount namespace (a container), where Lacuna's collector and socket may be missing");
    } else if (is_missed && seen.has_other_socket) {
      add("is recorded by another lacuna inside of this recording, whose file has its ranges, operators and GPU work; "
          "here are its thread states and stacks");
    } else if (is_missed && seen.knows_environment && !seen.has_socket) {
      add("ran without the environment that Lacuna gave the command (as after env -i or sudo), so that nothing is "
          "recorded");
    } else if (lacks_torch && !python_hook_.empty() && !seen.python_switch.empty() && (is_missed || seen.has_torch)) {
      add(fmt::format(
          "ran with {}, which keeps Lacuna's hook for PyTorch out (it comes through PYTHONPATH and sitecustomize)",
          seen.python_switch));
    } else if (lacks_torch && !python_hook_.empty() && seen.has_torch && seen.knows_environment &&
               !seen.has_hook_path) {
      add("loaded PyTorch, but had another PYTHONPATH than Lacuna's, so that its operators are not recorded");
    } else if (lacks_torch && !python_hook_.empty() && seen.has_torch && !seen.has_collector) {
      add("loaded PyTorch, but Lacuna's hook did not run, so that its operators are not recorded");
    }
  }
  std::vector<std::string> lines;
  for (const auto& [cause, names] : by_cause) {
    std::string who = fmt::format(
        "{}", fmt::join(names.begin(),
                        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostInReason)), ", "));
    if (names.size() > kMostInReason) who += fmt::format(" and {} more", names.size() - kMostInReason);
    lines.push_back(who + " " + cause);
  }
  return lines;
}

}  // namespace lacuna

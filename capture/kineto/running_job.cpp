#include "capture/kineto/running_job.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"
#include "capture/session/dormant.h"
#include "capture/session/process_tree.h"
#include "capture/wire/launch_ranks.h"
#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr const char* kUseDaemon = "KINETO_USE_DAEMON";
constexpr const char* kSocketFolder = "KINETO_IPC_SOCKET_DIR";

using Variables = std::vector<std::string>;

std::optional<std::string> variable_of(const Variables& environment, std::string_view name) {
  for (const std::string& one : environment)
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  return std::nullopt;
}

std::int64_t number_of(const Variables& environment, const char* name) {
  const std::string text = variable_of(environment, name).value_or("");
  const bool is_number = !text.empty() && text.size() < 10 && std::ranges::all_of(text, is_digit);
  return is_number ? std::atoll(text.c_str()) : -1;
}

void read_rank(const Variables& environment, RunningJob& job) {
  for (const wire::LaunchVariables& launcher : wire::kLaunchVariables) {
    const std::int64_t rank = number_of(environment, launcher.rank);
    const std::int64_t size = number_of(environment, launcher.world_size);
    if (rank < 0 || size < launcher.fewest || rank >= size) continue;
    job.rank = rank;
    job.world_size = size;
    job.local_rank = number_of(environment, launcher.local_rank);
    return;
  }
}

std::string link_target(const std::string& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

bool is_same_namespace(int pid, const char* kind) {
  const std::string theirs = link_target(fmt::format("/proc/{}/ns/{}", pid, kind));
  return theirs.empty() || theirs == link_target(fmt::format("/proc/self/ns/{}", kind));
}

std::vector<int> opened_gpus(int pid) {
  constexpr std::string_view kDevice = "/dev/nvidia";
  std::vector<int> numbers;
  for (const int fd : numbers_in(fmt::format("/proc/{}/fd", pid))) {
    const std::string target = link_target(fmt::format("/proc/{}/fd/{}", pid, fd));
    if (!target.starts_with(kDevice) || target.size() == kDevice.size()) continue;
    const std::string number = target.substr(kDevice.size());
    if (number.size() < 4 && std::ranges::all_of(number, is_digit)) numbers.push_back(std::atoi(number.c_str()));
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// "NSpid:\t12\t3": the last one is what the process sees.
int own_pid_of(int pid) {
  const std::string text = proc_text(fmt::format("/proc/{}/status", pid));
  const std::size_t line = text.find("\nNSpid:");
  if (line == std::string::npos) return pid;
  const std::string_view numbers = std::string_view(text).substr(line + 7, text.find('\n', line + 1) - line - 7);
  const int own = std::atoi(std::string(numbers.substr(numbers.find_last_of(" \t") + 1)).c_str());
  return own > 0 ? own : pid;
}

std::optional<ProcessEntry> entry_of(const std::vector<ProcessEntry>& all, int pid) {
  const auto found = std::ranges::find(all, pid, &ProcessEntry::pid);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

RunningJob describe(int pid, const std::vector<ProcessEntry>& all) {
  RunningJob job;
  const std::optional<ProcessEntry> entry = entry_of(all, pid);
  const std::optional<Variables> environment = environment_of(pid);
  if (!entry || entry->is_kernel || !environment || user_of(pid) != static_cast<std::int64_t>(geteuid())) return job;
  job.pid = pid;
  job.own_pid = own_pid_of(pid);
  job.start = entry->start;
  job.command = short_command(arguments_of(pid));
  if (job.command.empty()) job.command = entry->name;
  read_rank(*environment, job);
  job.is_kineto = variable_of(*environment, kUseDaemon).has_value();
  job.cluster_job = std::max<std::int64_t>(0, number_of(*environment, "SLURM_JOB_ID"));
  job.gpu = gpus_of(variable_of(*environment, "CUDA_VISIBLE_DEVICES").value_or(""), job.local_rank, opened_gpus(pid));
  job.has_torch = has_mapped(pid, "/libtorch");
  job.socket_folder = variable_of(*environment, kSocketFolder).value_or("");
  job.trace_folder = variable_of(*environment, "KINETO_ONDEMAND_TRACE_DIR").value_or("");
  while (job.trace_folder.ends_with('/')) job.trace_folder.pop_back();
  if (job.trace_folder.empty()) job.trace_folder = "/tmp";  // Kineto's word; TMPDIR does not count
  if (!is_same_namespace(pid, "mnt")) job.root = fmt::format("/proc/{}/root", pid);
  for (int parent = entry->parent; parent > 0;) {
    job.ancestors.push_back(parent);
    const std::optional<ProcessEntry> next = entry_of(all, parent);
    parent = next ? next->parent : 0;
  }
  return job;
}

}  // namespace

std::string short_command(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& word : arguments) {
    if (!text.empty()) text += ' ';
    text += text.empty() ? word.substr(word.rfind('/') + 1) : word;
  }
  return text;
}

std::string gpus_of(const std::string& visible, std::int64_t local_rank, const std::vector<int>& opened) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < visible.size();) {
    const std::size_t end = std::min(visible.find(',', at), visible.size());
    names.push_back(visible.substr(at, end - at));
    at = end + 1;
  }
  if (names.empty())
    for (const int number : opened) names.push_back(std::to_string(number));
  if (names.size() > 1 && local_rank >= 0 && static_cast<std::size_t>(local_rank) < names.size())
    return names[static_cast<std::size_t>(local_rank)];
  return fmt::format("{}", fmt::join(names, ","));
}

std::string RunningJob::kind() const {
  if (is_kineto && is_dormant) return "Kineto, dormant";
  return is_dormant ? "dormant" : "Kineto";
}

RunningJob describe_job(int pid) {
  return describe(pid, all_processes());
}

std::vector<RunningJob> find_possible_jobs() {
  const char* our_folder = std::getenv(kSocketFolder);
  const std::vector<ProcessEntry> all = all_processes();
  std::vector<RunningJob> jobs;
  for (const ProcessEntry& entry : all) {
    if (entry.state == 'Z' || entry.pid == getpid()) continue;
    const std::optional<Variables> environment = environment_of(entry.pid);
    if (!environment || !variable_of(*environment, kUseDaemon)) continue;
    RunningJob job = describe(entry.pid, all);
    if (job.pid == 0 || !job.has_torch) continue;
    if (our_folder != nullptr && *our_folder != '\0' && job.socket_folder != our_folder) continue;
    jobs.push_back(std::move(job));
  }
  std::ranges::sort(jobs, {}, &RunningJob::pid);
  mark_launchers(jobs);
  return jobs;
}

std::vector<RunningJob> find_running_jobs() {
  std::vector<RunningJob> jobs = find_possible_jobs();
  const std::vector<ProcessEntry> all = all_processes();
  for (const DormantProgram& program : find_dormant()) {
    auto known = std::ranges::find(jobs, program.pid, &RunningJob::pid);
    if (known == jobs.end()) {
      RunningJob job = describe(program.pid, all);
      if (job.pid == 0) continue;
      job.is_kineto = false;  // it has no torch, or another folder for its socket
      known = jobs.insert(jobs.end(), std::move(job));
    }
    known->is_dormant = true;
    known->watcher = program.watcher;
  }
  std::ranges::sort(jobs, {}, &RunningJob::pid);
  mark_launchers(jobs);
  return jobs;
}

void mark_launchers(std::vector<RunningJob>& jobs) {
  for (RunningJob& job : jobs)
    job.is_launcher = job.rank < 0 && std::ranges::any_of(jobs, [&](const RunningJob& other) {
                        return other.rank >= 0 && std::ranges::find(other.ancestors, job.pid) != other.ancestors.end();
                      });
}

bool is_alive(const RunningJob& job) {
  const std::string text = proc_text(fmt::format("/proc/{}/stat", job.pid));
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos || close + 2 >= text.size() || text[close + 2] == 'Z' || text[close + 2] == 'X')
    return false;
  std::size_t at = close + 2;  // field 3; the start is field 22
  for (int field = 3; field < 22; ++field) {
    at = text.find(' ', at);
    if (at == std::string::npos) return false;
    ++at;
  }
  return std::strtoull(text.c_str() + at, nullptr, 10) == job.start;
}

std::string why_silent(const RunningJob& job) {
  const std::vector<ProcessEntry> all = all_processes();
  const std::optional<ProcessEntry> entry = entry_of(all, job.pid);
  if (!entry || entry->start != job.start) return "it has ended";
  if (entry->state == 'T' || entry->state == 't') return "it is stopped (kill -CONT goes on)";
  if (!job.root.empty() && !job.socket_folder.empty()) return "its KINETO_IPC_SOCKET_DIR is in another container";
  if (job.socket_folder.empty() && !is_same_namespace(job.pid, "net"))
    return "it is in another network namespace, as in a container: start it with KINETO_IPC_SOCKET_DIR=FOLDER, a "
           "folder "
           "that both see";
  if (!job.has_torch) return "it has not imported torch (yet)";
  return {};
}

DormantTrouble why_not_dormant(int pid) {
  const std::optional<Variables> environment = environment_of(pid);
  if (!environment || variable_of(*environment, "LACUNA_DORMANT") != "1") return {};
  if (!variable_of(*environment, "LACUNA_SOCKET").value_or("").empty()) return {};  // it is recorded
  const std::string collector = variable_of(*environment, "LACUNA_COLLECTOR").value_or("");
  if (collector.empty())
    return {"has LACUNA_DORMANT=1 and no LACUNA_COLLECTOR", "give it all the variables that lacuna env prints"};
  const bool is_elsewhere = !is_same_namespace(pid, "mnt");
  std::error_code error;
  if (!std::filesystem::exists((is_elsewhere ? fmt::format("/proc/{}/root", pid) : "") + collector, error))
    return {fmt::format("{} is not there{}", collector, is_elsewhere ? " in its container" : ""),
            is_elsewhere ? "mount Lacuna's folder into it under the same path"
                         : "start it again with what lacuna env prints now"};
  for (const char* name : {"NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH"})
    if (const std::string value = variable_of(*environment, name).value_or(""); value != collector)
      return {fmt::format("{} is {}", name, value.empty() ? "not set" : value),
              value.empty() ? "give it all the variables that lacuna env prints"
                            : "another profiler is injected: start the program without it"};
  if (!is_same_namespace(pid, "net"))
    return {"it is in another network namespace, as in a container", "run lacuna in there (docker exec)"};
  return {};
}

std::string why_not_a_job(int pid) {
  const std::vector<ProcessEntry> all = all_processes();
  const std::optional<ProcessEntry> entry = entry_of(all, pid);
  if (!entry || entry->state == 'Z') return "there is no such process";
  if (entry->is_kernel) return "it is a thread of the kernel, not a program";
  if (user_of(pid) != static_cast<std::int64_t>(geteuid())) return "it belongs to another user";
  const std::optional<Variables> environment = environment_of(pid);
  if (!environment) return "it does not let us look (a setuid program, or one of a debugger)";
  if (entry->state == 'T' || entry->state == 't') return "it is stopped (kill -CONT goes on)";
  if (!variable_of(*environment, kUseDaemon) && variable_of(*environment, "LACUNA_DORMANT") == "1")
    return "it was started to be dormant, and is not: it has used neither NVTX, CUDA nor torch yet, or lacuna doctor "
           "says "
           "what keeps it";
  if (!variable_of(*environment, kUseDaemon))
    return "it was started without KINETO_USE_DAEMON=1, and is not dormant (lacuna env)";
  const char* our_folder = std::getenv(kSocketFolder);
  const std::string theirs = variable_of(*environment, kSocketFolder).value_or("");
  if (our_folder != nullptr && *our_folder != '\0' && theirs != our_folder)
    return fmt::format("its KINETO_IPC_SOCKET_DIR is '{}', ours '{}'", theirs, our_folder);
  return {};
}

}  // namespace lacuna

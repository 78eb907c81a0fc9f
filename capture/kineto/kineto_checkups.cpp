#include "capture/kineto/kineto_checkups.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/kineto/kineto_socket.h"
#include "capture/kineto/running_job.h"
#include "capture/sampling/proc_files.h"
#include "capture/session/dormant.h"
#include "capture/session/process_tree.h"
#include "model/base/os/descriptor.h"

namespace lacuna {
namespace {

using RunningState = Checkup::State;

Checkup jobs_checkup() {
  const std::vector<RunningJob> jobs = find_possible_jobs();
  const char* ours = std::getenv("KINETO_IPC_SOCKET_DIR");
  const std::string folder = ours == nullptr ? "" : ours;
  if (!folder.empty() && access(folder.c_str(), W_OK) != 0)
    return {RunningState::kMissing, "Running jobs",
            "KINETO_IPC_SOCKET_DIR is no folder that may be written to: " + folder, "unset it, or make that folder"};
  if (const std::string holder = kineto_socket_holder(folder); !holder.empty())
    return {RunningState::kNote, "Running jobs", fmt::format("they ask {} for requests, which stays", holder),
            "ask it for traces (dynolog: dyno gputrace), or stop it before lacuna request"};
  if (jobs.empty())
    return {RunningState::kNote, "Running jobs", "no PyTorch program of yours that answers lacuna request",
            "nothing; one does that is started with KINETO_USE_DAEMON=1"};
  return {RunningState::kGood, "Running jobs",
          fmt::format("{} started with KINETO_USE_DAEMON: lacuna jobs lists them", jobs.size()), ""};
}

Checkup outside_checkup() {
  const std::string scope = proc_text("/proc/sys/kernel/yama/ptrace_scope");
  const int level = scope.empty() ? 0 : std::atoi(scope.c_str());
  if (level == 0 || (geteuid() == 0 && level < 3))
    return {RunningState::kGood, "lacuna attach", "Python stacks and thread states of your running processes", ""};
  return {RunningState::kNote, "lacuna attach",
          fmt::format("thread states only of processes that run already (kernel.yama.ptrace_scope is {})", level),
          "sudo sysctl kernel.yama.ptrace_scope=0 for their Python stacks; those of lacuna record need nothing"};
}

/// Whether an abstract socket of ours is found as those of dormant programs are.
bool finds_abstract_sockets() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("lacuna-doctor-{}", getpid());
  name.copy(address.sun_path + 1, name.size());
  const Descriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return false;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const bool is_bound =
      bind(made.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 && listen(made.get(), 1) == 0;
  return is_bound && proc_text("/proc/net/unix").find("@" + name) != std::string::npos;
}

std::vector<Checkup> dormant_checkups() {
  constexpr const char* kSubject = "Dormant";
  if (!finds_abstract_sockets())
    return {{RunningState::kNote, kSubject,
             "abstract sockets are not allowed here, or /proc/net/unix does not list them",
             "use lacuna record --live or --keep-seconds in place of lacuna record --dormant"}};
  std::vector<Checkup> list;
  const std::vector<DormantProgram> found = find_dormant();
  const auto watched = std::ranges::count_if(found, [](const DormantProgram& p) { return p.watcher != 0; });
  std::vector<std::string> pids;
  for (const DormantProgram& program : found) pids.push_back(std::to_string(program.pid));
  if (found.empty()) {
    list.push_back({RunningState::kNote, kSubject, "none runs; it would work (no rights are needed)",
                    "start programs under lacuna record --dormant, or after eval \"$(lacuna env)\""});
  } else {
    const std::string some =
        fmt::format("{}", fmt::join(pids.begin(), pids.begin() + std::min<std::ptrdiff_t>(8, std::ssize(pids)), ", "));
    list.push_back(
        {RunningState::kGood, kSubject,
         fmt::format("{} run{}, {} watched (process {}{}): lacuna request, lacuna attach PID; no rights are needed",
                     found.size(), found.size() == 1 ? "s" : "", watched, some,
                     pids.size() > 8 ? ", \xE2\x80\xA6" : ""),
         ""});
  }
  std::size_t quiet = 0;
  for (const ProcessEntry& entry : all_processes()) {
    if (entry.state == 'Z' || std::ranges::find(found, entry.pid, &DormantProgram::pid) != found.end()) continue;
    const DormantTrouble trouble = why_not_dormant(entry.pid);
    if (trouble.found.empty()) continue;
    if (++quiet > 4) continue;
    list.push_back({RunningState::kNote, kSubject,
                    fmt::format("process {} ({}) was to be, and cannot: {}", entry.pid, entry.name, trouble.found),
                    trouble.advice});
  }
  if (quiet > 4)
    list.push_back(
        {RunningState::kNote, kSubject, fmt::format("{} more processes were to be, and cannot", quiet - 4), ""});
  return list;
}

}  // namespace

std::vector<Checkup> examine_running() {
  std::vector<Checkup> list = dormant_checkups();
  list.push_back(jobs_checkup());
  list.push_back(outside_checkup());
  return list;
}

}  // namespace lacuna

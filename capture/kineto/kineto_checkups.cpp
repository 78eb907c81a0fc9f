#include "capture/kineto/kineto_checkups.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/kineto/kineto_socket.h"
#include "capture/kineto/running_job.h"
#include "capture/sampling/proc_files.h"

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

}  // namespace

std::vector<Checkup> examine_running() {
  return {jobs_checkup(), outside_checkup()};
}

}  // namespace lacuna

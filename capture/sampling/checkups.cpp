#include "capture/sampling/checkups.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/sampling/perf_events.h"
#include "capture/sampling/proc_states.h"
#include "capture/sampling/process_tree.h"
#include "capture/sampling/python_layout.h"
#include "capture/sampling/remote_memory.h"

namespace lacuna {
namespace {

using CheckupState = Checkup::State;

Checkup python_stacks() {
  constexpr const char* kSubject = "Python stacks";
  const std::string versions = fmt::format("by sampling, of Python 3.{} to 3.{}", kFirstPythonMinor, kLastPythonMinor);
  RemoteMemory memory(getpid());
  const int there = 1;
  int here = 0;
  if (!memory.read(reinterpret_cast<std::uint64_t>(&there), here) || here != there)
    return {CheckupState::kMissing, kSubject, fmt::format("process_vm_readv: {}", std::strerror(memory.error())),
            "in a container: --cap-add SYS_PTRACE, or a newer seccomp profile"};
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  if (scope > 1 && geteuid() != 0)
    return {CheckupState::kMissing, kSubject,
            fmt::format("kernel.yama.ptrace_scope is {}: other processes may not be read", scope),
            "sysctl kernel.yama.ptrace_scope=1"};
  return {CheckupState::kGood, kSubject, versions, ""};
}

}  // namespace

std::vector<Checkup> examine_sampling() {
  std::vector<Checkup> list{python_stacks()};
  const Result<PerfEvents> stacks = PerfEvents::open({true, 100});
  if (stacks) {
    list.push_back({CheckupState::kGood, "Native stacks",
                    stacks->sees_kernel_time() ? "by sampling (perf_event_open)"
                                               : "by sampling (perf_event_open); time inside the kernel is not sampled",
                    stacks->sees_kernel_time() ? "" : "sysctl kernel.perf_event_paranoid=1 samples it as well"});
    list.push_back({CheckupState::kGood, "Thread states", "every context switch (perf_event_open)", ""});
    return list;
  }
  const std::string why = stacks.error().message();
  list.push_back({CheckupState::kNote, "Native stacks", "not available: " + why,
                  "nothing for Python; for native programs what it says"});
  if (const Result<PerfEvents> switches = PerfEvents::open({true, 0}); switches) {
    list.push_back({CheckupState::kGood, "Thread states", "every context switch (perf_event_open)", ""});
  } else if (thread_fact(getpid(), getpid(), "schedstat").has_value()) {
    list.push_back({CheckupState::kNote, "Thread states",
                    "looked up in /proc 100 times a second: shorter ones are counted, not shown",
                    "the same as for native stacks"});
  } else {
    list.push_back({CheckupState::kNote, "Thread states", "neither perf events nor /proc/PID/schedstat",
                    "nothing; the rest works"});
  }
  return list;
}

}  // namespace lacuna

// Dormant programs that a session wakes, and puts to rest again at its end.

#include <algorithm>

#include <fmt/format.h>

#include "capture/session/dormant.h"
#include "capture/session/process_tree.h"
#include "capture/session/session.h"
#include "capture/wire/clock.h"

namespace lacuna {
namespace {

/// How long the programs may take to give back what they still hold; CUPTI's last records are in it.
constexpr std::uint64_t kSleepPatienceNs = 3'000'000'000;

}  // namespace

Result<std::size_t> Session::wake(std::uint32_t pid) {
  woken_root_ = pid;
  return wake_new();
}

Result<std::size_t> Session::wake_new() {
  woken_looked_ = wire::monotonic_ns();
  std::vector<int> pids;
  for (const ProcessEntry& process : with_descendants(all_processes(), static_cast<int>(woken_root_)))
    pids.push_back(process.pid);
  std::size_t woken = 0;
  std::optional<Error> error;
  for (const DormantProgram& program : find_dormant(pids)) {
    const bool is_known = std::ranges::any_of(processes_, [&](const auto& process) {
      return !process->is_finished && process->decoder.identity().pid == static_cast<std::uint32_t>(program.pid);
    });
    if (is_known) continue;
    Result<Listener::Connection> connection =
        wake_dormant(program,
                     fmt::format("{}{}{}{}", options_.nvtx ? "nvtx," : "", options_.cuda ? "cuda," : "",
                                 options_.memory ? "memory," : "", options_.whole_graphs ? "graphs," : ""),
                     options_.ring_kib);
    if (!connection) {
      error = connection.error();
      continue;
    }
    take_in(std::move(*connection), true);
    ++woken;
  }
  if (woken == 0 && error) return tl::make_unexpected(*error);
  return woken;
}

void Session::begin_window(std::uint64_t monotonic_ns) {
  if (gate_) gate_->begin_at(clocks_.trace_time(monotonic_ns));
}

void Session::put_to_sleep() {
  std::vector<Process*> waiting;
  for (const auto& process : processes_)
    if (process->was_dormant && !process->is_finished) waiting.push_back(process.get());
  for (const Process* process : waiting) ask_to_sleep(process->socket.get());
  const std::uint64_t begin = wire::monotonic_ns();
  while (!waiting.empty() && wire::monotonic_ns() - begin < kSleepPatienceNs) {
    for (Process* process : waiting) read(*process);
    std::erase_if(waiting, [](const Process* process) { return is_asleep(process->socket.get()); });
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace lacuna

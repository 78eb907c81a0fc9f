#include "capture/sampling/proc_states.h"

#include <charconv>

#include "capture/sampling/process_tree.h"

namespace lacuna {

std::optional<ScheduleTimes> parse_schedstat(std::string_view text) {
  ScheduleTimes times;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint64_t* value : {&times.running_ns, &times.ready_ns, &times.turns}) {
    while (at != end && *at == ' ') ++at;
    const auto read = std::from_chars(at, end, *value);
    if (read.ec != std::errc{}) return std::nullopt;
    at = read.ptr;
  }
  return times;
}

StateLane::State state_between(const ScheduleTimes& before, const ScheduleTimes& now, std::uint64_t elapsed_ns) {
  const std::uint64_t running = now.running_ns - before.running_ns, ready = now.ready_ns - before.ready_ns;
  const std::uint64_t known = running + ready;
  const std::uint64_t waiting = known < elapsed_ns ? elapsed_ns - known : 0;
  if (running >= ready && running >= waiting && running > 0) return StateLane::State::kRunning;
  return ready > waiting ? StateLane::State::kPreempted : StateLane::State::kWaiting;
}

std::optional<StateLane::State> ProcStates::look(int pid, int tid, std::uint64_t now) {
  const auto text = thread_fact(pid, tid, "schedstat");
  const auto times = text ? parse_schedstat(*text) : std::nullopt;
  if (!times) return std::nullopt;
  const auto [entry, is_new] = threads_.try_emplace(tid);
  Thread& thread = entry->second;
  std::optional<StateLane::State> state;
  if (!is_new && now > thread.looked) {
    state = state_between(thread.times, *times, now - thread.looked);
    const std::uint64_t turns = times->turns - thread.times.turns;
    const std::uint64_t shown = *state == StateLane::State::kRunning && thread.state != *state ? 1 : 0;
    if (turns > shown) unseen_ += turns - shown;
    thread.state = *state;
  }
  thread.times = *times;
  thread.looked = now;
  return state;
}

}  // namespace lacuna

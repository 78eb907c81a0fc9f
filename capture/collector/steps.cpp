#include "capture/collector/steps.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "capture/collector/threads.h"
#include "capture/wire/handshake.h"

namespace lacuna::collector {
namespace {

struct Schedule {
  std::uint64_t wait = 0, warmup = 0, active = 0, repeat = 0;

  bool is_set() const { return active > 0; }
  /// As StepSchedule::keeps() of the session: is the step after `ended` ended ones kept?
  bool keeps(std::uint64_t ended) const {
    const std::uint64_t cycle = wait + warmup + active;
    return (repeat == 0 || ended / cycle < repeat) && ended % cycle >= wait + warmup;
  }
  bool needs_operators(std::uint64_t ended) const {
    return keeps(ended) || keeps(ended + 1) || (ended > 0 && keeps(ended - 1));
  }
};

Schedule read_schedule() {
  Schedule schedule;
  const char* text = std::getenv(wire::kStepsVariable);
  if (text == nullptr) return schedule;
  std::uint64_t* const fields[] = {&schedule.wait, &schedule.warmup, &schedule.active, &schedule.repeat};
  for (std::uint64_t* field : fields) {
    char* end = nullptr;
    *field = std::strtoul(text, &end, 10);
    text = *end == ',' ? end + 1 : end;
  }
  return schedule;
}

// In memory that fork copies, as PyTorch's own list of callbacks is.
std::atomic<void (*)(int)> set_operators{nullptr};
std::atomic<bool> operators_are_on{true};
std::atomic<std::uint64_t> ended_steps{0};

void count_step(const Process& process) {
  const std::uint64_t ended = ended_steps.fetch_add(1) + 1;
  static const Schedule schedule = read_schedule();
  void (*const set)(int) = set_operators.load();
  if (!schedule.is_set() || set == nullptr) return;
  const bool on = process.header->counts_steps.load(std::memory_order_relaxed) == 0 || schedule.needs_operators(ended);
  if (operators_are_on.exchange(on) != on) set(on ? 1 : 0);
}

}  // namespace

void use_operator_switch(void (*set)(int)) {
  set_operators = set;
}

void step_ended(const ThreadState& thread) {
  if (thread.profiler_steps == 0) count_step(*thread.process);
}

void profiler_step(ThreadState& thread, bool begins) {
  thread.profiler_steps += begins ? 1 : -1;
  if (!begins) count_step(*thread.process);
}

void forget_steps() {
  ended_steps = 0;
  void (*const set)(int) = set_operators.load();
  if (!operators_are_on.exchange(true) && set != nullptr) set(1);
}

}  // namespace lacuna::collector

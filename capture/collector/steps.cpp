#include "capture/collector/steps.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "capture/wire/handshake.h"

namespace lacuna::collector {
namespace {

struct Schedule {
  std::uint64_t wait = 0, warmup = 0, active = 0, repeat = 0;

  bool is_set() const { return active > 0; }
  /// Do operators count in the step after `ended` ended ones?
  bool needs_operators(std::uint64_t ended) const {
    const std::uint64_t cycle = wait + warmup + active;
    return (repeat == 0 || ended / cycle < repeat) && ended % cycle >= wait;
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

}  // namespace

void use_operator_switch(void (*set)(int)) { set_operators = set; }

void step_ended() {
  const std::uint64_t ended = ended_steps.fetch_add(1) + 1;
  static const Schedule schedule = read_schedule();
  void (*const set)(int) = set_operators.load();
  if (!schedule.is_set() || set == nullptr) return;
  const bool on = schedule.needs_operators(ended);
  if (operators_are_on.exchange(on) != on) set(on ? 1 : 0);
}

}  // namespace lacuna::collector

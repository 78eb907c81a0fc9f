#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/export/event_sink.h"
#include "model/export/held_event.h"

namespace lacuna {

/// Which training steps to keep, with the semantics of torch.profiler.schedule: skip `wait` steps, then
/// `warmup` steps, keep `active` steps; repeat that `repeat` times (0 = until the end).
struct StepSchedule {
  std::uint32_t wait = 0;
  std::uint32_t warmup = 0;
  std::uint32_t active = 0;  ///< 0 = no schedule, keep everything
  std::uint32_t repeat = 0;

  bool is_set() const { return active > 0; }
  /// Whether the step after `ended` ended steps is kept.
  bool keeps(std::uint64_t ended) const;
  /// Whether no later step will be kept.
  bool is_over(std::uint64_t ended) const;
};

/// Passes on the events of the steps of a schedule: CPU events that start in a kept step, GPU
/// activities launched in one, arrows between them, all names and devices.
///
/// Events are held until the steps around them are known: call step_ended() for each step, then
/// settle(t) when all steps that ended before t are known. One thread at a time.
class StepFilter : public EventSink {
 public:
  StepFilter(const StepSchedule& schedule, EventSink& next) : schedule_(schedule), next_(next) {}

  void add(const StreamedSlice& slice) override { held_.emplace_back(slice); }
  void add(const StreamedInstant& instant) override { held_.emplace_back(instant); }
  void add(const StreamedAsync& async) override { held_.emplace_back(async); }
  void add(const StreamedFlow& flow) override { held_.emplace_back(flow); }
  void add(const StreamedName& name) override { next_.add(name); }
  void add(const StreamedDevice& device) override { next_.add(device); }

  void step_ended(Nanos end);
  void settle(Nanos until);
  /// Call it when no more events will come. If no step ever ended, the schedule does not apply: the events that waited
  /// for one are passed on, the last kMostWithoutStep of them.
  void finish();
  static constexpr std::size_t kMostWithoutStep = 200'000;
  std::uint64_t steps() const { return ends_.size(); }
  std::uint64_t left_out() const { return left_out_; }
  /// The number of slices passed on.
  std::uint64_t slices() const { return slices_; }
  /// The number of these that are thread states.
  std::uint64_t states() const { return states_; }

 private:
  using Held = HeldEvent;
  bool keeps(Nanos time) const;
  void pass(const Held& held);
  void leave_out(Held& held);

  StepSchedule schedule_;
  EventSink& next_;
  std::vector<Nanos> ends_;
  std::deque<Held> held_;
  std::unordered_set<std::uint64_t> kept_launches_;
  std::unordered_set<std::uint64_t> kept_asyncs_;
  std::deque<Held> without_step_;  // events left out, unless no step ever ends
  std::uint64_t left_out_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t states_ = 0;
};

}  // namespace lacuna

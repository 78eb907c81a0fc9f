#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/base/time.h"
#include "model/export/event_sink.h"
#include "model/export/held_event.h"

namespace lacuna {

/// When a recording begins and ends, independent of its target.
struct RecordWindow {
  Nanos delay = 0;       ///< from the start of the session; 0 = at once
  std::string start_on;  ///< after the delay: when a range or operator of this name begins; empty = none
  Nanos duration = 0;    ///< from the beginning; 0 = until the end
  bool on_word = false;  ///< begins on request only (Session::begin_window)
  bool is_set() const { return delay > 0 || !start_on.empty() || duration > 0 || on_word; }
};

/// Passes on events that overlap a time window. Those that cross an edge are cut there; their args say by how much.
/// Names and devices always pass.
///
///     RecordGate gate(window, session_start, sink);
///     … events of one round, see_open() for each range that runs …
///     gate.settle(start_of_round);       // after each round of the session
///
/// Until the window has begun, events are held for a round or two, because the range that begins it arrives after those
/// inside it. One thread at a time.
class RecordGate : public EventSink {
 public:
  RecordGate(RecordWindow window, Nanos start, EventSink& next);

  void add(const StreamedSlice& slice) override;
  void add(const StreamedInstant& instant) override;
  void add(const StreamedAsync& async) override;
  void add(const StreamedFlow& flow) override;
  void add(const StreamedName& name) override { next_.add(name); }
  void add(const StreamedDevice& device) override { next_.add(device); }

  /// Begins a window that waits for a request: at the next settle(), with this start time, which may be in the future.
  void begin_at(Nanos time) { found_ = time; }
  /// Reports a range that is still running: it may begin the window.
  void see_open(std::string_view name, Nanos start) { see(name, start); }
  /// Ends the round that started at `from`: a range that begins the window later starts after that.
  void settle(Nanos from);
  /// Call it when no more events will come.
  void finish();

  /// Whether the start of the window is not known yet.
  bool is_waiting() const { return !begin_; }
  bool is_over(Nanos now) const { return begin_ && now >= end(); }
  /// The time at which recording begins; nothing: no range of the name has begun.
  std::optional<Nanos> begin() const { return begin_; }
  bool has_begun(Nanos now) const { return begin_ && now >= *begin_; }
  std::uint64_t slices() const { return slices_; }  ///< slices passed on
  std::uint64_t states() const { return states_; }  ///< those that are thread states
  std::uint64_t left_out() const { return left_out_; }

 private:
  Nanos end() const { return window_.duration == 0 ? kMaxNanos : saturating_add(*begin_, window_.duration); }
  bool holds(Nanos time) const { return time >= *begin_ && time < end(); }
  void see(std::string_view name, Nanos start);
  void pass_begun_before(HeldEvent async);

  RecordWindow window_;
  Nanos earliest_;
  EventSink& next_;
  std::optional<Nanos> begin_;
  std::optional<Nanos> found_;  // start of the earliest range of the name seen in this round
  std::deque<HeldEvent> held_;
  std::unordered_map<std::uint64_t, HeldEvent> begun_before_;  // ranges across threads that began before the window
  std::uint64_t slices_ = 0;
  std::uint64_t states_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace lacuna

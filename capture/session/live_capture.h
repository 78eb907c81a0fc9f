#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/session/console_buffer.h"
#include "capture/session/launcher.h"
#include "capture/session/live_plan.h"
#include "capture/session/recording_spool.h"
#include "capture/session/session.h"
#include "capture/session/target_output.h"
#include "model/event_batch.h"
#include "model/result.h"

namespace lacuna {

/// What the collector is told.
SessionOptions session_options(const LivePlan& plan);
/// The variables that a target gets on top of ours, for the user to see before the start; the socket does
/// not exist yet and is shown as "(made at the start)".
std::vector<std::pair<std::string, std::string>> planned_environment(const LivePlan& plan);

/// What the capture thread hands over: everything since the last delivery.
struct LiveDelivery {
  std::vector<EventBatch> batches;   ///< sealed
  EventBatch running;                ///< ranges that run now, as if they ended at `now`; they count nowhere
  Nanos now = 0;
  std::uint64_t forget_below = 0;    ///< events at lower offsets are gone, to be forgotten after the batches
  bool is_last = false;
};

/// A program that runs and is recorded: launches it, reads the rings and its output on a thread of its own,
/// writes the events to a RecordingSpool, and hands them over in batches.
///
/// The capture thread waits for nobody: a consumer that is slow finds more batches. It is never slower
/// than 5 ms to look at the rings. Ends by itself when the target and what it started have ended (what
/// the target left behind gets half a second). Destroying it while the target runs ends the target.
class LiveCapture {
 public:
  /// `on_news` is called on the capture thread, at most every kHandOverNs.
  static Result<std::unique_ptr<LiveCapture>> start(const LivePlan& plan, std::function<void()> on_news);
  ~LiveCapture();
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  static constexpr Nanos kHandOverNs = 10'000'000;

  struct Status {
    Session::Status capture;
    std::uint64_t events = 0;          ///< ever
    std::uint64_t forgotten = 0;       ///< of these, dropped to stay within the limit
    std::uint64_t not_written = 0;     ///< the disk took no more
    std::uint64_t spool_bytes = 0;
    int pid = 0;
    std::optional<Launcher::Exit> exit;  ///< of the target, once it ended
    const char* signal = "";           ///< the last one sent to stop it
    bool is_over = false;              ///< nothing more will come
    Nanos ended_at = 0;                ///< when that was
  };

  // Any thread.
  Status status() const;
  const ConsoleBuffer& console() const { return console_; }
  ConsoleBuffer& console() { return console_; }
  /// Asks the target to end: SIGINT, after two seconds SIGTERM, after two more SIGKILL. Again: the next at once.
  void stop() { ++stop_requests_; }
  bool is_stopping() const { return stop_requests_ > 0; }
  /// Now, in times of the trace.
  Nanos now() const;
  Nanos base_time_ns() const { return base_time_ns_; }
  Nanos started_at() const { return started_at_; }  ///< in times of the trace
  std::shared_ptr<const ByteSource> bytes() const { return spool_->bytes(); }
  /// Writes what was captured so far (RecordingSpool::save).
  Result<void> save(const std::string& path) const;
  const LivePlan& plan() const { return plan_; }

  // One consumer thread.
  /// Waits for something new, at most `timeout_ms`. False when there is nothing.
  bool take(LiveDelivery& delivery, int timeout_ms);
  /// Adds what was lost to the report of the trace.
  void report_to(ImportReport& report) const;

 private:
  LiveCapture(LivePlan plan, std::function<void()> on_news) : plan_(std::move(plan)), on_news_(std::move(on_news)) {}
  Result<void> open();
  void run();
  void read_output(bool is_last);
  void say_messages();
  void advance_stop(Nanos now);
  void hand_over(Nanos now, bool is_last);
  void keep_within_limit(Nanos now);

  LivePlan plan_;
  std::function<void()> on_news_;
  ConsoleBuffer console_;
  BatchSink batches_;
  std::unique_ptr<RecordingSpool> spool_;
  std::unique_ptr<Session> session_;
  std::optional<Launcher> target_;
  std::optional<TargetOutput> output_;
  std::optional<TargetOutput> errors_;
  Nanos base_time_ns_ = 0;
  Nanos started_at_ = 0;
  Nanos clock_offset_ = 0;  // trace time - CLOCK_MONOTONIC

  // The capture thread's.
  struct Part {
    std::uint64_t events = 0;
    Nanos end = 0;
  };
  std::vector<Part> parts_{1};
  Nanos part_began_ = 0;
  std::uint64_t events_before_part_ = 0;
  std::uint64_t forgotten_ = 0;
  std::uint64_t forget_below_ = 0;
  Nanos handed_over_ = 0;
  Nanos signalled_ = 0;
  int stops_done_ = 0;
  bool told_disk_full_ = false;
  const char* signal_ = "";

  std::atomic<int> stop_requests_{0};
  std::atomic<bool> is_abandoned_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  LiveDelivery next_;
  bool has_news_ = false;
  Status status_;

  std::jthread thread_;  // last: joined before the rest goes
};

/// Where recordings under way keep their events: $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna, else the
/// temporary folder.
std::string recordings_folder();

}  // namespace lacuna

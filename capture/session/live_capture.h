#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/session/console_buffer.h"
#include "capture/session/delivery_box.h"
#include "capture/session/kept_parts.h"
#include "capture/session/launcher.h"
#include "capture/session/live_plan.h"
#include "capture/session/live_source.h"
#include "capture/session/recording_spool.h"
#include "capture/session/session.h"
#include "capture/session/snapshot_saver.h"
#include "capture/session/target_output.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"
#include "model/build/event_batch.h"

namespace lacuna {

class LeftBehind;

/// Settings that the collector gets.
SessionOptions session_options(const LivePlan& plan);
/// The variables that a target gets on top of ours, for the user to see before the start; the socket does
/// not exist yet and is shown as "(made at the start)".
std::vector<std::pair<std::string, std::string>> planned_environment(const LivePlan& plan);

/// A program that runs and is recorded: launches it, reads the rings and its output on a thread of its own,
/// writes the events to a RecordingSpool, and hands them over in batches.
///
/// The capture thread never waits for a consumer: a slow one finds more batches. It is never slower
/// than 5 ms to look at the rings. Ends by itself when the target and what it left behind have ended
/// (LeftBehind). Destroying it while the target runs ends the target.
///
/// One that ran before (LivePlan::process) is woken, and looked at until it ends or stop() is called; then it sleeps
/// again, as it does when this is destroyed. It is never signalled.
class LiveCapture : public LiveSource {
 public:
  /// `on_news` is called on the capture thread, at most every kHandOverNs.
  static Result<std::unique_ptr<LiveCapture>> start(const LivePlan& plan, std::function<void()> on_news);
  ~LiveCapture() override;
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  static constexpr Nanos kHandOverNs = 10'000'000;

  // Any thread.
  Status status() const override { return box_.status(); }
  const ConsoleBuffer& console() const override { return console_; }
  ConsoleBuffer& console() { return console_; }
  /// Asks the target to end: SIGINT, after two seconds SIGTERM, after two more SIGKILL. Again: the next at once.
  void stop() override { ++stop_requests_; }
  bool is_own() const override { return true; }
  bool is_stopping() const { return stop_requests_ > 0; }
  /// Now, in times of the trace.
  Nanos now() const override;
  Nanos base_time_ns() const override { return base_time_ns_; }
  Nanos started_at() const override { return started_at_; }  ///< in times of the trace
  std::shared_ptr<const ByteSource> bytes() const override { return spool_->bytes(); }
  std::vector<DeviceProperties> devices() const override { return spool_->devices(); }
  /// Writes what was captured so far (RecordingSpool::save).
  Result<void> save(const std::string& path, Existing existing) const override;
  const LivePlan& plan() const override { return plan_; }
  void keep() override { spool_->keep(); }

  // One consumer thread.
  /// Waits for something new, at most `timeout_ms`. False when there is nothing.
  bool take(LiveDelivery& delivery, int timeout_ms) override { return box_.take(delivery, timeout_ms); }

 private:
  LiveCapture(LivePlan plan, std::function<void()> on_news) : plan_(std::move(plan)), on_news_(std::move(on_news)) {}
  Result<void> open();
  Result<void> launch();
  Result<void> look_at();
  /// run(), and the end of it where memory runs out.
  void run_to_the_end();
  void run();
  bool is_over(LeftBehind& left, Nanos now);
  std::string last_words(const LeftBehind& left) const;
  void read_output(bool is_last);
  void say_messages();
  void advance_stop(Nanos now);
  void hand_over(Nanos now, bool is_last);

  LivePlan plan_;
  std::function<void()> on_news_;
  ConsoleBuffer console_;
  BatchSink batches_;
  std::unique_ptr<RecordingSpool> spool_;
  std::unique_ptr<Session> session_;
  std::optional<Launcher> target_;
  std::optional<TargetOutput> output_;
  std::optional<TargetOutput> errors_;
  Descriptor looked_at_;  // pidfd of a process that ran before
  Nanos base_time_ns_ = 0;
  Nanos started_at_ = 0;
  Nanos clock_offset_ = 0;  // trace time - CLOCK_MONOTONIC

  // The capture thread's.
  std::optional<KeptParts> kept_;
  std::optional<SnapshotSaver> saver_;  // for those who ask from outside
  Nanos handed_over_ = 0;
  Nanos signalled_ = 0;
  int stops_done_ = 0;
  bool reported_disk_full_ = false;
  const char* signal_ = "";

  std::atomic<int> stop_requests_{0};
  std::atomic<bool> is_abandoned_{false};
  DeliveryBox box_;

  std::jthread thread_;  // last: joined before the rest goes
};

/// Where recordings under way keep their events: $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna, else the
/// temporary folder.
std::string recordings_folder();

}  // namespace lacuna

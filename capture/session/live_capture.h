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

/// Returns the settings for the collector.
SessionOptions session_options(const LivePlan& plan);
/// Returns the variables set for a target on top of ours, to show them before the start; the socket does
/// not exist yet and is shown as "(made at the start)".
std::vector<std::pair<std::string, std::string>> planned_environment(const LivePlan& plan);

/// Launches and records a program: reads the rings and the program's output on a thread of its own,
/// writes the events to a RecordingSpool, and delivers them in batches.
///
/// The capture thread never waits for a consumer: a slow one finds more batches. It reads the rings at least
/// every 5 ms. Ends by itself when the target and the processes that it left behind have ended
/// (LeftBehind). Destroying it while the target runs ends the target.
///
/// A program that ran before (LivePlan::process) is woken, and captured until it ends or stop() is called; then it
/// becomes dormant again, also when this is destroyed. It is never signalled.
class LiveCapture : public LiveSource {
 public:
  /// `on_news` is called on the capture thread, at most once every kHandOverNs.
  static Result<std::unique_ptr<LiveCapture>> start(const LivePlan& plan, std::function<void()> on_news);
  ~LiveCapture() override;
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  static constexpr Nanos kHandOverNs = 10'000'000;

  // Any thread.
  Status status() const override { return box_.status(); }
  const ConsoleBuffer& console() const override { return console_; }
  ConsoleBuffer& console() { return console_; }
  /// Asks the target to end: SIGINT, after two seconds SIGTERM, after two more SIGKILL. Another call escalates at once.
  void stop() override { ++stop_requests_; }
  bool is_own() const override { return true; }
  bool is_stopping() const { return stop_requests_ > 0; }
  /// The present trace time.
  Nanos now() const override;
  Nanos base_time_ns() const override { return base_time_ns_; }
  Nanos started_at() const override { return started_at_; }  ///< trace time
  std::shared_ptr<const ByteSource> bytes() const override { return spool_->bytes(); }
  std::vector<DeviceProperties> devices() const override { return spool_->devices(); }
  /// Writes all events captured so far (RecordingSpool::save).
  Result<void> save(const std::string& path, Existing existing) const override;
  const LivePlan& plan() const override { return plan_; }
  void keep() override { spool_->keep(); }

  // One consumer thread only.
  /// Waits for a new delivery, at most `timeout_ms`. False when there is none.
  bool take(LiveDelivery& delivery, int timeout_ms) override { return box_.take(delivery, timeout_ms); }

 private:
  LiveCapture(LivePlan plan, std::function<void()> on_news) : plan_(std::move(plan)), on_news_(std::move(on_news)) {}
  Result<void> open();
  Result<void> launch();
  Result<void> look_at();
  /// Calls run(), and ends the capture when memory runs out.
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
  Descriptor looked_at_;  // pidfd of a woken process that ran before
  Nanos base_time_ns_ = 0;
  Nanos started_at_ = 0;
  Nanos clock_offset_ = 0;  // trace time - CLOCK_MONOTONIC

  // Used by the capture thread only.
  std::optional<KeptParts> kept_;
  std::optional<SnapshotSaver> saver_;  // for requests of other processes
  Nanos handed_over_ = 0;
  Nanos signalled_ = 0;
  int stops_done_ = 0;
  bool reported_disk_full_ = false;
  const char* signal_ = "";

  std::atomic<int> stop_requests_{0};
  std::atomic<bool> is_abandoned_{false};
  DeliveryBox box_;

  std::jthread thread_;  // last member: joined before the others are destroyed
};

/// Returns the folder for spools of recordings under way: $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna, else the
/// temporary folder.
std::string recordings_folder();

}  // namespace lacuna

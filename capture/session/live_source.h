#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/session/capture_status.h"
#include "capture/session/console_buffer.h"
#include "capture/session/launcher.h"
#include "capture/session/live_plan.h"
#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/build/event_batch.h"
#include "model/export/claimed_file.h"
#include "model/trace/track.h"

namespace lacuna {

/// A delivery of a capture thread: everything since the last one.
struct LiveDelivery {
  std::vector<EventBatch> batches;  ///< sealed
  EventBatch running;               ///< ranges still running, as if they ended at `now`; counted nowhere
  Nanos now = 0;
  std::uint64_t forget_below = 0;  ///< events at lower offsets are to be forgotten, after the batches are added
  bool is_last = false;
};

/// A recording under way as the window sees it: made by this process (LiveCapture), or by another
/// one (AttachedRecording).
class LiveSource {
 public:
  struct Status {
    CaptureStatus capture;
    std::uint64_t events = 0;       ///< all events so far
    std::uint64_t forgotten = 0;    ///< those dropped to stay within the limit
    std::uint64_t not_written = 0;  ///< those that the disk did not take
    std::uint64_t spool_bytes = 0;
    int pid = 0;
    std::optional<Launcher::Exit> exit;  ///< how the target ended, once it has
    const char* signal = "";             ///< the last one sent to stop it
    bool is_over = false;                ///< no further deliveries will come
    bool is_cut = false;                 ///< the connection to place() is broken, and being retried
    Nanos late = 0;                      ///< the delay with which data arrive from place()
    Nanos ended_at = 0;                  ///< when the recording ended
  };

  virtual ~LiveSource() = default;

  // Any thread.
  virtual Status status() const = 0;
  virtual const ConsoleBuffer& console() const = 0;
  /// Asks the target to end, if this process may do that.
  virtual void stop() = 0;
  /// Whether this process records: then it may be stopped, launched again, and is lost unless saved.
  virtual bool is_own() const = 0;
  /// Whether stop() has an effect.
  virtual bool may_stop() const { return is_own(); }
  /// The machine that records; empty: this one.
  virtual std::string place() const { return {}; }
  /// The path to which another process saves the recording; empty for a recording of this process.
  virtual std::string output() const { return {}; }
  /// The present trace time.
  virtual Nanos now() const = 0;
  virtual Nanos base_time_ns() const = 0;
  virtual Nanos started_at() const = 0;  ///< trace time
  virtual std::shared_ptr<const ByteSource> bytes() const = 0;
  /// Returns the GPUs reported so far.
  virtual std::vector<DeviceProperties> devices() const = 0;
  /// Writes all events captured so far (replace_file).
  virtual Result<void> save(const std::string& path, Existing existing) const = 0;
  virtual const LivePlan& plan() const = 0;
  /// Keeps the recorded data on disk when this is destroyed, for find_old_recordings(). Does nothing for a recording
  /// of another process.
  virtual void keep() {}
  /// Adds the losses to the import report of the trace.
  void report_to(ImportReport& report) const;

  // One consumer thread only.
  /// Waits for a new delivery, at most `timeout_ms`. False when there is none.
  virtual bool take(LiveDelivery& delivery, int timeout_ms) = 0;
};

/// Returns the batch with all its counts removed: for ranges that still run.
EventBatch uncounted(EventBatch batch);

}  // namespace lacuna

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

/// What a capture thread hands over: everything since the last delivery.
struct LiveDelivery {
  std::vector<EventBatch> batches;  ///< sealed
  EventBatch running;               ///< ranges that run now, as if they ended at `now`; they count nowhere
  Nanos now = 0;
  std::uint64_t forget_below = 0;  ///< events at lower offsets are gone, to be forgotten after the batches
  bool is_last = false;
};

/// A recording under way as the window sees it: one of its own (LiveCapture), or one that another process
/// makes (AttachedRecording).
class LiveSource {
 public:
  struct Status {
    CaptureStatus capture;
    std::uint64_t events = 0;       ///< ever
    std::uint64_t forgotten = 0;    ///< of these, dropped to stay within the limit
    std::uint64_t not_written = 0;  ///< the disk took no more
    std::uint64_t spool_bytes = 0;
    int pid = 0;
    std::optional<Launcher::Exit> exit;  ///< of the target, once it ended
    const char* signal = "";             ///< the last one sent to stop it
    bool is_over = false;                ///< nothing more will come
    bool is_cut = false;                 ///< the line to place() is broken, and tried again
    Nanos late = 0;                      ///< how late what place() records is here
    Nanos ended_at = 0;                  ///< when that was
  };

  virtual ~LiveSource() = default;

  // Any thread.
  virtual Status status() const = 0;
  virtual const ConsoleBuffer& console() const = 0;
  /// Asks the target to end, if that is ours to ask.
  virtual void stop() = 0;
  /// Made here: may be stopped, launched again, and is lost unless it is saved.
  virtual bool is_own() const = 0;
  /// stop() does something.
  virtual bool may_stop() const { return is_own(); }
  /// The machine on which it is made; empty: this one.
  virtual std::string place() const { return {}; }
  /// The path to which another process saves it; empty for a recording of this process.
  virtual std::string output() const { return {}; }
  /// Now, in times of the trace.
  virtual Nanos now() const = 0;
  virtual Nanos base_time_ns() const = 0;
  virtual Nanos started_at() const = 0;  ///< in times of the trace
  virtual std::shared_ptr<const ByteSource> bytes() const = 0;
  /// The GPUs reported so far.
  virtual std::vector<DeviceProperties> devices() const = 0;
  /// Writes what was captured so far (replace_file).
  virtual Result<void> save(const std::string& path, Existing existing) const = 0;
  virtual const LivePlan& plan() const = 0;
  /// What was recorded stays on the disk when this is destroyed, for find_old_recordings(). Nothing for what another
  /// process records.
  virtual void keep() {}
  /// Adds what was lost to the report of the trace.
  void report_to(ImportReport& report) const;

  // One consumer thread.
  /// Waits for something new, at most `timeout_ms`. False when there is nothing.
  virtual bool take(LiveDelivery& delivery, int timeout_ms) = 0;
};

/// What a batch holds, without being counted anywhere: for ranges that run.
EventBatch uncounted(EventBatch batch);

}  // namespace lacuna

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "capture/session/batch_sink.h"
#include "capture/session/delivery_box.h"
#include "capture/session/kept_window.h"
#include "capture/session/live_source.h"
#include "capture/share/share_message.h"
#include "capture/share/share_socket.h"
#include "model/base/result.h"

namespace lacuna {

/// A recording that another process of this user makes (`lacuna record --live`), followed by reading its file
/// through the descriptor that it passes. Shows the same as opening that file.
///
/// Takes only room in a socket from the other side, which may be slow, or die. When the
/// other side dies, what it has written is shown, and the recording ends. Destroying this detaches.
class AttachedRecording : public LiveSource {
 public:
  /// Waits a few seconds at most for the answer. Errors: no recording there, another window is attached already,
  /// another version. `keep`: how much this window keeps.
  static Result<std::unique_ptr<AttachedRecording>> attach(const std::string& path, const KeepLimit& keep = {});
  ~AttachedRecording() override;

  Status status() const override { return box_.status(); }
  const ConsoleBuffer& console() const override { return console_; }
  void stop() override { wants_stop_ = description_.may_stop; }
  bool is_own() const override { return false; }
  bool may_stop() const override { return description_.may_stop; }
  std::string place() const override { return description_.place; }
  std::string output() const override { return description_.output; }
  Nanos now() const override;
  Nanos base_time_ns() const override { return description_.base_time_ns; }
  Nanos started_at() const override { return description_.started_at; }
  std::shared_ptr<const ByteSource> bytes() const override;
  std::vector<DeviceProperties> devices() const override;
  Result<void> save(const std::string& path, Existing existing) const override;
  const LivePlan& plan() const override { return plan_; }
  bool take(LiveDelivery& delivery, int timeout_ms) override { return box_.take(delivery, timeout_ms); }

  int recorder() const { return description_.recorder; }

 private:
  class File;
  AttachedRecording() = default;
  /// Calls run(), and ends the recording when memory runs out.
  void run_to_the_end();
  void run();
  bool hear();  ///< false once the other side is gone
  bool read_events(std::uint64_t up_to);
  void keep_within_limit();
  void hand_over(bool is_last);

  ShareDescription description_;
  LivePlan plan_;
  ConsoleBuffer console_;
  std::shared_ptr<File> file_;
  ShareSocket socket_;

  // Used by the reading thread only.
  KeptWindow window_{KeepLimit{}};
  std::uint64_t part_events_ = 0;  // events in the newest part of window_
  ShareState state_;
  BatchSink running_;
  std::uint64_t at_ = 0;  // file position up to which all was read
  std::uint64_t forget_below_ = 0;
  bool reported_copy_failed_ = false;

  mutable std::mutex devices_mutex_;
  std::vector<DeviceProperties> devices_;  // guarded by the mutex

  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> wants_stop_{false};  // the window has asked for the end
  DeliveryBox box_;

  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lacuna

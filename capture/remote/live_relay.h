#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capture/remote/far_side.h"
#include "capture/remote/packed.h"
#include "capture/share/share_server.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// Which recording on another machine to watch.
struct LiveRelayPlan {
  RemotePlace place;
  std::vector<std::string> words;  ///< `lacuna record` arguments to start a recording there; empty: watch a running one
  std::string name;                ///< name of a running one, as for `lacuna attach`; may be empty if there is only one
  int process = 0;                 ///< > 0: pid of a dormant program there to wake, instead of both
};

/// Makes a recording on another machine available for attaching here: its data is sent over the
/// connection, packed, into an unlinked file, from which an AttachedRecording reads it. A lost connection is
/// re-established and continues where it was; the recording itself never waits. One thread of its own. Destroying it
/// lets the recording go on, but a program that was woken for it sleeps again.
class LiveRelay {
 public:
  /// Waits until there is something to attach to, or `cancel` is set. Errors: those of FarSide, and why the start
  /// failed.
  static Result<std::unique_ptr<LiveRelay>> start(const LiveRelayPlan& plan, const RemotePatience& patience = {},
                                                  const std::atomic<bool>* cancel = nullptr);
  ~LiveRelay();
  LiveRelay(const LiveRelay&) = delete;
  LiveRelay& operator=(const LiveRelay&) = delete;

  /// Returns the socket to attach to.
  const std::string& socket() const { return socket_; }
  /// Returns the present or future path of the trace on the other machine.
  const std::string& output() const { return output_; }
  /// Returns the name for `lacuna --on HOST attach`.
  const std::string& name() const { return name_; }
  /// Whether the recording has ended and all its data is here.
  bool is_over() const { return is_over_; }

 private:
  explicit LiveRelay(LiveRelayPlan plan, const RemotePatience& patience)
      : plan_(std::move(plan)), patience_(patience) {}
  Result<void> begin(const std::atomic<bool>* cancel);
  void run();
  Result<std::string> watch();
  Result<void> take(const Frame& frame);
  Result<void> take_description(const Frame& frame);
  Result<void> take_data(const Frame& frame);
  Result<void> take_state(const Frame& frame);
  Result<void> open_share();
  void take_beat(const Frame& frame);
  void tick();
  void tell();
  void opened(Result<void> result);
  bool rest(int ms);
  Nanos now_there() const;

  LiveRelayPlan plan_;
  RemotePatience patience_;
  std::unique_ptr<FarSide> far_;
  std::string socket_, output_, name_, log_;

  // Relay thread only:
  std::unique_ptr<ShareServer> share_;
  std::optional<ShareDescription> description_;
  std::unique_ptr<PackedReader> unpacker_;
  std::string bytes_;
  Descriptor spool_;
  std::string proof_;  // the first bytes, to recognise the recording
  std::uint64_t log_at_ = 0;
  ShareState state_;
  ShareRunning running_;
  bool is_cut_ = false;
  std::int64_t clock_difference_ = 0;  // CLOCK_MONOTONIC there minus here
  std::uint64_t best_trip_ = ~0ull;    // round trip in ns of the ping that measured it
  std::uint64_t pinged_ = 0;
  std::uint64_t sent_ns_ = 0;

  std::atomic<std::uint64_t> bytes_here_{0};
  std::atomic<bool> is_stopping_{false}, is_over_{false}, has_ended_{false}, wants_stop_{false};
  std::mutex mutex_;
  std::condition_variable has_opened_;
  std::optional<Result<void>> opened_;  // guarded by mutex_

  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lacuna

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

/// Which recording of another machine is to be watched.
struct LiveRelayPlan {
  RemotePlace place;
  std::vector<std::string> words;  ///< what `lacuna record` gets there: a recording is started; empty: one that runs
  std::string name;                ///< of one that runs, as `lacuna attach` takes it; may be empty where there is one
  int process = 0;                 ///< > 0: a dormant program there, which is woken, in place of both
};

/// A recording that runs on another machine, made to be one that can be attached to here: what it writes comes over the
/// line, packed, into an unlinked file, from which an AttachedRecording reads it. Where the line breaks, it is made
/// anew and goes on where it was; the recording itself never waits. One thread of its own; destroying it lets the
/// recording go on, but a program that was woken for it sleeps again.
class LiveRelay {
 public:
  /// Waits until there is something to attach to, or `cancel` is set. Errors: what FarSide says, and why nothing was
  /// started.
  static Result<std::unique_ptr<LiveRelay>> start(const LiveRelayPlan& plan, const RemotePatience& patience = {},
                                                  const std::atomic<bool>* cancel = nullptr);
  ~LiveRelay();
  LiveRelay(const LiveRelay&) = delete;
  LiveRelay& operator=(const LiveRelay&) = delete;

  /// The socket to attach to.
  const std::string& socket() const { return socket_; }
  /// The path of the trace on the other machine, written or to be written.
  const std::string& output() const { return output_; }
  /// The name that `lacuna --on HOST attach` takes.
  const std::string& name() const { return name_; }
  /// The recording there has ended, and all of it is here.
  bool is_over() const { return is_over_; }
  /// Bytes that the line has carried, packed and unpacked; for tests and figures.
  std::uint64_t bytes_packed() const { return bytes_packed_; }
  std::uint64_t bytes_here() const { return bytes_here_; }
  /// How often the line was made anew.
  int reconnects() const { return reconnects_; }

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

  // The relay's thread's.
  std::unique_ptr<ShareServer> share_;
  std::optional<ShareDescription> description_;
  std::unique_ptr<PackedReader> unpacker_;
  std::string bytes_;
  Descriptor spool_;
  std::string proof_;  // the first bytes
  std::uint64_t log_at_ = 0;
  ShareState state_;
  ShareRunning running_;
  bool is_cut_ = false;
  std::int64_t clock_difference_ = 0;  // of CLOCK_MONOTONIC: there minus here
  std::uint64_t best_trip_ = ~0ull;    // ns of the ping that this is by
  std::uint64_t pinged_ = 0;
  std::uint64_t sent_ns_ = 0;

  std::atomic<std::uint64_t> bytes_here_{0}, bytes_packed_{0};
  std::atomic<int> reconnects_{0};
  std::atomic<bool> is_stopping_{false}, is_over_{false}, has_ended_{false}, wants_stop_{false};
  std::mutex mutex_;
  std::condition_variable has_opened_;
  std::optional<Result<void>> opened_;  // guarded by mutex_

  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna

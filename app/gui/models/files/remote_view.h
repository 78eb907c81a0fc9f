#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "capture/remote/far_side.h"
#include "capture/remote/live_relay.h"

namespace lacuna {

/// What a window knows of another machine: a folder there, a recording that was started. UI
/// thread; the lines are on threads of their own.
class RemoteView {
 public:
  explicit RemoteView(const std::function<void()>& wake);
  ~RemoteView();
  RemoteView(const RemoteView&) = delete;
  RemoteView& operator=(const RemoteView&) = delete;

  /// Lists a folder of `host`; empty: the home.
  void look(const std::string& host, const std::string& folder);
  /// How a host is reached; nothing, and says why, where it is none.
  std::optional<RemotePlace> place_of(const std::string& host);
  /// Starts a recording there, of a command line as a shell reads it.
  void record(const std::string& host, const std::string& command);
  /// Gives up what is under way.
  void cancel();

  bool is_busy() const { return what_ != Doing::kNothing; }
  /// Of the last look; null: none yet.
  const FarSide::Listing* listing() const { return listing_ ? &*listing_ : nullptr; }
  /// Whose listing that is.
  const std::string& host() const { return host_; }
  /// Why the last thing did not work; empty: it did.
  const std::string& problem() const { return problem_; }
  /// A recording that can be attached to, once; its relay must live as long as it is watched.
  std::shared_ptr<LiveRelay> take_relay() { return std::exchange(relay_, nullptr); }

  /// Takes over what the threads found. Once a frame.
  void update();

 private:
  enum class Doing { kNothing, kLooking, kRecording };
  struct Found {
    FarSide::Listing listing;
    std::string problem;
  };
  struct Recorded {
    std::shared_ptr<LiveRelay> relay;
    std::string problem;
  };
  /// kNothing, and says why, where `host` is no host.
  std::optional<RemotePlace> begin(const std::string& host, Doing what);

  LatestJob<Found> look_job_;
  LatestJob<Recorded> record_job_;
  std::shared_ptr<std::atomic<bool>> is_cancelled_;
  Doing what_ = Doing::kNothing;
  std::string host_, asked_host_;
  std::optional<FarSide::Listing> listing_;
  std::string problem_;
  std::shared_ptr<LiveRelay> relay_;
};

}  // namespace lacuna

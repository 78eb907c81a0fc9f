#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "app/gui/models/files/far_jobs.h"
#include "app/gui/models/files/remote_address.h"
#include "capture/remote/far_side.h"
#include "capture/remote/live_relay.h"

namespace lacuna {

/// What a window knows of another machine: a folder there, what runs there, a recording that is watched. UI thread; the
/// lines are on threads of their own.
class RemoteView {
 public:
  explicit RemoteView(const std::function<void()>& wake);
  ~RemoteView();
  RemoteView(const RemoteView&) = delete;
  RemoteView& operator=(const RemoteView&) = delete;

  /// Lists a folder; empty: the home.
  void look(const RemoteAddress& where, const std::string& folder);
  /// Lists what runs there.
  void look_at_jobs(const RemoteAddress& where);
  /// How it is reached; nothing, and says why, where it is no address.
  std::optional<RemotePlace> place_of(const RemoteAddress& where);
  /// Starts a recording there, of a command line as a shell reads it.
  void record(const RemoteAddress& where, const std::string& command);
  /// Watches a recording there, or wakes a dormant program and watches it.
  void attach(const RemoteAddress& where, const FarJob& job);
  /// Takes a trace of these processes there.
  void request(const RemoteAddress& where, const std::vector<int>& pids, double seconds);
  /// Gives up what is under way.
  void cancel();

  bool is_busy() const { return what_ != Doing::kNothing; }
  /// The folder as the last look found it; null: there was none yet.
  const FarSide::Listing* listing() const { return listing_ ? &*listing_ : nullptr; }
  /// Whose listing that is.
  const RemoteAddress& listed_at() const { return listed_at_; }
  /// The jobs as the last look found them; null: there was none yet.
  const std::vector<FarJob>* jobs() const { return jobs_ ? &*jobs_ : nullptr; }
  /// Whose they are.
  const RemoteAddress& jobs_at() const { return jobs_at_; }
  /// The machine that was asked for what came last.
  const RemoteAddress& reached() const { return asked_; }
  bool is_requesting() const { return what_ == Doing::kRequesting; }
  /// Why the last thing did not work; empty: it did.
  const std::string& problem() const { return problem_; }
  /// The files there of a request, once.
  std::vector<std::string> take_files() { return std::exchange(files_, {}); }
  /// A recording that can be attached to, once; its relay must live as long as it is watched.
  std::shared_ptr<LiveRelay> take_relay() { return std::exchange(relay_, nullptr); }

  /// Takes over what the threads found. Once a frame.
  void update();

 private:
  enum class Doing { kNothing, kLooking, kRecording, kRequesting };
  struct Found {
    FarSide::Listing listing;
    std::string problem;
  };
  struct FoundJobs {
    std::vector<FarJob> jobs;
    std::string problem;
  };
  struct Requested {
    std::vector<std::string> paths;
    std::string problem;
  };
  struct Recorded {
    std::shared_ptr<LiveRelay> relay;
    std::string problem;
  };
  /// Begins work on another machine; nothing where `where` is not an address, and then says why.
  std::optional<RemotePlace> begin(const RemoteAddress& where, Doing what);
  void start_relay(LiveRelayPlan plan);

  LatestJob<Found> look_job_;
  LatestJob<FoundJobs> jobs_job_;
  LatestJob<Requested> request_job_;
  LatestJob<Recorded> record_job_;
  std::shared_ptr<std::atomic<bool>> is_cancelled_;
  Doing what_ = Doing::kNothing;
  RemoteAddress listed_at_, jobs_at_, asked_;
  std::optional<std::vector<FarJob>> jobs_;
  std::optional<FarSide::Listing> listing_;
  std::string problem_;
  std::vector<std::string> files_;
  std::shared_ptr<LiveRelay> relay_;
};

}  // namespace lacuna

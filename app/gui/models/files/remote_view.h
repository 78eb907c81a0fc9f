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

/// The window's view of another machine: a folder, running programs, a watched recording. UI thread; connections run on
/// threads of their own.
class RemoteView {
 public:
  explicit RemoteView(const std::function<void()>& wake);
  ~RemoteView();
  RemoteView(const RemoteView&) = delete;
  RemoteView& operator=(const RemoteView&) = delete;

  /// Lists a folder there; empty = the home folder.
  void look(const RemoteAddress& where, const std::string& folder);
  /// Lists the running programs there.
  void look_at_jobs(const RemoteAddress& where);
  /// Returns how to reach the machine; nothing, with problem() set, if it is no valid address.
  std::optional<RemotePlace> place_of(const RemoteAddress& where);
  /// Starts a recording there of a command line in shell syntax.
  void record(const RemoteAddress& where, const std::string& command);
  /// Watches a recording there; for a dormant program, wakes it first.
  void attach(const RemoteAddress& where, const FarJob& job);
  /// Requests a trace of these processes there.
  void request(const RemoteAddress& where, const std::vector<int>& pids, double seconds);
  /// Cancels running work.
  void cancel();

  bool is_busy() const { return what_ != Doing::kNothing; }
  /// The folder listing of the last look(); null before the first.
  const FarSide::Listing* listing() const { return listing_ ? &*listing_ : nullptr; }
  /// The machine of listing().
  const RemoteAddress& listed_at() const { return listed_at_; }
  /// The jobs of the last look_at_jobs(); null before the first.
  const std::vector<FarJob>* jobs() const { return jobs_ ? &*jobs_ : nullptr; }
  /// The machine of jobs().
  const RemoteAddress& jobs_at() const { return jobs_at_; }
  /// The machine of the latest request.
  const RemoteAddress& reached() const { return asked_; }
  bool is_requesting() const { return what_ == Doing::kRequesting; }
  /// Why the last request failed; empty: it did not.
  const std::string& problem() const { return problem_; }
  /// Returns the paths on that machine of a request's traces, once.
  std::vector<std::string> take_files() { return std::exchange(files_, {}); }
  /// Returns a recording to attach to, once; its relay must live as long as the recording is watched.
  std::shared_ptr<LiveRelay> take_relay() { return std::exchange(relay_, nullptr); }

  /// Takes the threads' results. Call once a frame.
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
  /// Begins work on another machine. Returns nothing, with problem() set, if `where` is not a valid address.
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

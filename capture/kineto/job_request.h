#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "capture/kineto/dormant_window.h"
#include "capture/kineto/job_listener.h"
#include "capture/kineto/job_plan.h"
#include "capture/kineto/trace_pickup.h"
#include "model/base/result.h"

namespace lacuna {

/// Records a window of running jobs, all beginning at the same time. Wakes and records dormant jobs. For the others
/// it waits until they ask, sends all of them the request, and fetches their files. The socket is held until each
/// has its request (by steps: until it has begun, since a job that has not taken its first step drops the request,
/// and is sent it again). All work happens in step(), on one thread. If destroyed early, no more jobs are asked,
/// and traces already requested are written at path_of().
class JobRequest {
 public:
  /// Finds the jobs and opens the socket. Errors: none of them is a job, a named one is no job, the socket cannot be
  /// opened, the folder or a file in it cannot be written.
  static Result<std::unique_ptr<JobRequest>> start(RequestPlan plan);
  ~JobRequest();

  /// Continues for about `patience`. Returns false when all jobs are done or failed.
  bool step(std::chrono::milliseconds patience);
  const std::vector<JobProgress>& jobs() const { return progress_; }
  /// Returns where a job that was asked writes its trace; empty: it was not asked.
  std::string path_of(std::size_t index) const;
  /// Stops asking jobs and ends the windows of dormant programs; their events are written in the next
  /// steps. has_windows(): some of them are not written yet.
  void stop();
  bool has_windows() const;
  /// Unix time in ms at which the windows begin together; 0: each as soon as possible.
  std::int64_t start_ms() const { return start_ms_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  using Clock = JobListener::Clock;
  using State = JobProgress::State;

  struct Part {
    std::unique_ptr<ClaimedFile> claim;
    std::unique_ptr<DormantWindow> window;  ///< for a dormant job, which uses none of the members below
    std::unique_ptr<TracePickup> pickup;
    std::string request;        ///< the request that it was sent
    Clock::time_point asked{};  ///< when it was sent the request
    int asked_times = 0;        ///< how often it had asked before that
    bool has_read = false;      ///< it has asked again since, or begun
  };

  explicit JobRequest(RequestPlan plan);
  Result<void> begin();
  Result<void> add(const RunningJob& job);
  void listen(std::chrono::milliseconds patience);
  Result<void> check_request() const;
  Result<std::vector<ClaimedFile>> claim_files(const std::vector<RunningJob>& jobs) const;
  bool has_only_kineto() const;
  void refuse(std::size_t index);
  void wake(std::size_t index);
  void look_at_windows();
  bool begins_together() const;
  bool is_time_to_hand_out() const;
  void hand_out(std::size_t index, std::size_t asking);
  void repeat(std::size_t index, std::size_t asking);
  void look(std::size_t index);
  void fail_job(std::size_t index, std::string words);
  bool is_open(std::size_t index) const;
  std::string give_up_words(std::size_t index) const;
  std::string no_snapshot_words(std::size_t index) const;

  RequestPlan plan_;
  std::string made_folder_;  ///< empty: the folder existed before
  std::vector<JobProgress> progress_;
  std::vector<Part> parts_;
  std::vector<std::string> problems_;
  std::unique_ptr<JobListener> listener_;
  Clock::time_point began_;
  bool is_stopped_ = false;
  bool are_windows_begun_ = false;
  bool is_handing_out_ = false;
  Clock::time_point handing_out_since_{};
  std::int64_t start_ms_ = 0;
  Clock::time_point start_{};
};

}  // namespace lacuna

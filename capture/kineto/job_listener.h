#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capture/kineto/kineto_messages.h"
#include "capture/kineto/kineto_socket.h"
#include "capture/kineto/running_job.h"
#include "capture/share/share_places.h"
#include "model/base/result.h"

namespace lacuna {

/// Lists the jobs that ask for requests, during its lifetime: it holds the sockets at which they ask, and does not
/// answer unless told to. A job without an answer continues as without a daemon, so listening has no effect on jobs.
/// One thread.
class JobListener {
 public:
  using Clock = std::chrono::steady_clock;

  /// The longest interval at which a job looks for its daemon while there is none (its pauses grow to 5.12 s, then
  /// restart); once a daemon was found, it asks every five seconds.
  static constexpr std::chrono::milliseconds kFirstAsk{5500};
  static constexpr std::chrono::milliseconds kNextAsk{5000};

  /// Opens the abstract socket, or that in our own KINETO_IPC_SOCKET_DIR, and those in the folders of `expected`.
  /// Error: none could be opened; if only some failed, problems() has their errors.
  static Result<JobListener> open(const std::vector<RunningJob>& expected);

  /// A job that asked.
  struct Asking {
    RunningJob job;          ///< as last seen
    std::string sender;      ///< its address
    std::size_t socket = 0;  ///< index of our socket that it asked at
    bool accepts = false;    ///< it would accept a request
    Clock::time_point last;  ///< time of its last question
    int times = 0;
  };
  /// Waits for at most `patience` and returns the indices in asking() of the jobs that asked in that time.
  std::vector<std::size_t> wait(std::chrono::milliseconds patience);
  /// All jobs that asked so far; for a restarted process, the latest.
  const std::vector<Asking>& asking() const { return asking_; }
  /// Sends a job its request. Call right after it asked: it waits for 90 ms. Returns false if it is gone.
  bool answer(std::size_t index, const std::string& request);

  const std::vector<std::string>& problems() const { return problems_; }
  /// The number of other users' processes that asked; they got no answer.
  std::size_t strangers() const { return strangers_.size(); }
  /// The number of messages that were invalid, or from processes missing in our /proc.
  std::size_t refused() const { return refused_; }

 private:
  JobListener() = default;
  void take(std::size_t socket, const KinetoSocket::Letter& letter, std::vector<std::size_t>& heard);
  std::size_t place_of(std::size_t socket, const KinetoSocket::Letter& letter, int own_pid);

  std::vector<KinetoSocket> sockets_;
  std::vector<std::string> problems_;
  std::vector<Asking> asking_;
  std::vector<std::string> strangers_;  // their addresses
  std::size_t refused_ = 0;
};

/// The output of `lacuna jobs`.
struct JobList {
  std::vector<RunningJob> jobs;         ///< by rank, then pid; launchers last
  std::vector<std::string> recordings;  ///< sockets of local recordings that a window may watch
  std::vector<std::string> problems;    ///< sentences
};
/// Lists dormant programs, and listens until every process that looks like a PyTorch job has asked, or until `patience`
/// is over. If cancelled, returns the jobs so far.
template <class IsCancelled>
Result<JobList> find_jobs(std::chrono::milliseconds patience, IsCancelled&& is_cancelled);

/// Sorts by rank, then pid; launchers come last.
void sort_jobs(std::vector<RunningJob>& jobs);
/// Replaces those of `possible` that asked by their own data, and adds the other jobs that asked.
std::vector<RunningJob> merge_heard(std::vector<RunningJob> possible, const JobListener& listener);

template <class IsCancelled>
Result<JobList> find_jobs(std::chrono::milliseconds patience, IsCancelled&& is_cancelled) {
  const std::vector<RunningJob> possible = find_running_jobs();
  std::vector<RunningJob> asking;
  for (const RunningJob& job : possible)
    if (job.is_kineto) asking.push_back(job);
  JobList list;
  list.jobs = possible;
  list.recordings = shared_recordings();
  Result<JobListener> listener = JobListener::open(asking);
  if (!listener) {
    if (possible.empty()) return tl::make_unexpected(listener.error());
    list.problems.push_back(listener.error().message());
    sort_jobs(list.jobs);
    return list;
  }
  const auto end = JobListener::Clock::now() + patience;
  for (;;) {
    list.jobs = merge_heard(possible, *listener);
    bool is_complete = !possible.empty();
    for (const RunningJob& job : list.jobs) is_complete = is_complete && (job.is_heard || !job.is_kineto);
    if (is_complete || JobListener::Clock::now() >= end || is_cancelled()) break;
    listener->wait(std::chrono::milliseconds(50));
  }
  list.problems = listener->problems();
  if (listener->strangers() > 0)
    list.problems.push_back("processes of other users asked, too: " + std::to_string(listener->strangers()) +
                            "; only their user may take their traces");
  if (listener->refused() > 0)
    list.problems.push_back("messages that were not Kineto's, or came from processes that /proc does not show here: " +
                            std::to_string(listener->refused()));
  sort_jobs(list.jobs);
  return list;
}

}  // namespace lacuna

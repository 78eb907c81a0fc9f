#include "capture/kineto/job_listener.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <poll.h>

namespace lacuna {
namespace {

constexpr std::size_t kMostAsking = 4096;  // a hostile process could make up any number

/// Of whoever asks at several places the last counts.
bool is_same_process(const RunningJob& a, const RunningJob& b) {
  return a.pid == b.pid && a.start == b.start;
}

}  // namespace

Result<JobListener> JobListener::open(const std::vector<RunningJob>& expected) {
  std::vector<std::string> folders;
  const char* ours = std::getenv("KINETO_IPC_SOCKET_DIR");
  if (ours != nullptr && *ours != '\0') {
    folders.emplace_back(ours);
  } else {
    folders.emplace_back();
    for (const RunningJob& job : expected)
      if (job.root.empty() && std::ranges::find(folders, job.socket_folder) == folders.end())
        folders.push_back(job.socket_folder);
  }
  JobListener listener;
  std::optional<Error> first;
  for (const std::string& folder : folders) {
    Result<KinetoSocket> socket = KinetoSocket::open(folder);
    if (socket) {
      listener.sockets_.push_back(std::move(*socket));
    } else {
      listener.problems_.push_back(socket.error().message());
      if (!first) first = socket.error();
    }
  }
  if (listener.sockets_.empty()) return tl::make_unexpected(*first);
  return listener;
}

std::vector<std::size_t> JobListener::wait(std::chrono::milliseconds patience) {
  std::vector<pollfd> polled;
  for (const KinetoSocket& socket : sockets_) polled.push_back({socket.descriptor(), POLLIN, 0});
  std::vector<std::size_t> heard;
  if (::poll(polled.data(), polled.size(), static_cast<int>(patience.count())) <= 0) return heard;
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    // So many at a time: whoever floods the socket does not keep us from our work.
    for (int n = 0; n < 64; ++n) {
      const std::optional<KinetoSocket::Letter> letter = sockets_[i].receive();
      if (!letter) break;
      take(i, *letter, heard);
    }
  }
  return heard;
}

std::size_t JobListener::place_of(std::size_t socket, const KinetoSocket::Letter& letter, int own_pid) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < asking_.size(); ++i)
    if (asking_[i].sender == letter.sender && asking_[i].socket == socket) return i;
  if (asking_.size() >= kMostAsking) return kNone;
  Asking made;
  // The kernel's word; where it cannot say (a pid namespace that we do not see) the message's is all there is.
  if (letter.pid > 0) made.job = describe_job(letter.pid);
  if (made.job.pid == 0) return kNone;  // it has ended meanwhile, or is nobody whom we could watch
  made.job.own_pid = own_pid;
  made.job.has_torch = true;
  made.sender = letter.sender;
  made.socket = socket;
  for (std::size_t i = 0; i < asking_.size(); ++i) {
    if (!is_same_process(asking_[i].job, made.job)) continue;
    asking_[i].sender = letter.sender;  // another endpoint of the same process (2.8 may make two)
    asking_[i].socket = socket;
    return i;
  }
  asking_.push_back(std::move(made));
  return asking_.size() - 1;
}

void JobListener::take(std::size_t socket, const KinetoSocket::Letter& letter, std::vector<std::size_t>& heard) {
  if (!letter.is_ours) {
    if (strangers_.size() < kMostAsking && std::ranges::find(strangers_, letter.sender) == strangers_.end())
      strangers_.push_back(letter.sender);
    return;
  }
  const Result<KinetoMessage> message = parse_kineto_message(letter.bytes);
  if (!message || letter.sender.empty()) {
    ++refused_;
    return;
  }
  if (message->kind == KinetoMessage::Kind::kRegister) {
    // An answer is what dynolog gives, too; without one the job logs an error and goes on.
    sockets_[socket].send(letter.sender, kineto_registered(1));
    return;
  }
  const std::size_t place = place_of(socket, letter, message->pids.front());
  if (place >= asking_.size()) {
    ++refused_;
    return;
  }
  Asking& asking = asking_[place];
  asking.accepts = message->accepts;
  asking.last = Clock::now();
  ++asking.times;
  asking.job.is_heard = true;
  asking.job.is_busy = !message->accepts;
  if (message->cluster_job > 0) asking.job.cluster_job = message->cluster_job;
  heard.push_back(place);
}

bool JobListener::answer(std::size_t index, const std::string& request) {
  return sockets_[asking_[index].socket].send(asking_[index].sender, kineto_answer(request));
}

void sort_jobs(std::vector<RunningJob>& jobs) {
  const auto key = [](const RunningJob& job) { return std::tuple(job.is_launcher, job.rank < 0, job.rank, job.pid); };
  std::ranges::sort(jobs, [&](const RunningJob& a, const RunningJob& b) { return key(a) < key(b); });
}

std::vector<RunningJob> merge_heard(std::vector<RunningJob> possible, const JobListener& listener) {
  for (const JobListener::Asking& asking : listener.asking()) {
    const auto found =
        std::ranges::find_if(possible, [&](const RunningJob& job) { return is_same_process(job, asking.job); });
    if (found == possible.end()) {
      possible.push_back(asking.job);
      possible.back().is_kineto = true;
    } else {
      RunningJob now = asking.job;
      now.is_kineto = true;
      now.is_dormant = found->is_dormant;
      now.watcher = found->watcher;
      *found = std::move(now);
    }
  }
  mark_launchers(possible);
  return possible;
}

}  // namespace lacuna

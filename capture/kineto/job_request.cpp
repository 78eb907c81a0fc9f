// Asking for windows of running jobs: dormant ones are woken (job_request_dormant.cpp), the others asked when they ask.

#include "capture/kineto/job_request.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

/// Two times as long as a job may stay silent, and some.
constexpr std::chrono::milliseconds kMostSilence = 12s;
/// From the moment when it could begin until the file it writes shows that it has begun.
constexpr std::chrono::milliseconds kMostStarting = 12s;
/// The same, where the moment was told: the file is there a second before it.
constexpr std::chrono::milliseconds kMostWaking = 2s;
/// A job that took our answer for an older one's reads it when it asks next: at once, or after five seconds.
constexpr std::chrono::milliseconds kReadAgain = 6s;
/// A job that counts no steps yet is asked again when it asks next.
constexpr std::chrono::milliseconds kRepeat = 4s;
constexpr std::chrono::milliseconds kSlack = 400ms;

/// By how much earlier a start must be told.
constexpr std::chrono::milliseconds kLead{(kKinetoWarmupNs + kKinetoTickNs) / 1'000'000};

constexpr unsigned kMostNumbered = 10'000;

constexpr const char* kHowToBeAJob =
    "no program of yours answers requests on this machine: those do that are dormant (lacuna record --dormant, lacuna "
    "env), and PyTorch's that are started with KINETO_USE_DAEMON=1 in their environment (lacuna jobs --help)";

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string file_name(const RunningJob& job, const std::vector<RunningJob>& all, const KinetoRequest& request) {
  const char* ending = request.snapshot ? "pickle" : "json";
  if (job.rank < 0) return fmt::format("pid{}.{}", job.pid, ending);
  const bool is_alone = std::ranges::count(all, job.rank, &RunningJob::rank) == 1;
  return is_alone ? fmt::format("rank{}.{}", job.rank, ending) : fmt::format("rank{}-{}.{}", job.rank, job.pid, ending);
}

/// Of a process without a GPU, say.
bool is_empty_snapshot(const std::string& path, std::uint64_t bytes) {
  constexpr std::uint64_t kMostLooked = 1 << 16;
  if (bytes > kMostLooked) return false;
  const Result<OpenedFile> file = open_file(path, kMostLooked, nullptr);
  if (!file) return false;
  const Result<MemorySnapshot> snapshot = read_snapshot(*file->bytes, path);
  return snapshot && snapshot->segments.empty() && snapshot->events.empty();
}

}  // namespace

JobRequest::JobRequest(RequestPlan plan) : plan_(std::move(plan)), began_(Clock::now()) {}
JobRequest::~JobRequest() {
  parts_.clear();                                          // files that were claimed and not written go
  if (!made_folder_.empty()) rmdir(made_folder_.c_str());  // what has something in it stays
}

Result<std::unique_ptr<JobRequest>> JobRequest::start(RequestPlan plan) {
  std::unique_ptr<JobRequest> made(new JobRequest(std::move(plan)));
  if (Result<void> begun = made->begin(); !begun) return tl::make_unexpected(begun.error());
  return made;
}

Result<void> JobRequest::check_request() const {
  if ((plan_.request.duration > 0) == (plan_.request.iterations > 0))
    return fail(ErrorCode::kInvalidArgument, "a request is for a duration or for iterations");
  if (plan_.request.snapshot && plan_.request.iterations > 0)
    return fail(ErrorCode::kInvalidArgument, "a snapshot of the allocator is taken after a duration");
  return {};
}

Result<void> JobRequest::begin() {
  if (Result<void> possible = check_request(); !possible) return possible;
  std::vector<std::string> missing;
  std::vector<RunningJob> running = find_running_jobs();
  for (RunningJob& job : running) job.is_dormant = is_woken_for(plan_.request, job);
  // "all" means those that can give what is wanted.
  if (plan_.choice.is_all && has_only_kineto())
    std::erase_if(running, [](const RunningJob& job) { return job.is_dormant; });
  const std::vector<RunningJob> chosen = chosen_jobs(plan_.choice, running, missing);
  if (chosen.empty())
    return fail(ErrorCode::kNotFound, missing.empty() ? kHowToBeAJob : fmt::format("{}", fmt::join(missing, "\n")));
  problems_ = std::move(missing);
  std::error_code error;
  if (std::filesystem::create_directories(plan_.folder, error)) made_folder_ = plan_.folder;
  if (error) return fail(ErrorCode::kNotWritable, error.message(), plan_.folder);
  // The files first: what cannot be had is known before a job was disturbed.
  Result<std::vector<ClaimedFile>> claims = claim_files(chosen);
  if (!claims) return tl::make_unexpected(claims.error());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const RunningJob& job = chosen[i];
    JobProgress progress;
    progress.job = job;
    progress.file = (*claims)[i].path();
    progress_.push_back(std::move(progress));
    parts_.emplace_back();
    parts_.back().claim = std::make_unique<ClaimedFile>(std::move((*claims)[i]));
    if (job.is_dormant) {
      progress_.back().state = State::kWaking;
      refuse(progress_.size() - 1);
    } else if (access((job.root + job.trace_folder).c_str(), W_OK) != 0) {
      fail_job(progress_.size() - 1,
               fmt::format("it could not write its trace: {} is no folder that may be written to{}", job.trace_folder,
                           job.trace_folder == "/tmp" ? "" : " (its KINETO_ONDEMAND_TRACE_DIR)"));
    }
  }
  std::vector<RunningJob> asking;
  std::ranges::copy_if(chosen, std::back_inserter(asking), [](const RunningJob& job) { return !job.is_dormant; });
  if (!asking.empty()) {
    Result<JobListener> listener = JobListener::open(asking);
    if (!listener) return tl::make_unexpected(listener.error());
    listener_ = std::make_unique<JobListener>(std::move(*listener));
    for (const std::string& problem : listener_->problems()) problems_.push_back(problem);
  }
  // Beside others, whose moment is some seconds away, they are woken when it is known.
  if (asking.empty() || !begins_together())
    for (std::size_t i = 0; i < progress_.size(); ++i) wake(i);
  return {};
}

/// All with the same number, the first of which nothing is there.
Result<std::vector<ClaimedFile>> JobRequest::claim_files(const std::vector<RunningJob>& jobs) const {
  for (unsigned number = 1;; ++number) {
    std::vector<ClaimedFile> claims;
    bool is_taken = false;
    for (const RunningJob& job : jobs) {
      std::string path = (std::filesystem::path(plan_.folder) / file_name(job, jobs, plan_.request)).string();
      if (number > 1) path = with_suffix(path, fmt::format("-{}", number));
      Result<ClaimedFile> claim = ClaimedFile::claim(path, plan_.replaces ? Existing::kReplace : Existing::kKeep);
      std::error_code unknown;
      is_taken = !claim && claim.error().code == ErrorCode::kInvalidArgument &&
                 std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
      if (is_taken && number < kMostNumbered) break;
      if (!claim) return tl::make_unexpected(claim.error());
      claims.push_back(std::move(*claim));
    }
    if (!is_taken) return claims;
  }
}

bool JobRequest::is_open(std::size_t index) const {
  return progress_[index].state != State::kDone && progress_[index].state != State::kFailed;
}

std::string JobRequest::path_of(std::size_t index) const {
  return parts_[index].pickup ? parts_[index].pickup->path() : std::string();
}

void JobRequest::fail_job(std::size_t index, std::string words) {
  progress_[index].state = State::kFailed;
  progress_[index].words = std::move(words);
  parts_[index].claim.reset();
}

bool JobRequest::step(std::chrono::milliseconds patience) {
  if (listener_) {
    listen(patience);
  } else {
    std::this_thread::sleep_for(patience);
  }
  if (!listener_)  // none of the others is waited for any more
    for (std::size_t i = 0; i < progress_.size(); ++i) wake(i);
  look_at_windows();
  bool is_any_open = false;
  bool is_listening_needed = false;
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    if (is_open(i) && !progress_[i].job.is_dormant) look(i);
    if (!is_open(i)) continue;
    is_any_open = true;
    if (progress_[i].job.is_dormant) continue;
    const bool may_be_repeated = plan_.request.iterations > 0 && progress_[i].state == State::kAsked;
    is_listening_needed = is_listening_needed || !parts_[i].pickup || may_be_repeated ||
                          (!parts_[i].has_read && Clock::now() < parts_[i].asked + kReadAgain);
  }
  if (!is_listening_needed) listener_.reset();
  return is_any_open;
}

/// Snapshots have no moment at which they begin: Kineto takes it for a trace alone.
bool JobRequest::begins_together() const {
  return plan_.request.duration > 0 && !plan_.request.snapshot && progress_.size() > 1;
}

bool JobRequest::is_time_to_hand_out() const {
  // One alone, and those that count steps, need not wait for each other.
  if (!begins_together()) return true;
  if (Clock::now() >= began_ + JobListener::kFirstAsk + kSlack) return true;
  for (std::size_t i = 0; i < progress_.size(); ++i)
    if (is_open(i) && !progress_[i].job.is_dormant && !progress_[i].job.is_heard) return false;
  return true;
}

void JobRequest::listen(std::chrono::milliseconds patience) {
  for (const std::size_t asking : listener_->wait(patience)) {
    const JobListener::Asking& heard = listener_->asking()[asking];
    for (std::size_t i = 0; i < progress_.size(); ++i) {
      JobProgress& job = progress_[i];
      if (job.job.pid != heard.job.pid || job.job.start != heard.job.start || !is_open(i) || job.job.is_dormant)
        continue;
      job.job.is_heard = true;
      job.job.own_pid = heard.job.own_pid;
      if (parts_[i].pickup) {
        parts_[i].has_read = heard.times > parts_[i].asked_times;
        repeat(i, asking);
        continue;
      }
      job.state = heard.accepts ? State::kAwaited : State::kBusy;
      job.words = heard.accepts ? "" : "it is being profiled already";
      if (is_handing_out_ && heard.accepts) hand_out(i, asking);
    }
  }
  if (is_handing_out_ || !is_time_to_hand_out()) return;
  is_handing_out_ = true;
  handing_out_since_ = Clock::now();
  // Jobs that asked a moment ago still wait for the answer: it is one of these that begins alone.
  if (!begins_together()) {
    for (std::size_t a = 0; a < listener_->asking().size(); ++a) {
      const JobListener::Asking& heard = listener_->asking()[a];
      if (!heard.accepts || Clock::now() - heard.last > 50ms) continue;
      for (std::size_t i = 0; i < progress_.size(); ++i)
        if (is_open(i) && !progress_[i].job.is_dormant && !parts_[i].pickup && progress_[i].job.pid == heard.job.pid)
          hand_out(i, a);
    }
    return;
  }
  Clock::time_point last = handing_out_since_;
  for (const JobListener::Asking& heard : listener_->asking())
    last = std::max(last, heard.last + JobListener::kNextAsk);
  const auto until_start = last + 2 * kSlack + kLead - handing_out_since_;
  start_ = handing_out_since_ + until_start;
  start_ms_ = unix_ms() + std::chrono::duration_cast<std::chrono::milliseconds>(until_start).count();
  for (std::size_t i = 0; i < progress_.size(); ++i) wake(i);
}

void JobRequest::hand_out(std::size_t index, std::size_t asking) {
  JobProgress& job = progress_[index];
  if (start_ms_ > 0 && Clock::now() > start_ - kLead - kSlack / 4) {
    fail_job(index, "it polled too late to begin with the others");
    return;
  }
  const std::string name = new_trace_name(job.job.trace_folder);
  Result<std::string> text = kineto_text(plan_.request, name, start_ms_);
  if (!text) {
    fail_job(index, text.error().message());
    return;
  }
  if (!listener_->answer(asking, *text)) return;  // it asks again, or has ended
  Part& part = parts_[index];
  part.pickup = std::make_unique<TracePickup>(job.job, name, plan_.request.snapshot);
  part.request = std::move(*text);
  part.asked = Clock::now();
  part.asked_times = listener_->asking()[asking].times;
  job.state = State::kAsked;
  job.words.clear();
}

void JobRequest::repeat(std::size_t index, std::size_t asking) {
  const Part& part = parts_[index];
  const JobListener::Asking& heard = listener_->asking()[asking];
  // Before its first step a job drops such a request silently. One that has it drops the second instead.
  if (plan_.request.iterations == 0 || !heard.accepts || Clock::now() < part.asked + kRepeat ||
      part.pickup->state() != TracePickup::State::kNothing)
    return;
  listener_->answer(asking, part.request);
}

void JobRequest::look(std::size_t index) {
  JobProgress& job = progress_[index];
  Part& part = parts_[index];
  const bool was_alive = is_alive(job.job);
  if (part.pickup) {
    const TracePickup::State state = part.pickup->state();
    job.bytes = part.pickup->bytes();
    if (state != TracePickup::State::kNothing) part.has_read = true;
    if (state == TracePickup::State::kBegun) job.state = State::kRecording;
    if (state == TracePickup::State::kComplete) {
      const Result<TracePickup::Taken> taken = part.pickup->take(*part.claim);
      if (!taken) {
        fail_job(index, fmt::format("its trace is in {}, but: {}", part.pickup->path(), taken.error().message()));
        return;
      }
      job.state = State::kDone;
      job.file = part.claim->path();
      job.bytes = taken->bytes;
      if (plan_.request.snapshot) {
        job.words = is_empty_snapshot(job.file, job.bytes)
                        ? "nothing is in it: the process holds no memory of CUDA's allocator"
                        : "";
      } else if (!taken->has_operators) {
        job.words =
            "no operator and no kernel is in it: the first request to a process may come back so, while PyTorch loads "
            "its profiler; ask again, or for longer";
      } else {
        job.words.clear();
      }
      part.claim.reset();
      return;
    }
  }
  if (!was_alive) {
    if (part.pickup) part.pickup->remove_rest();
    fail_job(index, part.pickup ? "it ended before its trace was written" : "it ended before it asked");
    return;
  }
  if (std::string words = give_up_words(index); !words.empty()) {
    if (part.pickup && plan_.request.snapshot) part.pickup->remove_rest();
    fail_job(index, std::move(words));
  }
}

std::string JobRequest::give_up_words(std::size_t index) const {
  const JobProgress& job = progress_[index];
  const Part& part = parts_[index];
  const Clock::time_point now = Clock::now();
  switch (job.state) {
    case State::kAwaited: {
      const std::chrono::milliseconds silence = std::min(kMostSilence, plan_.patience);
      const Clock::time_point limit = start_ms_ > 0 ? std::max(began_ + silence, start_) : began_ + silence;
      if (now < limit) return {};
      if (job.job.is_heard) return "it stopped asking";
      const std::string why = why_silent(job.job);
      if (!why.empty()) return why;
      return fmt::format("it did not ask within {} s: its Kineto has not begun, or found no socket at its start",
                         silence.count() / 1000);
    }
    case State::kBusy:
      if (start_ms_ > 0 ? now < start_ : now < began_ + plan_.patience) return {};
      return "it is being profiled already, by itself (torch.profiler) or for another request";
    case State::kAsked:
      if (plan_.request.iterations > 0) {
        if (now < part.asked + plan_.patience) return {};
        return fmt::format(
            "it has the request, but no step of an optimizer came within {} s: it does not train (yet); "
            "ask for a duration",
            plan_.patience.count() / 1000);
      }
      if (start_ms_ > 0) {
        // Kineto looks once a second whether it is a second before the start, and refuses to begin later.
        if (now < start_ + kMostWaking) return {};
        return "it let the moment pass: its Kineto looks at the clock once a second, and on a busy machine may look "
               "too "
               "late; ask again";
      }
      if (plan_.request.snapshot) return no_snapshot_words(index);
      if (now < part.asked + kMostStarting) return {};
      return "it has the request, and did not begin: it may have begun another profile meanwhile; with "
             "KINETO_LOG_LEVEL=0 in its environment it says why";
    case State::kRecording:
      return plan_.request.snapshot ? no_snapshot_words(index) : std::string();
    default:
      return {};
  }
}

/// Kineto says nothing where PyTorch could not write one.
std::string JobRequest::no_snapshot_words(std::size_t index) const {
  const Part& part = parts_[index];
  const auto limit = part.asked + kMostStarting + std::chrono::nanoseconds(plan_.request.duration);
  if (Clock::now() < limit || part.pickup->bytes() > 0) return {};
  return "it has the request, and wrote no snapshot: its PyTorch is older than 2.6, without CUDA, or busy in one long "
         "call; with KINETO_LOG_LEVEL=0 in its environment it says more";
}

}  // namespace lacuna

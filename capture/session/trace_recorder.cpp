#include "capture/session/trace_recorder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "capture/wire/clock.h"
#include "model/base/os/files.h"

namespace lacuna {
namespace {

constexpr Nanos kTellEveryNs = 10'000'000;
constexpr int kLastTries = 50;  // of 10 ms each, for a viewer that is slow

}  // namespace

Result<std::unique_ptr<TraceRecorder>> TraceRecorder::start(ClaimedFile file, SessionOptions options) {
  std::unique_ptr<TraceRecorder> recorder(new TraceRecorder(std::move(file)));
  recorder->has_schedule_ = options.schedule.is_set();
  Result<std::unique_ptr<Session>> session = Session::start(std::move(options), recorder->writer_);
  if (!session) return tl::make_unexpected(session.error());
  recorder->session_ = std::move(*session);
  return recorder;
}

Result<std::unique_ptr<TraceRecorder>> TraceRecorder::start_keeping(ClaimedFile file, SessionOptions options,
                                                                    KeepLimit keep, const std::string& folder,
                                                                    const std::vector<std::string>& command) {
  std::unique_ptr<TraceRecorder> recorder(new TraceRecorder(std::move(file)));
  recorder->has_schedule_ = options.schedule.is_set();
  auto kept = KeptRecording::create(folder, keep, command, recorder->path());
  if (!kept) return tl::make_unexpected(kept.error());
  recorder->kept_ = std::move(*kept);
  auto session = Session::start(std::move(options), recorder->kept_->sink());
  if (!session) return tl::make_unexpected(session.error());
  recorder->session_ = std::move(*session);
  return recorder;
}

Result<void> TraceRecorder::share(const std::string& socket, const std::vector<std::string>& arguments,
                                  const std::string& folder) {
  int readable = -1;
  if (file_.is_compressed()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::string copy = folder + "/watched-";
    Descriptor written = create_temporary(copy);
    if (!written.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), copy);
    readable = open_for_reading(copy).release();
    (void)remove_file(copy);
    file_.keep_plain_copy(std::move(written));
  } else {
    readable = open_for_reading(claimed_.written_path()).release();
  }
  if (readable < 0) return fail(ErrorCode::kNotReadable, std::strerror(errno), path());
  begin();
  ShareDescription description;
  description.recorder = getpid();
  description.base_time_ns = session_->base_time_ns();
  description.started_at = session_->now();
  description.clock_offset = saturating_sub(session_->now(), static_cast<Nanos>(wire::monotonic_ns()));
  description.first_event = readable_ = file_.size();
  std::error_code error;
  description.output = std::filesystem::absolute(path(), error).string();
  description.arguments = arguments;
  auto server = ShareServer::open(socket, std::move(description), readable);
  if (!server) return tl::make_unexpected(server.error());
  share_ = std::move(*server);
  return {};
}

void TraceRecorder::begin() {
  if (std::exchange(has_begun_, true)) return;
  if (kept_) {
    kept_->begin(session_->base_time_ns(), session_->now());
  } else {
    writer_.begin({.base_time_ns = session_->base_time_ns()});
  }
}

ShareState TraceRecorder::state() const {
  ShareState state;
  state.readable = readable_;
  state.now = session_->now();
  state.events = writer_.events();
  state.copy_failed = copy_failed_;
  state.exit = exit_;
  state.capture = session_->status();
  state.devices = writer_.devices();
  return state;
}

void TraceRecorder::tell_viewer(Nanos now) {
  share_->serve();
  if (!share_->has_viewer() || now - announced_ns_ < kTellEveryNs) return;
  announced_ns_ = now;
  if (file_.flush_plain()) {
    readable_ = file_.size();
  } else {
    copy_failed_ = true;
  }
  running_.clear();
  if (!has_schedule_) session_->add_open(running_, now);  // with a schedule nobody knows yet whether they are kept
  share_->send(state(), running_);
}

void TraceRecorder::poll(int timeout_ms) {
  begin();
  session_->poll(timeout_ms);
  const Nanos now = session_->now();
  if (kept_) return kept_->advance(now, *session_, [this] { return members(); });
  if (has_content() && published_ && !is_written()) {
    file_.flush();
    if (has_reached_file()) published_ = claimed_.publish_beside();
  }
  if (share_ != nullptr) tell_viewer(now);
  if (now - flushed_ > 1'000'000'000) {
    flushed_ = now;
    file_.flush();
  }
}

/// What stands behind the events: ranks, and the counts of what was lost.
TraceJsonWriter::Members TraceRecorder::members() const {
  const CaptureStatus s = session_->status();
  TraceJsonWriter::Members members;
  if (std::string ranks = session_->distributed_info(); !ranks.empty())
    members.emplace_back("distributedInfo", std::move(ranks));
  members.emplace_back("lacuna", losses_json(s, kept_ ? kept_->forgotten() : 0, 0));
  return members;
}

Result<void> TraceRecorder::finish() {
  begin();
  session_->finish();
  if (share_ != nullptr) {
    if (file_.flush_plain()) readable_ = file_.size();
  }
  const std::uint64_t events = writer_.events();
  Result<void> finished;
  if (kept_) {
    kept_->finish(session_->now());
    finished = kept_->write_to(file_, members());  // which tell how much was dropped
  } else {
    writer_.end(members());
  }
  if (Result<void> closed = file_.finish(); finished) finished = closed;
  // What a full disk has taken is worth its place as well. An empty trace is left where nothing was recorded, but not
  // where a schedule kept nothing of what was.
  const bool may_be_empty = finished && !claimed_.replaces() && session_->status().left_out == 0;
  if ((has_content() && has_reached_file()) || may_be_empty) published_ = claimed_.publish_beside();
  if (finished) finished = published_;
  if (kept_ && !finished && has_content()) kept_->keep();
  if (share_ != nullptr) {
    running_.clear();
    ShareState last = state();
    last.events = events;
    last.is_last = true;
    share_->finish(last, kLastTries);
  }
  return finished;
}

}  // namespace lacuna

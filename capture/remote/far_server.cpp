#include "capture/remote/far_server.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/wire/clock.h"
#include "model/base/os/user_folders.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostWaiting = 16;
constexpr int kRoundMs = 1000;
constexpr int kViewRoundMs = 200;

}  // namespace

std::string path_there(const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::string home = home_folder().empty() ? std::string("/") : home_folder();
  if (path.empty() || path == "~") return home;
  return home + "/" + (path.starts_with("~/") ? path.substr(2) : path);
}

void FarServer::refuse(const std::string& words) {
  (void)line_.send(FrameKind::kRefusal, 0, words);
  line_.close();
  is_over_ = true;
  why_ = words;
}

bool FarServer::greet() {
  if (!line_.send(FrameKind::kHello, 0, {})) return false;
  Frame frame;
  const RemoteLine::Got got = line_.receive(frame, silence_ms_);
  if (got == RemoteLine::Got::kBroken) {
    refuse(line_.problem());
  } else if (got == RemoteLine::Got::kNothing) {
    refuse("nobody says hello");
  } else if (got == RemoteLine::Got::kFrame) {
    const std::string problem = problem_of_hello(frame);
    if (problem.empty()) return true;
    refuse(problem);
  }
  return false;
}

void FarServer::take_in(Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kRequest:
      if (waiting_.size() >= kMostWaiting) {
        (void)line_.send(FrameKind::kFailed, frame.request,
                         encode_error({ErrorCode::kLimit, "too many requests are pending", {}, {}}));
      } else if (frame.request == 0) {
        refuse("a request without a number");
      } else {
        waiting_.push_back({frame.request, std::move(frame.payload)});
      }
      return;
    case FrameKind::kCancel:
      if (frame.request == current_) is_cancelled_ = true;
      if (frame.request != 0 && frame.request == view_request_)
        end_view(FrameKind::kFailed, encode_error({ErrorCode::kCancelled, "cancelled", {}, {}}));
      if (std::erase_if(waiting_, [&](const Waiting& w) { return w.request == frame.request; }) > 0)
        (void)line_.send(FrameKind::kFailed, frame.request, encode_error({ErrorCode::kCancelled, "cancelled", {}, {}}));
      return;
    case FrameKind::kSignal:
      if (frame.request == current_ && signals_.size() < 100)
        signals_.push_back(static_cast<int>(FieldReader(frame.payload).number() & 0xff));
      return;
    case FrameKind::kMay:
      if (frame.request == current_) allowed_ = std::max(allowed_, FieldReader(frame.payload).number());
      return;
    case FrameKind::kStop:
      if (frame.request == current_) stops_ = true;
      return;
    case FrameKind::kBeat: {
      FieldWriter beat;
      beat.number(FieldReader(frame.payload).number()).number(wire::monotonic_ns());
      (void)line_.send(FrameKind::kBeat, 0, beat.bytes());
      return;
    }
    case FrameKind::kRefusal:
      is_over_ = true;
      why_ = "the other side refused: " + frame.payload.substr(0, 200);
      return;
    default:
      refuse(fmt::format("a frame of kind {} is not for a far side", static_cast<int>(frame.kind)));
  }
}

bool FarServer::pump(int timeout_ms, int extra) {
  Frame frame;
  for (bool is_first = true; !is_over_ && !is_cancelled_; is_first = false) {
    const RemoteLine::Got got = line_.receive(frame, is_first ? timeout_ms : 0, extra);
    const auto now = std::chrono::steady_clock::now();
    if (got == RemoteLine::Got::kFrame) {
      take_in(frame);
      continue;
    }
    if (got == RemoteLine::Got::kBroken) refuse(line_.problem());
    if (got == RemoteLine::Got::kGone) is_over_ = true;
    if (got != RemoteLine::Got::kNothing) break;
    if (now - line_.last_received() > std::chrono::milliseconds(silence_ms_)) {
      refuse("the other side has disconnected");
      break;
    }
    if (current_ != 0 && now - line_.last_sent() > kSayingEvery) (void)line_.send(FrameKind::kBeat, 0, {});
    break;
  }
  if (!line_.is_open()) is_over_ = true;
  return !is_over_ && !is_cancelled_;
}

Error FarServer::not_wanted() const {
  return {ErrorCode::kCancelled, is_over_ ? "the line is gone" : "cancelled", {}, {}};
}

FarServer::Outcome FarServer::run(const Waiting& waiting) {
  FieldReader fields(waiting.payload);
  switch (static_cast<RemoteVerb>(fields.number())) {
    case RemoteVerb::kRun:
      return run_command(fields);
    case RemoteVerb::kList:
      return list_folder(fields);
    case RemoteVerb::kFind:
      return find_files(fields);
    case RemoteVerb::kFetch:
      return fetch_file(fields);
    case RemoteVerb::kStart:
      return start_recording(fields);
    case RemoteVerb::kLookAt:
      return look_at_process(fields);
    case RemoteVerb::kWatch:
      return watch_recording(fields);
    case RemoteVerb::kSee:
      break;  // look()
  }
  return fail(ErrorCode::kUnsupported, "a request that is not known here");
}

std::string FarServer::serve() {
  if (!greet()) return why_;
  while (!is_over_) {
    attend_views();
    if (waiting_.empty()) {
      current_ = 0;
      is_cancelled_ = false;
      (void)pump(view_request_ != 0 ? kViewRoundMs : kRoundMs, view_request_ != 0 ? seen_->wakes() : -1);
      continue;
    }
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = next.request;
    is_cancelled_ = stops_ = false;
    signals_.clear();
    const Outcome outcome = run(next);
    if (is_over_) break;
    if (outcome) {
      (void)send(FrameKind::kDone, *outcome);
    } else {
      (void)send(FrameKind::kFailed, encode_error(outcome.error()));
    }
    if (!line_.is_open()) is_over_ = true;
  }
  return why_;
}

int serve_stdio(const ReportFormat& format) {
  // Those whom this starts must not touch the line.
  const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDWR);
  if (in < 0 || out < 0 || nothing < 0) return 1;
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
  const std::string why = FarServer(in, out, format).serve();
  if (!why.empty()) to_standard_error(fmt::format("lacuna serve: {}\n", why));
  return why.empty() ? 0 : 1;
}

}  // namespace lacuna

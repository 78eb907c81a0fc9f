#include "capture/remote/far_side.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/remote/fields.h"
#include "model/base/cancel.h"
#include "model/base/os/descriptor.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kTickMs = 100;
constexpr int kNoSuchCommand = 127;
constexpr auto kBeatEvery = std::chrono::seconds(2);
constexpr std::size_t kMostSaidChars = 600;

std::int64_t ms_since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin).count();
}

/// The end of what a program said, on one line.
std::string said_by(std::string_view text) {
  if (text.size() > kMostSaidChars) text.remove_prefix(text.size() - kMostSaidChars);
  std::string line;
  for (const char c : text) {
    if (c == '\r' || c == '\0') continue;
    if (c != '\n') {
      line.push_back(c);
    } else if (!line.empty() && !line.ends_with("; ")) {
      line += "; ";
    }
  }
  if (line.ends_with("; ")) line.resize(line.size() - 2);
  return line;
}

/// ssh asks on the terminal, or by a program with a window.
bool somebody_can_be_asked() {
  const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  return terminal.is_open() || std::getenv("SSH_ASKPASS") != nullptr;
}

}  // namespace

Result<std::unique_ptr<FarSide>> FarSide::connect(const RemotePlace& place, const std::atomic<bool>* cancel,
                                                  const RemotePatience& patience) {
  Result<std::unique_ptr<SpawnedLine>> spawned =
      SpawnedLine::start(words_to_run(place, serve_script()), is_by_ssh(place));
  if (!spawned) return tl::make_unexpected(spawned.error());
  std::unique_ptr<FarSide> far(new FarSide(place, std::move(*spawned), patience));
  if (Result<void> met = far->greet(cancel); !met) return tl::make_unexpected(met.error());
  return far;
}

Error FarSide::lost(RemoteLine::Got got) {
  is_line_lost_ = true;
  const std::string name = place_.name();
  const std::string problem = got == RemoteLine::Got::kBroken ? line().problem() : std::string();
  const std::string noise = said_by(line().noise());
  line().close();
  const int code = spawned_->exit_code();
  const std::string said = said_by(spawned_->errors());
  if (code == kNoSuchCommand && !has_met_)
    return {ErrorCode::kNotFound,
            fmt::format("lacuna is not there{} (lacuna install-on {} copies this one)", said.empty() ? "" : ": " + said,
                        place_.host.empty() ? "HOST" : place_.host),
            name,
            {}};
  constexpr int kWrongUsage = 2;
  if (code == kWrongUsage && !has_met_ && noise.empty())
    return {ErrorCode::kUnsupported,
            fmt::format("the lacuna there is too old for this{} (lacuna install-on {} copies this one)",
                        said.empty() ? "" : ": " + said, place_.host.empty() ? "HOST" : place_.host),
            name,
            {}};
  std::string cause = !problem.empty()                   ? problem
                      : got == RemoteLine::Got::kNothing ? "nobody answers"
                                                         : "the line broke";
  if (!said.empty()) cause += ": " + said;
  if (!has_met_ && !noise.empty()) cause += fmt::format(" (what came instead: {})", noise);
  if (said.empty() && problem.empty() && code > 0) cause += fmt::format(" (exit code {})", code);
  return {ErrorCode::kNotReadable, cause, name, {}};
}

Result<void> FarSide::greet(const std::atomic<bool>* cancel) {
  if (!line().send(FrameKind::kHello, 0, {})) return tl::make_unexpected(lost(RemoteLine::Got::kGone));
  const auto begin = SteadyClock::now();
  const bool asks_somebody = is_by_ssh(place_) && somebody_can_be_asked();
  bool has_said = false;
  Frame frame;
  for (;;) {
    const RemoteLine::Got got = line().receive(frame, kTickMs);
    if (is_cancelled(cancel)) return fail(ErrorCode::kCancelled, "cancelled", place_.name());
    (void)spawned_->errors();  // it would wait, with all that it carries
    if (got == RemoteLine::Got::kNothing && spawned_->is_stopped())
      return fail(ErrorCode::kNotReadable,
                  "it was stopped, as it asks for something on a terminal that is not ours now (start lacuna in the "
                  "foreground, or have an ssh-agent answer)",
                  place_.name());
    if (got == RemoteLine::Got::kNothing && ms_since(begin) < patience_.hello_ms) continue;
    if (got == RemoteLine::Got::kNothing && asks_somebody && ms_since(begin) < patience_.password_ms) {
      if (!std::exchange(has_said, true))
        to_standard_error(
            fmt::format("lacuna: {} has not responded for {} s; ssh may wait for a password (Ctrl+C gives up)\n",
                        place_.name(), patience_.hello_ms / 1000));
      continue;
    }
    if (got != RemoteLine::Got::kFrame) return tl::make_unexpected(lost(got));
    if (const std::string problem = problem_of_hello(frame); !problem.empty())
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("{} (lacuna install-on {} copies this one)", problem, place_.host.empty() ? "HOST" : place_.host),
          place_.name());
    has_met_ = true;
    return {};
  }
}

void FarSide::set_aside(FarAside* aside) {
  aside_ = aside;
  if (aside_ != nullptr) aside_->begin();
}

std::uint32_t FarSide::ask_aside(RemoteVerb verb, const std::string& fields) {
  FieldWriter request;
  request.number(static_cast<std::uint64_t>(verb));
  if (request.bytes().size() + fields.size() > kMostPayload) return 0;
  ++last_request_;
  return line().send(FrameKind::kRequest, last_request_, request.take() + fields) ? last_request_ : 0;
}

Result<std::string> FarSide::ask(RemoteVerb verb, const std::string& fields, const Hears& hears,
                                 const std::atomic<bool>* cancel) {
  is_line_lost_ = false;
  request_ = ++last_request_;
  FieldWriter request;
  request.number(static_cast<std::uint64_t>(verb));
  if (request.bytes().size() + fields.size() > kMostPayload)
    return fail(ErrorCode::kLimit, "the request is too large", place_.name());
  if (!line().send(FrameKind::kRequest, request_, request.take() + fields))
    return tl::make_unexpected(lost(RemoteLine::Got::kGone));
  return converse(hears, cancel, {});
}

Result<void> FarSide::attend(const std::function<bool()>& stops) {
  is_line_lost_ = false;
  request_ = ++last_request_;  // nobody answers to it
  const Result<std::string> done = converse({}, nullptr, stops);
  if (!done) return tl::make_unexpected(done.error());
  return {};
}

Result<std::string> FarSide::converse(const Hears& hears, const std::atomic<bool>* cancel,
                                      const std::function<bool()>& stops) {
  auto heard = SteadyClock::now();
  auto ticked = heard;
  auto beaten = heard;
  Frame frame;
  for (;;) {
    const RemoteLine::Got got = line().receive(frame, kTickMs, aside_ != nullptr ? aside_->wakes() : -1);
    const auto now = SteadyClock::now();
    if (stops && stops()) return std::string();
    if (is_cancelled(cancel)) {
      (void)line().send(FrameKind::kCancel, request_, {});
      line().close();  // what is under way still comes otherwise
      return fail(ErrorCode::kCancelled, "cancelled", place_.name());
    }
    if (aside_ != nullptr) aside_->step(*this);
    if (now - ticked >= std::chrono::milliseconds(kTickMs)) {
      ticked = now;
      (void)spawned_->errors();  // it would wait, with all that it carries
      if (hears.tick) hears.tick();
    }
    if (now - beaten >= kBeatEvery) {
      beaten = now;
      FieldWriter beat;
      if (!line().send(FrameKind::kBeat, 0, beat.number(0).take()))
        return tl::make_unexpected(lost(RemoteLine::Got::kGone));
    }
    if (got == RemoteLine::Got::kNothing && ms_since(heard) < patience_.silence_ms) continue;
    if (got != RemoteLine::Got::kFrame) return tl::make_unexpected(lost(got));
    heard = now;
    if (frame.kind == FrameKind::kRefusal) {
      const std::string words = frame.payload.substr(0, kMostSaidChars);
      (void)lost(RemoteLine::Got::kGone);
      is_line_lost_ = false;
      return fail(ErrorCode::kUnsupported, "refused: " + words, place_.name());
    }
    if (frame.kind == FrameKind::kBeat) {
      if (hears.frame)
        if (Result<void> taken = hears.frame(frame); !taken) return tl::make_unexpected(taken.error());
      continue;
    }
    if (frame.request != request_) {  // else the rest of one that was cancelled
      if (aside_ != nullptr) {
        aside_->take(frame);
        aside_->step(*this);
      }
      continue;
    }
    if (frame.kind == FrameKind::kDone) return std::move(frame.payload);
    if (frame.kind == FrameKind::kFailed) {
      Error error = decode_error(frame.payload);
      error.file = error.file.empty() ? place_.name() : place_.name() + ":" + error.file;
      return tl::make_unexpected(std::move(error));
    }
    const Result<void> taken =
        hears.frame ? hears.frame(frame) : fail(ErrorCode::kUnsupported, "received an answer without a request");
    if (!taken) {
      line().close();
      Error error = taken.error();
      if (error.file.empty()) error.file = place_.name();
      return tl::make_unexpected(std::move(error));
    }
  }
}

Result<FarSide::Listing> FarSide::list(const std::string& folder, const std::atomic<bool>* cancel) {
  Listing listing;
  FieldWriter request;
  const auto take = [&](const Frame& frame) -> Result<void> {
    FieldReader fields(frame.payload);
    while (frame.kind == FrameKind::kAnswer && !fields.is_at_end()) {
      RemoteEntry entry = get_remote_entry(fields);
      const bool is_name = !entry.name.empty() && entry.name != "." && entry.name != ".." &&
                           entry.name.find('/') == std::string::npos && entry.name.find('\0') == std::string::npos;
      if (!fields.ok() || !is_name || listing.entries.size() >= kMostEntries)
        return fail(ErrorCode::kUnsupported, "the list of files is malformed");
      listing.entries.push_back(std::move(entry));
    }
    return {};
  };
  const Result<std::string> done = ask(RemoteVerb::kList, request.text(folder).take(), {take, {}}, cancel);
  if (!done) return tl::make_unexpected(done.error());
  FieldReader fields(*done);
  listing.folder = fields.text();
  listing.left_out = fields.number();
  if (!fields.ok() || !listing.folder.starts_with('/'))
    return fail(ErrorCode::kUnsupported, "the list of files is malformed", place_.name());
  return listing;
}

Result<std::vector<RemoteFile>> FarSide::find(const std::vector<std::string>& paths, const std::atomic<bool>* cancel) {
  std::vector<RemoteFile> files;
  FieldWriter request;
  put(request, paths);
  const auto take = [&](const Frame& frame) -> Result<void> {
    FieldReader fields(frame.payload);
    while (frame.kind == FrameKind::kAnswer && !fields.is_at_end()) {
      RemoteFile file = get_remote_file(fields);
      if (!fields.ok() || !file.path.starts_with('/') || file.bytes > (std::uint64_t{1} << 62) ||
          files.size() >= kMostFiles)
        return fail(ErrorCode::kUnsupported, "the list of files is malformed");
      files.push_back(std::move(file));
    }
    return {};
  };
  const auto begin = SteadyClock::now();
  const Result<std::string> done = ask(RemoteVerb::kFind, request.take(), {take, {}}, cancel);
  if (!done) return tl::make_unexpected(done.error());
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - begin);
  round_trip_ = std::min<Nanos>(round_trip_, took.count());
  return files;
}

}  // namespace lacuna

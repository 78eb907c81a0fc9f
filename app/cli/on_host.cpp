#include "app/cli/on_host.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/record_signals.h"
#include "app/cli/text_table.h"
#include "app/tables/report_format.h"
#include "capture/remote/far_server.h"
#include "capture/remote/far_side.h"
#include "capture/remote/fields.h"
#include "capture/remote/remote_files.h"
#include "model/base/os/terminal.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostCaptured = std::size_t{1} << 20;
/// A recording there ends harder with each of the first three; then the line is given up.
constexpr int kMostStops = 3;
constexpr auto kLineEvery = std::chrono::seconds(5);

/// How a fetch goes on: a line written over again on a terminal, else a line of its own every few seconds.
class FetchLine {
 public:
  explicit FetchLine(const RemotePlace& place) : name_(printable(place.name())) {}
  ~FetchLine() {
    if (is_shown_) to_standard_error("\r\x1b[K");
  }
  FetchLine(const FetchLine&) = delete;
  FetchLine& operator=(const FetchLine&) = delete;

  void show(const FetchStep& step) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_new_wait = !step.waits.empty() && step.waits != waits_;
    waits_ = step.waits;
    if (is_new_wait) {
      if (is_terminal_) to_standard_error("\r\x1b[K");
      to_standard_error(fmt::format("lacuna: {}; trying again\n", printable(step.waits)));
    }
    if (!is_terminal_ && now - shown_ < kLineEvery) return;
    if (!is_terminal_ && !std::exchange(has_begun_, true)) {  // what is quick says nothing
      shown_ = now;
      return;
    }
    shown_ = now;
    const std::string text = text_of(step);
    to_standard_error(fmt::format("{}{}{}", is_terminal_ ? "\r" : "lacuna: ", is_terminal_ ? shorten(text, 110) : text,
                                  is_terminal_ ? "\x1b[K" : "\n"));
    std::fflush(stderr);
    is_shown_ = is_terminal_;
  }

 private:
  std::string text_of(const FetchStep& step) const {
    if (step.files == 0) return "asking " + name_;
    const std::string many = step.files > 1 ? fmt::format(" ({} of {})", step.file, step.files) : std::string();
    return fmt::format("fetching {}:{}{}: {} of {}", name_, printable(step.path), many, format_bytes(step.bytes),
                       format_bytes(step.total));
  }

  std::string name_;
  std::string waits_;
  const bool is_terminal_ = is_terminal(StandardStream::kError);
  bool is_shown_ = false;
  bool has_begun_ = false;
  std::chrono::steady_clock::time_point shown_;
};

/// "into box:r.json", for a recording that was started there with `words`.
std::string place_of_recording(const RemotePlace& place, const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    for (const std::string_view option : {"--output=", "-o"})
      if (word->size() > option.size() && word->starts_with(option))
        return fmt::format("into {}:{}", place.name(), word->substr(option.size()));
    if ((*word == "-o" || *word == "--output") && std::next(word) != end)
      return fmt::format("into {}:{}", place.name(), *std::next(word));
  }
  return fmt::format("in the home folder of {}, under the program's name", place.name());
}

}  // namespace

Result<void> check_input_for_host(const RemotePlace& place, const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  const bool reads_input = end != words.end() && std::find(end, words.end(), "-") != words.end();
  if (!reads_input && !has_waiting_input()) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("standard input does not go to another machine{}: put it into a file there and name that, or "
                          "say < /dev/null",
                          reads_input ? ", which \"-\" would read" : ", and there is something in it"),
              place.name());
}

Result<int> run_on_host(const RemotePlace& place, const std::vector<std::string>& words, std::string* output,
                        bool describes_line) {
  const RecordSignals signals;
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> cancel{false};
  Result<std::unique_ptr<FarSide>> connected = FarSide::connect(place, signals.stop_flag());
  if (!connected) return tl::make_unexpected(connected.error());
  FarSide& far = **connected;
  if (describes_line) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Output out(stdout);
    out.write(fmt::format("good    the line       {} answers after {:.1f} s, with the same version of the protocol\n",
                          printable(place.name()), seconds));
    if (Result<void> written = out.finish(); !written) return tl::make_unexpected(written.error());
  }
  FieldWriter request;
  put(request, words);
  request.number(is_terminal(StandardStream::kOutput) ? terminal_width() : 0);
  const auto take = [&](const Frame& frame) -> Result<void> {
    if (frame.kind == FrameKind::kBeat) return {};
    if (frame.kind != FrameKind::kOut && frame.kind != FrameKind::kErr)
      return fail(ErrorCode::kUnsupported, "received an answer without a request");
    std::FILE* stream = frame.kind == FrameKind::kOut ? stdout : stderr;
    if (frame.kind == FrameKind::kOut && output != nullptr && output->size() < kMostCaptured)
      output->append(frame.payload);
    const bool is_written = std::fwrite(frame.payload.data(), 1, frame.payload.size(), stream) == frame.payload.size();
    if (!is_written || std::fflush(stream) != 0) return fail(ErrorCode::kNotWritable, "standard output takes no more");
    return {};
  };
  int stops = 0;
  int snapshots = 0;
  const auto pass_on = [&] {
    for (; stops < signals.stops(); ++stops) (void)far.send(FrameKind::kSignal, FieldWriter().number(SIGINT).bytes());
    if (stops > kMostStops) cancel = true;
    for (; snapshots < signals.snapshots(); ++snapshots)
      (void)far.send(FrameKind::kSignal, FieldWriter().number(SIGUSR1).bytes());
  };
  const Result<std::string> done = far.ask(RemoteVerb::kRun, request.take(), {take, pass_on}, &cancel);
  if (!done && far.is_line_lost() && !words.empty() && words.front() == "record")
    to_standard_error(fmt::format("lacuna: the program there is ended; what was recorded is saved {}\n",
                                  printable(place_of_recording(place, words))));
  if (!done) return tl::make_unexpected(done.error());
  if (!words.empty() && words.front() == "record" && has_waiting_input())
    to_standard_error("lacuna: standard input does not go to another machine, and what came on it was not read\n");
  return static_cast<int>(FieldReader(*done).number() & 0xff);
}

Result<std::vector<std::string>> fetch_from_host(const RemotePlace& place, const std::vector<std::string>& paths) {
  const RecordSignals signals;
  FetchLine line(place);
  return RemoteFiles().fetch(
      place, paths, [&](const FetchStep& step) { line.show(step); }, signals.stop_flag());
}

Result<std::unique_ptr<FarSide>> find_on_host(const RemotePlace& place, const std::vector<std::string>& paths) {
  const RecordSignals signals;
  Result<std::unique_ptr<FarSide>> far = FarSide::connect(place, signals.stop_flag());
  if (!far) return far;
  const Result<std::vector<RemoteFile>> files = (*far)->find(paths, signals.stop_flag());
  if (!files) return tl::make_unexpected(files.error());
  if (files->empty()) return fail(ErrorCode::kNotFound, "no file there can be read", place.name());
  return far;
}

constexpr const char* kServeHelp =
    "What `lacuna --on HOST` starts on the other machine, through ssh: answers requests that come on standard\n"
    "input, and nothing else. Does what its user could do from a shell there; ends with the line.";

Command serve_command(CommandContext& context) {
  const auto is_stdio = std::make_shared<bool>(false);
  Command serve{
      "serve", "The other end of lacuna --on HOST", kServeHelp,
      [is_stdio](CLI::App& app) { app.add_flag("--stdio", *is_stdio, "On standard input and output")->required(); },
      [&context]() -> Result<void> {
        context.exit = serve_stdio(kReportFormat);
        return {};
      }};
  serve.run_there = [](const RemotePlace&) -> Result<bool> {
    return fail(ErrorCode::kInvalidArgument, "lacuna --on HOST starts this by itself");
  };
  return serve;
}

}  // namespace lacuna

#include "app/cli/status_line.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "capture/session/process_tree.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr Nanos kStatusEveryNs = 250'000'000;
constexpr unsigned kWatchedModes = ICANON | ECHO;

unsigned mode_of_terminal() {
  termios now{};
  return tcgetattr(STDERR_FILENO, &now) == 0 ? now.c_lflag & kWatchedModes : 0;
}

std::size_t width_of_terminal() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

bool reads_the_terminal(int target) {
  for (const ProcessEntry& process : with_descendants(all_processes(), target))
    if (waits_for_terminal(process.pid)) return true;
  return false;
}

}  // namespace

StatusLine::StatusLine(bool wanted) : is_on_(wanted && isatty(STDERR_FILENO) == 1) {
  if (is_on_) terminal_mode_ = mode_of_terminal();
}

void StatusLine::show(const TraceRecorder& recorder, int target, Nanos elapsed) {
  if (!is_on_ || elapsed < due_) return;
  due_ = elapsed + kStatusEveryNs;
  if (mode_of_terminal() != terminal_mode_ || (isatty(STDIN_FILENO) == 1 && reads_the_terminal(target))) {
    is_on_ = false;
    // The cursor is behind the prompt, where our line may still stand.
    if (is_shown_) to_standard_error("\x1b[K");
    std::fflush(stderr);
    return;
  }
  const CaptureStatus status = recorder.session().status();
  std::string line = fmt::format("{:>7} | {} events | {} of {} processes | {:.1f} MB", format_duration(elapsed),
                                 format_count(recorder.events()), format_count(status.running),
                                 format_count(status.processes), static_cast<double>(recorder.bytes()) / 1e6);
  if (status.dropped > 0) line += fmt::format(" | {} DROPPED", format_count(status.dropped));
  if (status.steps > 0) line += fmt::format(" | step {}", status.steps);
  if (const RecordGate* gate = recorder.session().gate(); gate != nullptr && gate->is_waiting()) {
    line += " | waits for the range to start on";
  } else if (gate != nullptr && !gate->has_begun(recorder.session().now())) {
    line += fmt::format(" | begins in {}", format_duration(saturating_sub(*gate->begin(), recorder.session().now())));
  }
  line.resize(std::min(line.size(), width_of_terminal() - 1));  // one that wraps could not be taken back
  // Dim, and with the cursor at its begin: what the command prints begins where it should.
  to_standard_error(fmt::format("\r\x1b[K\x1b[2m{}\x1b[0m\r", line));
  std::fflush(stderr);
  is_shown_ = true;
}

void StatusLine::clear() {
  if (is_on_ && is_shown_) to_standard_error("\r\x1b[K");
  is_shown_ = false;
}

}  // namespace lacuna

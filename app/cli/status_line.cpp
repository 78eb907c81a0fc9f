#include "app/cli/status_line.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "capture/session/process_tree.h"
#include "model/base/os/terminal.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr Nanos kStatusEveryNs = 250'000'000;

std::size_t width_of_line() {
  const std::size_t columns = terminal_columns(StandardStream::kError);
  return columns > 20 ? columns : 80;
}

bool reads_the_terminal(int target) {
  for (const ProcessEntry& process : with_descendants(all_processes(), target))
    if (waits_for_terminal(process.pid)) return true;
  return false;
}

}  // namespace

StatusLine::StatusLine(bool wanted) : is_on_(wanted && is_terminal(StandardStream::kError)) {
  if (is_on_) terminal_mode_ = terminal_mode(StandardStream::kError);
}

void StatusLine::show(const TraceRecorder& recorder, int target, Nanos elapsed) {
  if (!is_on_ || elapsed < due_) return;
  due_ = elapsed + kStatusEveryNs;
  if (terminal_mode(StandardStream::kError) != terminal_mode_ ||
      (is_terminal(StandardStream::kInput) && reads_the_terminal(target))) {
    is_on_ = false;
    // The cursor is behind the prompt, where our line may still stand.
    if (is_shown_) to_standard_error("\x1b[K");
    std::fflush(stderr);
    return;
  }
  const CaptureStatus status = recorder.session().status();
  std::string line = fmt::format("{:>7} | {} | {} of {} processes | {:.1f} MB", format_duration(elapsed),
                                 counted(recorder.events(), "event"), format_count(status.running),
                                 format_count(status.processes), static_cast<double>(recorder.bytes()) / 1e6);
  if (status.dropped > 0) line += fmt::format(" | {} DROPPED", format_count(status.dropped));
  if (status.steps > 0) line += fmt::format(" | step {}", status.steps);
  if (const RecordGate* gate = recorder.session().gate(); gate != nullptr && gate->is_waiting()) {
    line += " | waits for the range to start on";
  } else if (gate != nullptr && !gate->has_begun(recorder.session().now())) {
    line += fmt::format(" | begins in {}", format_duration(saturating_sub(*gate->begin(), recorder.session().now())));
  }
  line.resize(std::min(line.size(), width_of_line() - 1));  // one that wraps could not be taken back
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

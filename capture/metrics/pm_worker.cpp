#include "capture/metrics/pm_worker.h"

#include <cerrno>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "capture/metrics/pm_meter.h"

namespace lacuna {
namespace {

/// False once nobody reads.
bool write_lines(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int give_up(const Error& error) {
  write_lines(fmt::format("no {}\n", error.message()));
  return 0;
}

/// Waits for the end of standard input; false: it has ended.
bool pause_for_input(int milliseconds) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, milliseconds) <= 0) return true;
  char byte = 0;
  return ::read(STDIN_FILENO, &byte, 1) > 0;
}

/// False where it goes no further; `why` is then set.
bool tell_samples(PmMeter& meter, std::uint64_t& reported_losses, std::string& why) {
  const auto samples = meter.read();
  if (!samples) {
    why = samples.error().message();
    return false;
  }
  std::string text;
  for (const PmSample& sample : *samples) {
    text += fmt::format("s {}", sample.start);
    for (const double value : sample.values) text += fmt::format(" {:.1f}", value);
    text += '\n';
  }
  if (std::exchange(reported_losses, meter.losses()) != meter.losses())
    text += fmt::format("lost {}\n", meter.losses());
  if (text.empty()) text = "tick\n";
  return write_lines(text);
}

}  // namespace

int run_pm_worker(const PmWorkerOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Result<PmLibrary> library = load_pm_library();
  if (!library) return give_up(library.error());
  if (const Result<void> started = start_cuda(*library); !started) return give_up(started.error());
  PmMeter meter(*library);
  if (const Result<void> prepared = meter.prepare(); !prepared) return give_up(prepared.error());
  std::string has = "has";
  for (const std::size_t metric : meter.metrics()) has += fmt::format(" {}", metric);
  const std::string chip = fmt::format("chip {} {} {}\n{}\n", meter.chip(), library->version, library->path, has);
  if (options.only_asks) return write_lines(chip + "end\n") ? 0 : 1;
  if (const Result<void> started = meter.start(options.per_second); !started) return give_up(started.error());
  std::string why;
  std::uint64_t reported_losses = 0;
  bool goes_on = write_lines(chip);
  while (goes_on && pause_for_input(PmMeter::kReadEveryMs)) goes_on = tell_samples(meter, reported_losses, why);
  if (goes_on) goes_on = tell_samples(meter, reported_losses, why);
  write_lines(goes_on ? "end\n" : fmt::format("no {}\n", why));
  meter.stop();
  ::_exit(0);  // what the driver does at an exit may hang
}

}  // namespace lacuna

#include "app/gui/platform/end_signals.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr int kEndSignals[] = {SIGTERM, SIGHUP, SIGINT};

std::atomic<int> received_signal{0};
int signal_pipe[2] = {-1, -1};

void on_end_signal(int signal) {
  const int before = errno;
  received_signal = signal;
  const char byte = 1;
  (void)!write(signal_pipe[1], &byte, 1);
  errno = before;
}

}  // namespace

EndSignals::EndSignals(std::function<void()> wake) {
  received_signal = 0;
  if (pipe2(signal_pipe, O_CLOEXEC) != 0) return;
  thread_ = start_thread([wake = std::move(wake)] {
    char byte = 0;
    while (read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte != 0) wake();
  });
  if (!thread_.joinable()) {  // signals end the program at once, as they usually do
    close(signal_pipe[0]);
    close(signal_pipe[1]);
    return;
  }
  for (const int signal : kEndSignals) {
    struct sigaction action {};
    action.sa_handler = on_end_signal;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
}

EndSignals::~EndSignals() {
  if (!thread_.joinable()) return;
  for (const int signal : kEndSignals) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == on_end_signal) ::signal(signal, SIG_DFL);
  }
  close(signal_pipe[1]);  // the thread reads the end
  thread_.join();
  close(signal_pipe[0]);
}

int EndSignals::received() {
  return received_signal;
}

}  // namespace lacuna

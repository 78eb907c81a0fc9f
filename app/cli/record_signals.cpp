#include "app/cli/record_signals.h"

#include <atomic>

namespace lacuna {
namespace {

std::atomic<int> stop_requests{0};
std::atomic<bool> is_stop_requested{false};
std::atomic<int> snapshot_requests{0};
std::atomic<bool> terminal_signalled_target{false};

void on_stop(int signal, siginfo_t* info, void*) {
  // By the kernel: a terminal tells its whole group, but that it closes only its session's leader.
  terminal_signalled_target = signal != SIGHUP && info != nullptr && info->si_code > 0;
  stop_requests.fetch_add(1);
  is_stop_requested = true;
}

void on_snapshot(int) {
  snapshot_requests.fetch_add(1);
}

}  // namespace

RecordSignals::RecordSignals() {
  stop_requests = snapshot_requests = 0;
  is_stop_requested = false;
  struct sigaction action {};
  action.sa_sigaction = on_stop;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  sigaction(SIGHUP, nullptr, &hang_up_);
  if (hang_up_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup stays nohup
  struct sigaction user {};
  user.sa_handler = on_snapshot;
  user.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &user, &user_);
}

RecordSignals::~RecordSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGHUP, &hang_up_, nullptr);
  sigaction(SIGUSR1, &user_, nullptr);
}

int RecordSignals::stops() const {
  return stop_requests;
}
const std::atomic<bool>* RecordSignals::stop_flag() const {
  return &is_stop_requested;
}
bool RecordSignals::target_was_signalled() const {
  return terminal_signalled_target;
}
int RecordSignals::snapshots() const {
  return snapshot_requests;
}

}  // namespace lacuna

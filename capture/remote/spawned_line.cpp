#include "capture/remote/spawned_line.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/os/descriptor.h"

extern char** environ;

namespace lacuna {
namespace {

constexpr std::size_t kMostErrors = 4096;
constexpr int kMostReads = 256;  // of what a program says that never stops talking

void sleep_10ms() {
  const timespec pause{0, 10'000'000};
  nanosleep(&pause, nullptr);
}

/// Whether our terminal listens to us now.
bool is_in_foreground() {
  const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  return terminal.is_open() && tcgetpgrp(terminal.get()) == getpgrp();
}

}  // namespace

Result<std::unique_ptr<SpawnedLine>> SpawnedLine::start(const std::vector<std::string>& words, bool may_ask) {
  int to[2] = {-1, -1}, from[2] = {-1, -1}, errors[2] = {-1, -1};
  const bool has_pipes = pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0;
  std::unique_ptr<SpawnedLine> spawned(new SpawnedLine);
  int error = has_pipes ? 0 : errno;
  if (has_pipes) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
    sigset_t defaults;
    sigset_t blocked;
    sigfillset(&defaults);
    sigemptyset(&blocked);
    // A group of its own keeps the terminal's Ctrl+C away, but the terminal, too: who asks there is stopped. In ours
    // the signals that a terminal sends are kept away one by one.
    spawned->is_group_ = !may_ask || !is_in_foreground();
    if (!spawned->is_group_)
      for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) sigaddset(&blocked, signal);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                             (spawned->is_group_ ? POSIX_SPAWN_SETPGROUP : 0)));
    std::vector<std::string> texts = words;
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    error = posix_spawnp(&spawned->pid_, arguments.front(), &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  for (const int descriptor : {to[0], from[1], errors[1]})
    if (descriptor >= 0) ::close(descriptor);
  if (error != 0) {
    for (const int descriptor : {to[1], from[0], errors[0]})
      if (descriptor >= 0) ::close(descriptor);
    spawned->pid_ = -1;
    return fail(ErrorCode::kNotFound, std::strerror(error), words.empty() ? std::string() : words.front());
  }
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  spawned->errors_in_ = errors[0];
  spawned->line_ = std::make_unique<RemoteLine>(from[0], to[1], true);
  return spawned;
}

SpawnedLine::~SpawnedLine() {
  if (line_) line_->close();
  if (errors_in_ >= 0) ::close(errors_in_);
  if (pid_ <= 0 || exit_code_ >= 0) return;
  // It ends by itself once its input is closed; one that does not is ended.
  for (int i = 0; i < 150; ++i) {
    if (i == 50) end_by(SIGTERM);
    if (i == 140) end_by(SIGKILL);
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != 0) return;
    sleep_10ms();
  }
}

void SpawnedLine::end_by(int signal) const {
  kill(is_group_ ? -pid_ : pid_, signal);
  if (is_group_ && signal == SIGTERM) kill(-pid_, SIGCONT);  // one that was stopped
}

bool SpawnedLine::is_stopped() const {
  siginfo_t info{};
  return pid_ > 0 && is_group_ && waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

const std::string& SpawnedLine::errors() {
  char chunk[4096];
  for (int i = 0; i < kMostReads; ++i) {
    const ssize_t got = errors_in_ >= 0 ? ::read(errors_in_, chunk, sizeof chunk) : 0;
    if (got <= 0) break;
    errors_.append(chunk, static_cast<std::size_t>(got));
    if (errors_.size() > kMostErrors) errors_.erase(0, errors_.size() - kMostErrors);
  }
  return errors_;
}

int SpawnedLine::exit_code() {
  for (int i = 0; i < 100 && pid_ > 0 && exit_code_ < 0; ++i) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else {
      sleep_10ms();
    }
  }
  return exit_code_;
}

}  // namespace lacuna

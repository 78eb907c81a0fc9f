// The far side's request to run one of our own commands: its output goes over the line while it comes.

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "capture/remote/far_server.h"
#include "capture/session/launcher.h"

namespace lacuna {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{64} << 10;
constexpr int kWaitForOutputMs = 50;
constexpr auto kBeforeHarder = std::chrono::seconds(3);

/// Both ends of a pipe.
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(ends_, O_CLOEXEC) == 0) fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~OutputPipe() {
    close_write();
    if (ends_[0] >= 0) ::close(ends_[0]);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  /// What is there to read; empty: nothing now.
  std::string take() {
    std::string bytes(kOutputBytes, '\0');
    const ssize_t got = is_at_end_ ? 0 : ::read(ends_[0], bytes.data(), bytes.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) is_at_end_ = true;
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  bool is_at_end() const { return is_at_end_; }

 private:
  int ends_[2] = {-1, -1};
  bool is_at_end_ = false;
};

}  // namespace

FarServer::Outcome FarServer::run_command(FieldReader& fields) {
  const std::vector<std::string> words = get_words(fields);
  const std::uint64_t columns = fields.number();
  if (!fields.ok()) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  OutputPipe out;
  OutputPipe errors;
  if (out.read_end() < 0 || errors.read_end() < 0) return fail(ErrorCode::kLimit, std::strerror(errno));
  LaunchOptions launch;
  launch.arguments = {"/proc/self/exe"};
  launch.arguments.insert(launch.arguments.end(), words.begin(), words.end());
  launch.directory = path_there("");
  launch.inherited = own_environment();
  if (columns > 0) launch.set.emplace_back("LACUNA_COLUMNS", std::to_string(columns));
  launch.output = out.write_end();
  launch.errors = errors.write_end();
  launch.own_group = true;
  Result<Launcher> command = Launcher::start(launch);
  if (!command) return tl::make_unexpected(command.error());
  out.close_write();
  errors.close_write();
  // An end that nobody waits for any more: as a terminal that goes, but so that a recording is saved.
  const auto end_command = [&] {
    for (int i = 0; i < 3 && !command->poll_exit(); ++i) {
      (void)command->stop_harder();
      const auto until = std::chrono::steady_clock::now() + kBeforeHarder;
      while (!command->poll_exit() && std::chrono::steady_clock::now() < until) usleep(10'000);
    }
  };
  std::optional<Launcher::Exit> exit;
  bool has_more = true;
  while (!exit || has_more) {
    // What is written behind the end of the command, by those that it started, is not waited for.
    exit = command->poll_exit();
    has_more = false;
    for (const auto& [pipe, kind] : {std::pair(&out, FrameKind::kOut), std::pair(&errors, FrameKind::kErr)}) {
      const std::string bytes = pipe->take();
      if (bytes.empty()) continue;
      has_more = true;
      (void)send(kind, bytes);
    }
    const int waited_for = !out.is_at_end() ? out.read_end() : errors.is_at_end() ? -1 : errors.read_end();
    if (!pump(has_more || exit ? 0 : kWaitForOutputMs, waited_for)) {
      end_command();
      return tl::make_unexpected(not_wanted());
    }
    for (const int signal : std::exchange(signals_, {}))
      if (signal == SIGINT || signal == SIGTERM || signal == SIGUSR1) ::kill(command->pid(), signal);
  }
  return FieldWriter().number(static_cast<std::uint64_t>(exit->shell_code())).take();
}

}  // namespace lacuna

#include "capture/session/launcher.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/session/exit_words.h"

extern char** environ;

namespace lacuna {
std::vector<std::string> merged_environment(const LaunchOptions& options) {
  std::vector<std::string> merged;
  for (const std::string& variable : options.inherited) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    const bool is_replaced = std::ranges::any_of(options.set, [&](const auto& s) { return s.first == name; });
    if (!is_replaced) merged.push_back(variable);
  }
  for (const auto& [name, value] : options.set) merged.push_back(name + "=" + value);
  return merged;
}

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

Result<Launcher> Launcher::start(const LaunchOptions& options) {
  if (options.arguments.empty() || options.arguments.front().empty())
    return fail(ErrorCode::kInvalidArgument, "no command to run");
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (options.input >= 0) posix_spawn_file_actions_adddup2(&actions, options.input, STDIN_FILENO);
  if (options.output >= 0) posix_spawn_file_actions_adddup2(&actions, options.output, STDOUT_FILENO);
  if (options.errors >= 0) posix_spawn_file_actions_adddup2(&actions, options.errors, STDERR_FILENO);
  if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (options.own_group) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, flags);

  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = merged_environment(options);
  Launcher launcher;
  launcher.own_group_ = options.own_group;
  const int error = posix_spawnp(&launcher.pid_, arguments.front().c_str(), &actions, &attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  std::error_code unknown;
  if (error != 0 && !options.directory.empty() && !std::filesystem::is_directory(options.directory, unknown))
    return fail(ErrorCode::kNotFound, "no such working directory", options.directory);
  if (error != 0) return fail(ErrorCode::kNotFound, std::strerror(error), options.arguments.front());
  return launcher;
}

Launcher::Launcher(Launcher&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), own_group_(other.own_group_), stops_(other.stops_), exit_(other.exit_) {}

std::optional<Launcher::Exit> Launcher::poll_exit() {
  if (exit_ || pid_ <= 0) return exit_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_ = WIFSIGNALED(status) ? Exit{true, WTERMSIG(status)} : Exit{false, WEXITSTATUS(status)};
  return exit_;
}

void Launcher::send(int signal) const {
  if (pid_ > 0 && !exit_) kill(own_group_ ? -pid_ : pid_, signal);
}

const char* Launcher::stop_harder() {
  static constexpr struct {
    int signal;
    const char* name;
  } kWays[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGKILL, "SIGKILL"}};
  if (poll_exit()) return "";
  const auto& way = kWays[std::min(stops_++, 2)];
  send(way.signal);
  return way.name;
}

std::string Launcher::Exit::in_words() const {
  return by_signal ? fmt::format("was killed by signal {} ({})", code, strsignal(code))
                   : fmt::format("exited with code {}", code);
}

std::string exit_in_words(const Launcher::Exit& exit, std::string_view asked) {
  if (asked.empty()) return exit.in_words();
  if (!exit.by_signal) return fmt::format("was stopped; it exited with code {}", exit.code);
  switch (exit.code) {
    case SIGINT:
      return "was stopped";
    case SIGTERM:
      return "was stopped (SIGTERM)";
    case SIGKILL:
      return "was stopped (SIGKILL)";
    default:
      return exit.in_words();
  }
}

}  // namespace lacuna

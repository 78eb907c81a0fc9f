#include "app/gui/platform/native_dialog.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lacuna {
namespace {

/// Full path of a program in PATH, or empty.
std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return {};
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + std::string(name);
    if (candidate.front() == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return {};
}

std::vector<std::string> command_line(const std::string& folder, const std::string& title) {
  if (std::string zenity = find_program("zenity"); !zenity.empty()) {
    return {zenity,
            "--file-selection",
            "--multiple",
            "--separator=\n",
            "--title=" + title,
            "--filename=" + folder + "/",
            "--file-filter=Traces | *.json *.json.gz *.gz *.zst *.json.zst",
            "--file-filter=All files | *"};
  }
  if (std::string kdialog = find_program("kdialog"); !kdialog.empty()) {
    return {kdialog,      "--title",
            title,        "--getopenfilename",
            folder,       "*.json *.json.gz *.gz *.zst|Traces\n*|All files",
            "--multiple", "--separate-output"};
  }
  return {};
}

}  // namespace

NativeDialog::~NativeDialog() {
  if (thread_.joinable() && child_ > 0) ::kill(child_, SIGTERM);
}

bool NativeDialog::is_available() {
  const char* wish = std::getenv("LACUNA_FILE_DIALOG");
  if (wish != nullptr && std::string_view(wish) == "builtin") return false;
  return !find_program("zenity").empty() || !find_program("kdialog").empty();
}

bool NativeDialog::start(const std::string& folder, const std::string& title) {
  if (is_open()) return true;
  std::vector<std::string> words = command_line(folder, title);
  if (words.empty()) return false;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int pipe_fds[2] = {-1, -1};
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
  const int failed = ::posix_spawn(&child_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_fds[1]);
  if (failed != 0) {
    ::close(pipe_fds[0]);
    child_ = -1;
    return false;
  }
  thread_ = std::jthread([this, fd = pipe_fds[0]] { read_answer(fd); });
  return true;
}

void NativeDialog::read_answer(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  std::vector<std::string> paths;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (const std::string_view path = rest.substr(0, end); !path.empty()) paths.emplace_back(path);
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(paths);
  }
  if (on_done_) on_done_();
}

std::optional<std::vector<std::string>> NativeDialog::poll() {
  std::optional<std::vector<std::string>> answer;
  {
    const std::lock_guard lock(mutex_);
    answer = std::exchange(answer_, std::nullopt);
  }
  if (answer) {
    thread_.join();
    child_ = -1;
  }
  return answer;
}

}  // namespace lacuna

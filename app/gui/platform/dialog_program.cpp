#include "app/gui/platform/dialog_program.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/formats/file_names.h"

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

/// Empty: neither is installed.
std::vector<std::string> dialog_command(const DialogWish& wish) {
  std::string globs;
  for (const std::string_view ending : file_endings()) (globs += globs.empty() ? "*" : " *") += ending;
  const std::string start = wish.folder + "/" + wish.name;
  if (std::string zenity = find_program("zenity"); !zenity.empty()) {
    std::vector<std::string> words = {zenity, "--file-selection", "--title=" + wish.title, "--filename=" + start};
    if (wish.saves) {
      words.insert(words.end(), {"--save", "--confirm-overwrite"});
    } else {
      words.insert(words.end(), {"--multiple", "--separator=\n", "--file-filter=Traces | " + globs});
      words.emplace_back("--file-filter=All files | *");
    }
    return words;
  }
  if (std::string kdialog = find_program("kdialog"); !kdialog.empty()) {
    if (wish.saves) return {kdialog, "--title", wish.title, "--getsavefilename", start};
    return {
        kdialog,      "--title",          wish.title, "--getopenfilename", wish.folder, globs + "|Traces\n*|All files",
        "--multiple", "--separate-output"};
  }
  return {};
}

/// Starts the program; its id, and in `output` the end of a pipe from which all it prints can be read. -1: failed.
pid_t start_program(std::vector<std::string> words, int& output) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int pipe_fds[2] = {-1, -1};
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_fds[1]);
  output = pipe_fds[0];
  if (failed == 0) return child;
  ::close(output);
  return -1;
}

/// All that can be read until the end. False: `stop_fd` could be read before that.
bool read_all(int fd, int stop_fd, std::string& text) {
  while (true) {
    pollfd watched[2] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (watched[1].revents != 0) return false;
    char block[4096];
    const ssize_t count = ::read(fd, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(block, static_cast<std::size_t>(count));
  }
}

std::vector<std::string> output_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (const std::string_view line = text.substr(0, end); !line.empty()) lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

bool has_dialog_program() {
  return !find_program("zenity").empty() || !find_program("kdialog").empty();
}

DialogAnswer ask_dialog_program(const DialogWish& wish, int stop_fd) {
  std::vector<std::string> words = dialog_command(wish);
  if (words.empty()) return {DialogAnswer::End::kUnavailable};
  int output = -1;
  const pid_t child = start_program(std::move(words), output);
  if (child < 0) return {DialogAnswer::End::kUnavailable};
  std::string printed;
  if (!read_all(output, stop_fd, printed)) ::kill(child, SIGKILL);  // a dialog has nothing to lose
  ::close(output);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {DialogAnswer::End::kCancelled};
  std::vector<std::string> paths = output_lines(printed);
  if (paths.empty()) return {DialogAnswer::End::kCancelled};
  return {DialogAnswer::End::kChosen, std::move(paths)};
}

}  // namespace lacuna

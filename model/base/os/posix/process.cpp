#include "model/base/os/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lacuna {
namespace {

std::vector<char*> argument_list(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::vector<std::string> own_words(int argc, const char* const* argv) {
  return {argv, argv + argc};
}

StartedProgram start_program(const std::string& program, std::vector<std::string> words, ReadOutput reads) {
  int ends[2] = {-1, -1};
  if (reads != ReadOutput::kNone && ::pipe2(ends, O_CLOEXEC) != 0) return {};
  StartedProgram started{.output = Descriptor(ends[0])};
  const Descriptor written(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (reads != ReadOutput::kNone)
    posix_spawn_file_actions_adddup2(&actions, ends[1], reads == ReadOutput::kOutput ? STDOUT_FILENO : STDERR_FILENO);
  if (reads == ReadOutput::kErrors) posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int failed =
      ::posix_spawnp(&started.process, program.c_str(), &actions, nullptr, argument_list(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {};
  return started;
}

int wait_for_program(int process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void kill_program(int process) {
  ::kill(process, SIGKILL);
}

std::string find_in_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)).append("/").append(name);
    if (candidate.front() == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return {};
}

void become_program(std::vector<std::string> words) {
  ::execvp(words.front().c_str(), argument_list(words).data());
}

}  // namespace lacuna

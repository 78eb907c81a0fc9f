#include "app/gui/panels/export/finding_program.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/finding/write_file.h"
#include "app/gui/core/files.h"
#include "model/export/trace_json_writer.h"

extern char** environ;

namespace lacuna {
namespace {

std::vector<std::string> finding_command(const FindingWish& wish, const std::string& view) {
  std::vector<std::string> words{"lacuna", "bundle"};
  for (const std::string& trace : wish.traces) words.push_back(absolute_path(trace));  // none is taken for an option
  words.push_back("--output=" + wish.output);
  words.push_back("--view=" + view);
  if (wish.range) {
    std::string from = "--from-us=", to = "--to-us=";
    append_microseconds(wish.range->begin, from);
    append_microseconds(wish.range->end, to);
    words.insert(words.end(), {from, to});
  }
  for (const std::string& query : wish.queries) words.push_back("--query=" + query);
  if (wish.scrubs) words.emplace_back("--scrub");
  if (wish.replaces) words.emplace_back("--force");
  return words;
}

/// Its exit status; in `said` the end of what it says of errors.
int run_program(std::vector<std::string> words, std::string& said) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  constexpr std::size_t kMostSaid = 4000;
  for (char block[1024]; failed == 0;) {
    const ssize_t got = ::read(ends[0], block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    said.append(block, static_cast<std::size_t>(got));
    if (said.size() > kMostSaid) said.erase(0, said.size() - kMostSaid);
  }
  ::close(ends[0]);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::string> write_finding(const FindingWish& wish) {
  const std::string view = wish.output + ".view";
  if (Result<void> kept = write_file_atomically(view, wish.view); !kept) return tl::make_unexpected(kept.error());
  std::string said;
  const int status = run_program(finding_command(wish, view), said);
  std::error_code none;
  std::filesystem::remove(view, none);
  if (status != 0)
    return fail(ErrorCode::kNotWritable, said.empty() ? "the program that writes it did not run" : said, wish.output);
  return fmt::format("Wrote {}{}", file_name(wish.output),
                     wish.scrubs ? "; what was scrubbed is listed beside it, for you alone" : "");
}

}  // namespace lacuna

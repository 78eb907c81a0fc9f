#include "app/cli/install_on.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/cli/record_signals.h"
#include "app/cli/text_table.h"
#include "capture/remote/far_side.h"
#include "capture/session/installation.h"
#include "model/base/os/descriptor.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/folder_tree.h"
#include "model/base/os/user_folders.h"
#include "model/base/standard_error.h"
#include "render/format.h"

extern char** environ;

namespace lacuna {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with its owner.
class StagingFolder {
 public:
  StagingFolder() : path_(temporary_folder() + "/lacuna-install-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~StagingFolder() {
    if (!path_.empty()) (void)remove_tree(path_);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The C library is the machine's own, as its loader is.
bool is_of_libc(const std::string& name) {
  for (const char* stem : {"ld-linux", "ld-musl", "libc.", "libm.", "libdl.", "librt.", "libpthread.", "libresolv.",
                           "libutil.", "linux-vdso", "libnss_"})
    if (name.starts_with(stem)) return true;
  return false;
}

/// Paths of the libraries that this process was linked with, and what those need.
std::vector<std::string> own_libraries() {
  std::vector<std::string> paths;
  const auto add = [](dl_phdr_info* info, std::size_t, void* list) {
    const std::string path = info->dlpi_name;
    if (path.starts_with('/') && !is_of_libc(fs::path(path).filename().string()))
      static_cast<std::vector<std::string>*>(list)->push_back(path);
    return 0;
  };
  dl_iterate_phdr(add, &paths);
  return paths;
}

/// std::filesystem's says "input/output error" where a file gets too large.
std::error_code copy_file(const std::string& from, const std::string& to) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto failure = [] { return std::error_code(errno, std::generic_category()); };
  const Descriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  if (!source.is_open() || fstat(source.get(), &found) != 0) return failure();
  Descriptor copy(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, found.st_mode & 0777));
  if (!copy.is_open()) return failure();
  ssize_t sent = 1;
  while (sent > 0) sent = sendfile(copy.get(), source.get(), nullptr, kPart);
  return sent < 0 || !copy.close() ? failure() : std::error_code();
}

Result<void> stage(const std::string& root) {
  const Installation here = find_installation();
  if (here.collector.empty() || here.python_hook.empty())
    return fail(ErrorCode::kUnsupported, "the collector is not where lacuna looks for it (reinstall Lacuna)");
  const fs::path tree = fs::path(root) / "new";
  const fs::path library = tree / "lib/lacuna";
  std::error_code failed, unread;
  const auto note = [&] {
    if (!failed) failed = unread;
  };
  const auto copy = [&](const fs::path& from, const fs::path& to) {
    if (failed) return;
    fs::create_directories(to.parent_path(), failed);
    if (!failed) failed = copy_file(from.string(), to.string());
  };
  const fs::path own = fs::read_symlink("/proc/self/exe", unread);
  note();
  copy(own, tree / "bin/lacuna");
  copy(here.collector, library / fs::path(here.collector).filename());
  if (!here.demo.empty()) copy(here.demo, library / fs::path(here.demo).filename());
  const std::vector<std::string> hook = folder_paths(here.python_hook, unread);
  note();
  for (const fs::path path : hook)
    if (path.extension() == ".py" || path.extension() == ".cpp") copy(path, library / "python" / path.filename());
  for (const std::string& path : own_libraries()) {
    const fs::path library_file = fs::canonical(path, unread);
    note();
    copy(library_file, tree / "lib/lacuna/libs" / fs::path(path).filename());
  }
  if (failed) return fail(ErrorCode::kNotWritable, failed.message(), root);
  return {};
}

/// Runs a program to its end, with these as its standard input and output (-1: ours). Returns the exit code.
/// kCancelled: somebody stopped us, and so it.
Result<int> run_program(const std::vector<std::string>& words, int input, int output, const RecordSignals& signals) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(ErrorCode::kNotFound, std::strerror(error), words.front());
  int status = 0;
  bool has_signalled = false;
  while (waitpid(pid, &status, WNOHANG) != pid) {
    if (signals.stops() > 0 && !std::exchange(has_signalled, true)) kill(pid, SIGTERM);
    usleep(10'000);
  }
  if (signals.stops() > 0) return fail(ErrorCode::kCancelled, "it was stopped", words.front());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Archive {
  Descriptor file;  ///< it has no name any more: nothing of it stays, however this ends
  std::uint64_t bytes = 0;
  std::uint64_t unpacked = 0;
};

Result<Archive> pack() {
  const RecordSignals signals;  // the folder goes whatever comes
  const StagingFolder folder;
  if (folder.path().empty()) return fail(ErrorCode::kNotWritable, std::strerror(errno), temporary_folder());
  if (Result<void> staged = stage(folder.path()); !staged) return tl::make_unexpected(staged.error());
  const std::string path = folder.path() + "/new.tar.gz";
  const Result<int> packed = run_program({"tar", "-C", folder.path(), "-czf", path, "new"}, -1, -1, signals);
  if (!packed) return tl::make_unexpected(packed.error());
  Archive archive;
  std::error_code failed;
  archive.bytes = fs::file_size(path, failed);
  archive.unpacked = bytes_in_tree(folder.path() + "/new");
  if (*packed != 0 || failed) return fail(ErrorCode::kNotWritable, "tar did not pack it", path);
  archive.file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!archive.file.is_open()) return fail(ErrorCode::kNotReadable, std::strerror(errno), path);
  return archive;
}

bool agrees() {
  if (isatty(STDIN_FILENO) == 0) return false;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

/// What runs there: unpacks beside what is there, tries it, and lets it take the other's place.
std::string install_script() {
  utsname here{};
  uname(&here);
  return fmt::format(
      R"(set -e; d="{0}"; m=$(uname -m); )"
      R"([ "$m" = {1} ] || {{ echo "this is a machine of kind $m, not {1}" >&2; exit 3; }}; )"
      R"(mkdir -p "$d"; chmod 700 "$d"; rm -rf "$d/new"; trap 'rm -rf "$d/new"' EXIT; tar -C "$d" -xzf -; )"
      R"("$d/new/bin/lacuna" --version >&2 || {{ rm -rf "$d/new"; exit 4; }}; )"
      R"(rm -rf "$d/old"; mkdir "$d/old"; for p in bin lib; do )"
      R"([ ! -e "$d/$p" ] || mv "$d/$p" "$d/old/$p"; mv "$d/new/$p" "$d/$p"; done; )"
      R"(rm -rf "$d/old" "$d/new"; echo "$d/bin/lacuna")",
      kInstallFolder, here.machine);
}

}  // namespace

Result<void> install_on(const RemotePlace& place, bool yes) {
  const Result<Archive> archive = pack();
  if (!archive) return tl::make_unexpected(archive.error());
  to_standard_error(fmt::format("lacuna: {} go to {}:~/.local/share/lacuna/there (of $XDG_DATA_HOME), {} there{}",
                                format_bytes(archive->bytes), printable(place.name()), format_bytes(archive->unpacked),
                                yes ? "\n" : ". Go on? [y/N] "));
  std::fflush(stderr);
  if (!yes && !agrees()) return fail(ErrorCode::kCancelled, "nothing was copied (--yes goes on without asking)");
  const RecordSignals signals;
  const Result<int> done = run_program(words_to_run(place, install_script()), archive->file.get(), -1, signals);
  if (!done) return tl::make_unexpected(done.error());
  switch (*done) {
    case 0: {
      // A transport that takes everything and does nothing ends well, too.
      RemotePatience patience;
      if (!place.transport.empty()) patience.hello_ms = 15'000;  // nobody types a password
      const auto there = FarSide::connect(place, signals.stop_flag(), patience);
      if (there) return {};
      Error error = there.error();
      error.cause = "it was sent, but lacuna does not answer there: " + error.cause;
      return tl::make_unexpected(std::move(error));
    }
    case 4:
      return fail(ErrorCode::kUnsupported, "what was copied does not run there, and was removed again", place.name());
    default:
      return fail(ErrorCode::kUnsupported,
                  fmt::format("nothing was installed, and what was there stays (exit code {})", *done), place.name());
  }
}

constexpr const char* kInstallOnHelp =
    "Copies this program, its collector and its hook to a machine that one reaches by ssh, into\n"
    "~/.local/share/lacuna/there, with the libraries that they need, except the C library's: that of the other\n"
    "machine must not be older than this one's. Needs sh, tar and gzip there, no rights. `lacuna --on HOST`\n"
    "takes this copy first, and a lacuna of the PATH where there is none; `lacuna install-on` again renews it.\n"
    "It goes with: rm -r ~/.local/share/lacuna/there";

Command install_on_command(CommandContext& context) {
  struct Options {
    std::string host;
    bool is_unasked = false;
  };
  const auto options = std::make_shared<Options>();
  const auto run = [&context, options]() -> Result<void> {
    const RemoteWords& remote = context.remote;
    if (!options->host.empty() && !remote.host.empty() && options->host != remote.host)
      return fail(ErrorCode::kInvalidArgument, "two hosts are named: name one", options->host + ", " + remote.host);
    const Result<RemotePlace> place =
        make_remote_place(options->host.empty() ? remote.host : options->host, remote.transport);
    if (!place) return tl::make_unexpected(place.error());
    return install_on(*place, options->is_unasked);
  };
  Command install{"install-on", "Copies this program to another machine, for lacuna --on", kInstallOnHelp,
                  [options](CLI::App& app) {
                    app.add_option("HOST", options->host, "As your ssh knows it")->type_name("");
                    app.add_flag("--yes", options->is_unasked, "Do not ask");
                  },
                  run};
  install.run_there = [run](const RemotePlace&) { return run().map([] { return true; }); };
  install.keeps_files = [] { return true; };
  return install;
}

}  // namespace lacuna

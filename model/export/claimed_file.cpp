#include "model/export/claimed_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/folder_paths.h"
#include "model/export/own_trace.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 100;
constexpr std::size_t kMostFileName = 255;
constexpr mode_t kPermissions = 0777;
constexpr std::string_view kHiddenBegin = ".saving-";
constexpr std::size_t kHiddenDigits = 7;  // with the dash behind

struct FileNumber {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileNumber&) const = default;
};

std::optional<FileNumber> file_number_at(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileNumber{found.st_dev, found.st_ino};
}

FileNumber file_number_of(int descriptor) {
  struct stat found {};
  (void)fstat(descriptor, &found);
  return {found.st_dev, found.st_ino};
}

/// A new file beside `path` under a name that nobody has.
Result<std::pair<int, std::string>> make_hidden(const std::string& path) {
  const fs::path target(path);
  std::random_device random;
  for (int tries = 0; tries < kTries; ++tries) {
    std::string name = fmt::format("{}{:06x}-{}", kHiddenBegin, random() & 0xffffff, target.filename().string());
    if (name.size() > kMostFileName) name.resize(kMostFileName);
    std::string hidden = (target.parent_path() / name).string();
    const int made = open(hidden.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made >= 0) return std::pair(made, std::move(hidden));
    if (errno != EEXIST) break;
  }
  return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
}

/// Renames where nothing is. False and errno = EEXIST where something is.
bool rename_to_free(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else the file system does not know it
  if (link(from.c_str(), to.c_str()) != 0) return false;
  unlink(from.c_str());
  return true;
}

/// Whether the lock is held by somebody else. Where files cannot be locked nobody knows.
bool is_locked_elsewhere(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// An empty file that nobody has locked.
bool is_left_over(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size != 0) return false;
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_free = !is_locked_elsewhere(file);
  close(file);
  return is_free;
}

/// Removes what processes that were killed before they wrote anything have left in a folder: an empty file under a
/// hidden name, and the empty one at the path that it was for.
void remove_left_over(const fs::path& folder) {
  std::error_code error;
  for (const fs::path path : folder_paths(folder.empty() ? "." : folder.string(), error)) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kHiddenBegin) || name.size() <= kHiddenBegin.size() + kHiddenDigits ||
        !is_left_over(path.string()))
      continue;
    const std::string target = (path.parent_path() / name.substr(kHiddenBegin.size() + kHiddenDigits)).string();
    if (!is_left_over(target)) continue;
    unlink(path.c_str());
    unlink(target.c_str());
  }
}

}  // namespace

struct ClaimedFile::State {
  std::string path;     // links followed
  std::string hidden;   // empty once published
  std::string written;  // = hidden, or path
  int lock = -1;        // of what lies at the path
  FileNumber locked;
  bool is_fresh = false;  // the path was free: what lies there is ours and empty
  bool replaces = false;
  std::optional<OutputFile> file;

  ~State() {
    if (file) (void)file->finish();
    if (!hidden.empty()) {
      unlink(hidden.c_str());
      if (is_fresh && file_number_at(path) == locked) unlink(path.c_str());
    }
    if (lock >= 0) close(lock);
  }

  Result<void> lock_path(Existing existing);
};

/// Opens and locks what lies at the path; makes an empty file where there is nothing.
Result<void> ClaimedFile::State::lock_path(Existing existing) {
  for (int tries = 0; tries < kTries; ++tries) {
    is_fresh = true;
    lock = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock < 0 && errno == EEXIST) {
      is_fresh = false;
      lock = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      if (lock < 0 && errno == ENOENT) continue;  // it has just gone
    }
    if (lock < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
    if (is_locked_elsewhere(lock)) return fail(ErrorCode::kNotWritable, "another process is writing this file", path);
    locked = file_number_of(lock);
    if (file_number_at(path) == locked) {  // else it was replaced before we had the lock
      struct stat found {};
      (void)fstat(lock, &found);
      replaces = found.st_size > 0;
      if (!is_fresh && existing == Existing::kKeep)
        return fail(ErrorCode::kInvalidArgument, "it is there already", path);
      if (replaces && existing == Existing::kReplaceOurs && !is_own_trace(path))
        return fail(ErrorCode::kInvalidArgument,
                    "it exists and is not a trace that Lacuna wrote, so it is not replaced", path);
      return {};
    }
    close(std::exchange(lock, -1));
  }
  return fail(ErrorCode::kNotWritable, "other processes write this file", path);
}

Result<ClaimedFile> ClaimedFile::claim(const std::string& path, Existing existing) {
  auto state = std::make_unique<State>();
  state->path = path;
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    state->path = fs::canonical(path, error).string();
    if (struct stat behind{}; error && stat(path.c_str(), &behind) == 0) {
      state->path = path;  // /dev/stdout of a pipe: what is behind has no name
    } else if (error) {
      return fail(ErrorCode::kNotWritable, "a link that leads nowhere", path);
    }
  }
  struct stat found {};
  if (stat(state->path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    const int device = open(state->path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
    state->written = state->path;
    state->file.emplace(OutputFile::adopt(device, path));
    return ClaimedFile(std::move(state));
  }
  remove_left_over(fs::path(state->path).parent_path());
  if (Result<void> locked = state->lock_path(existing); !locked) {
    locked.error().file = path;
    return tl::make_unexpected(locked.error());
  }
  Result<std::pair<int, std::string>> hidden = make_hidden(state->path);
  if (!hidden) {
    if (state->is_fresh) unlink(state->path.c_str());
    return tl::make_unexpected(hidden.error());
  }
  const int descriptor = hidden->first;
  state->hidden = state->written = std::move(hidden->second);
  (void)flock(descriptor, LOCK_EX | LOCK_NB);  // for as long as it is written, also once it is at the path
  if (!state->is_fresh) (void)fchmod(descriptor, found.st_mode & kPermissions);
  state->file.emplace(OutputFile::adopt(descriptor, path));
  return ClaimedFile(std::move(state));
}

ClaimedFile::ClaimedFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ClaimedFile::ClaimedFile(ClaimedFile&&) noexcept = default;
ClaimedFile::~ClaimedFile() = default;

OutputFile& ClaimedFile::file() {
  return *state_->file;
}
const std::string& ClaimedFile::path() const {
  return state_->path;
}
const std::string& ClaimedFile::written_path() const {
  return state_->written;
}
bool ClaimedFile::is_published() const {
  return state_->hidden.empty();
}
bool ClaimedFile::replaces() const {
  return state_->replaces;
}

Result<void> ClaimedFile::publish() {
  State& s = *state_;
  if (is_published()) return {};
  const std::optional<FileNumber> there = file_number_at(s.path);
  if (there && *there != s.locked)
    return fail(ErrorCode::kInvalidArgument, "another program has put a file there meanwhile, which stays", s.path);
  // What was locked is replaced; where it has gone, nothing may be.
  const bool done = there ? rename(s.hidden.c_str(), s.path.c_str()) == 0 : rename_to_free(s.hidden, s.path);
  if (!done)
    return fail(errno == EEXIST ? ErrorCode::kInvalidArgument : ErrorCode::kNotWritable, std::strerror(errno), s.path);
  s.hidden.clear();
  s.written = s.path;
  close(std::exchange(s.lock, -1));
  return {};
}

Result<void> ClaimedFile::publish_beside() {
  Result<void> published = publish();
  State& s = *state_;
  for (int n = 2; !published && published.error().code == ErrorCode::kInvalidArgument && n < 10 * kTries; ++n) {
    const std::string beside = with_suffix(s.path, fmt::format("-{}", n));
    if (!rename_to_free(s.hidden, beside)) {
      if (errno != EEXIST) published = fail(ErrorCode::kNotWritable, std::strerror(errno), beside);
      continue;
    }
    s.hidden.clear();
    s.path = s.written = beside;
    close(std::exchange(s.lock, -1));
    published = {};
  }
  return published;
}

std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::size_t slash = path.find_last_of('/');
  const std::size_t dot = path.find('.', slash == std::string::npos ? 1 : slash + 2);  // a name may begin with one
  return path.substr(0, dot) + suffix + (dot == std::string::npos ? "" : path.substr(dot));
}

}  // namespace lacuna

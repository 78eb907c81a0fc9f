#include "model/export/claimed_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/export/own_trace.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 100;
constexpr std::size_t kMostFileName = 255;
constexpr std::string_view kHiddenBegin = ".saving-";
constexpr std::size_t kHiddenDigits = 7;  // with the dash behind

/// A new file beside `path` under a name that nobody has.
Result<std::pair<Descriptor, std::string>> make_hidden(const std::string& path) {
  const fs::path target(path);
  std::random_device random;
  for (int tries = 0; tries < kTries; ++tries) {
    std::string name = fmt::format("{}{:06x}-{}", kHiddenBegin, random() & 0xffffff, target.filename().string());
    if (name.size() > kMostFileName) name.resize(kMostFileName);
    std::string hidden = (target.parent_path() / name).generic_string();
    Descriptor made = create_file(hidden);
    if (made.is_open()) return std::pair(std::move(made), std::move(hidden));
    if (errno != EEXIST) break;
  }
  return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
}

/// An empty file that nobody has locked.
bool is_left_over(const std::string& path) {
  const auto facts = facts_of_link(path);
  if (!facts || !facts->is_regular() || facts->bytes != 0) return false;
  const Descriptor file = open_for_reading(path, LinkRule::kRefuse);
  return file.is_open() && lock_file(file.get());
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
    const std::string target = (path.parent_path() / name.substr(kHiddenBegin.size() + kHiddenDigits)).generic_string();
    if (!is_left_over(target)) continue;
    (void)remove_file(path.string());
    (void)remove_file(target);
  }
}

}  // namespace

struct ClaimedFile::State {
  std::string path;     // links followed
  std::string hidden;   // empty once published
  std::string written;  // = hidden, or path
  Descriptor lock;      // of what lies at the path
  FileFacts locked;
  bool is_fresh = false;  // the path was free: what lies there is ours and empty
  bool replaces = false;
  std::optional<OutputFile> file;

  ~State() {
    if (file) (void)file->finish();
    if (!hidden.empty()) {
      (void)remove_file(hidden);
      if (is_fresh && is_locked_there()) (void)remove_file(path);
    }
  }
  bool is_locked_there() const {
    const auto there = facts_at(path);
    return there && there->is_same_file(locked);
  }

  Result<void> lock_path(Existing existing);
};

/// Opens and locks what lies at the path; makes an empty file where there is nothing.
Result<void> ClaimedFile::State::lock_path(Existing existing) {
  for (int tries = 0; tries < kTries; ++tries) {
    is_fresh = true;
    lock = create_file(path);
    if (!lock.is_open() && errno == EEXIST) {
      is_fresh = false;
      lock = open_for_reading(path);
      if (!lock.is_open() && errno == ENOENT) continue;  // it has just gone
    }
    if (!lock.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
    if (!lock_file(lock.get())) return fail(ErrorCode::kNotWritable, "another process is writing this file", path);
    locked = facts_of(lock.get()).value_or(FileFacts{});
    if (is_locked_there()) {  // else it was replaced before we had the lock
      replaces = locked.bytes > 0;
      if (!is_fresh && existing == Existing::kKeep) return fail(ErrorCode::kInvalidArgument, "it already exists", path);
      if (replaces && existing == Existing::kReplaceOurs && !is_own_trace(path))
        return fail(ErrorCode::kInvalidArgument,
                    "it exists and is not a trace that Lacuna wrote, so it is not replaced", path);
      return {};
    }
    (void)lock.close();
  }
  return fail(ErrorCode::kNotWritable, "other processes write this file", path);
}

Result<ClaimedFile> ClaimedFile::claim(const std::string& path, Existing existing) {
  auto state = std::make_unique<State>();
  state->path = path;
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    state->path = fs::canonical(path, error).string();
    if (error && facts_at(path)) {
      state->path = path;  // /dev/stdout of a pipe: what is behind has no name
    } else if (error) {
      return fail(ErrorCode::kNotWritable, "a link that leads nowhere", path);
    }
  }
  const auto found = facts_at(state->path);
  if (found && !found->is_regular()) {
    Descriptor device = open_for_writing(state->path);
    if (!device.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
    state->written = state->path;
    state->file.emplace(OutputFile::adopt(std::move(device), path));
    return ClaimedFile(std::move(state));
  }
  remove_left_over(fs::path(state->path).parent_path());
  if (Result<void> locked = state->lock_path(existing); !locked) {
    locked.error().file = path;
    return tl::make_unexpected(locked.error());
  }
  Result<std::pair<Descriptor, std::string>> hidden = make_hidden(state->path);
  if (!hidden) {
    if (state->is_fresh) (void)remove_file(state->path);
    return tl::make_unexpected(hidden.error());
  }
  state->hidden = state->written = std::move(hidden->second);
  (void)lock_file(hidden->first.get());  // for as long as it is written, also once it is at the path
  if (!state->is_fresh && found) set_permissions(hidden->first.get(), found->permissions);
  state->file.emplace(OutputFile::adopt(std::move(hidden->first), path));
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
  const auto there = facts_at(s.path);
  if (there && !there->is_same_file(s.locked))
    return fail(ErrorCode::kInvalidArgument, "another program has put a file there meanwhile, which stays", s.path);
  // What was locked is replaced; where it has gone, nothing may be.
  const bool done = there ? rename_file(s.hidden, s.path) : rename_to_free(s.hidden, s.path);
  if (!done)
    return fail(errno == EEXIST ? ErrorCode::kInvalidArgument : ErrorCode::kNotWritable, std::strerror(errno), s.path);
  s.hidden.clear();
  s.written = s.path;
  (void)s.lock.close();
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
    (void)s.lock.close();
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

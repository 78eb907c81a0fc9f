#include "capture/share/share_places.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/share/share_socket.h"
#include "model/base/os/descriptor.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

constexpr std::string_view kEnding = ".live";
constexpr std::string_view kNoteEnding = ".elsewhere";
constexpr std::size_t kMostNote = 4096;

/// The path that a note holds; empty when it is no note of ours.
std::string noted_path(const std::string& note) {
  const Descriptor file(open(note.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return {};
  std::string text(kMostNote, '\0');
  const ssize_t got = read(file.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.starts_with('/') ? text : std::string();
}

}  // namespace

Result<std::string> share_folder() {
  const std::string runtime = user_runtime_folder();
  const bool is_usable = !runtime.empty() && access(runtime.c_str(), W_OK) == 0;
  const std::string folder =
      is_usable ? runtime + "/lacuna" : fmt::format("{}/lacuna-{}", temporary_folder(), geteuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 077) != 0)
    return fail(ErrorCode::kNotWritable, "not a folder private to this user", folder);
  return folder;
}

Result<std::string> share_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const Result<std::string> folder = share_folder();
  if (!folder) return folder;
  return *folder + "/" + name + (name.ends_with(kEnding) ? "" : std::string(kEnding));
}

std::string leave_note(const std::string& socket) {
  const Result<std::string> folder = share_folder();
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(socket, error).lexically_normal();
  if (!folder || error || path.parent_path() == *folder || path.string().size() > kMostNote) return {};
  std::string note = fmt::format("{}/{}{}", *folder, getpid(), kNoteEnding);
  const Descriptor file(open(note.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return {};
  const std::string text = path.string();
  if (write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return note;
  unlink(note.c_str());
  return {};
}

std::vector<std::string> shared_recordings() {
  std::vector<std::string> paths;
  const Result<std::string> folder = share_folder();
  if (!folder) return paths;
  std::error_code error;
  for (const std::filesystem::path found : folder_paths(*folder, error)) {
    const std::string file = found.string();
    const bool is_note = file.ends_with(kNoteEnding);
    if (!is_note && !file.ends_with(kEnding)) continue;
    const std::string path = is_note ? noted_path(file) : file;
    if (path.empty()) continue;
    const Result<ShareSocket> socket = ShareSocket::connect(path);
    if (socket) paths.push_back(path);
    if (!socket && socket.error().code == ErrorCode::kNotFound) unlink(file.c_str());  // of a note the note alone
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace lacuna

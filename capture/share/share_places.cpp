#include "capture/share/share_places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "capture/share/share_socket.h"

namespace lacuna {
namespace {

constexpr std::string_view kEnding = ".live";

}  // namespace

Result<std::string> share_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const char* temporary = std::getenv("TMPDIR");
  std::string folder;
  if (runtime != nullptr && *runtime == '/' && access(runtime, W_OK) == 0) {
    folder = std::string(runtime) + "/lacuna";
  } else {
    folder = fmt::format("{}/lacuna-{}", temporary != nullptr && *temporary == '/' ? temporary : "/tmp", geteuid());
  }
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 077) != 0)
    return fail(ErrorCode::kNotWritable, "not a folder that only this user may enter", folder);
  return folder;
}

Result<std::string> share_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const Result<std::string> folder = share_folder();
  if (!folder) return folder;
  return *folder + "/" + name + (name.ends_with(kEnding) ? "" : std::string(kEnding));
}

std::vector<std::string> shared_recordings() {
  std::vector<std::string> paths;
  const Result<std::string> folder = share_folder();
  if (!folder) return paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, error)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kEnding)) continue;
    const Result<ShareSocket> socket = ShareSocket::connect(path);
    if (socket) paths.push_back(path);
    if (!socket && socket.error().code == ErrorCode::kNotFound) unlink(path.c_str());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace lacuna

#include "model/base/os/folder_paths.h"

#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <glob.h>

namespace lacuna {
namespace {

struct CloseFolder {
  void operator()(DIR* opened) const { closedir(opened); }
};

}  // namespace

std::vector<std::string> folder_paths(const std::string& folder, std::error_code& error) {
  std::vector<std::string> paths;
  error.clear();
  const std::unique_ptr<DIR, CloseFolder> opened(opendir(folder.c_str()));
  while (opened != nullptr) {
    errno = 0;
    const dirent* entry = readdir(opened.get());
    if (entry == nullptr) break;
    if (const std::string_view name = entry->d_name; name != "." && name != "..")
      paths.push_back(std::string(folder).append(folder.ends_with('/') ? "" : "/").append(name));
  }
  if (opened == nullptr || errno != 0) error.assign(errno, std::generic_category());
  return paths;
}

std::vector<std::string> paths_matching(const std::string& pattern) {
  glob_t matches{};
  const std::unique_ptr<glob_t, decltype(&::globfree)> freed(&matches, ::globfree);
  if (::glob(pattern.c_str(), 0, nullptr, &matches) != 0) return {};
  return {matches.gl_pathv, matches.gl_pathv + matches.gl_pathc};
}

}  // namespace lacuna

#include "app/gui/core/files.h"

#include <filesystem>
#include <system_error>

namespace lacuna {

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string with_extension(std::string path, std::string_view extension) {
  const std::string name = file_name(path);
  // A dot at its begin makes a file hidden, no extension.
  if (!name.empty() && name.find('.', 1) == std::string::npos) path += extension;
  return path;
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string files_title(const std::vector<std::string>& paths) {
  if (paths.empty()) return "trace";
  std::string text = file_name(paths.front());
  if (paths.size() > 1) text += " and " + std::to_string(paths.size() - 1) + " more";
  return text;
}

}  // namespace lacuna

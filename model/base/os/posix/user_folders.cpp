#include "model/base/os/user_folders.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include "model/base/os/files.h"

namespace lacuna {
namespace {

std::string absolute_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : std::string();
}

std::string variable_or_below_home(const char* name, const char* below_home) {
  if (std::string folder = absolute_variable(name); !folder.empty()) return folder;
  const std::string home = home_folder();
  return home.empty() ? home : home + below_home;
}

}  // namespace

std::string home_folder() {
  return absolute_variable("HOME");
}

std::string user_config_folder() {
  return variable_or_below_home("XDG_CONFIG_HOME", "/.config");
}

std::string user_state_folder() {
  return variable_or_below_home("XDG_STATE_HOME", "/.local/state");
}

std::string user_cache_folder() {
  return variable_or_below_home("XDG_CACHE_HOME", "/.cache");
}

std::string user_runtime_folder() {
  return absolute_variable("XDG_RUNTIME_DIR");
}

bool make_private_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), failed);
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  const auto facts = facts_of_link(folder);
  if (!facts) return false;
  if (facts->is_folder() && facts->is_safe()) return true;
  errno = EPERM;
  return false;
}

std::string temporary_folder() {
  const std::string folder = absolute_variable("TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

}  // namespace lacuna

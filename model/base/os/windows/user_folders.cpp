#include "model/base/os/user_folders.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/base/os/files.h"
#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

/// With '/' between the folders, whatever the variable has.
std::string absolute_variable(const wchar_t* name) {
  const wchar_t* value = ::_wgetenv(name);
  return value != nullptr && std::filesystem::path(value).is_absolute() ? narrow_path(value) : std::string();
}

std::string first_of(const wchar_t* name, const wchar_t* otherwise) {
  const std::string folder = absolute_variable(name);
  return folder.empty() ? absolute_variable(otherwise) : folder;
}

}  // namespace

std::string home_folder() {
  return first_of(L"HOME", L"USERPROFILE");
}

std::string user_config_folder() {
  return first_of(L"XDG_CONFIG_HOME", L"APPDATA");
}

std::string user_state_folder() {
  return first_of(L"XDG_STATE_HOME", L"LOCALAPPDATA");
}

std::string user_cache_folder() {
  return first_of(L"XDG_CACHE_HOME", L"LOCALAPPDATA");
}

std::string user_runtime_folder() {
  return absolute_variable(L"XDG_RUNTIME_DIR");
}

bool make_private_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), failed);
  OwnerOnly own;
  if (!::CreateDirectoryW(wide(folder).c_str(), own.get()) && ::GetLastError() != ERROR_ALREADY_EXISTS)
    return note_error();
  const auto facts = facts_of_link(folder);
  if (!facts) return false;
  if (facts->is_folder() && facts->is_safe()) return true;
  errno = EPERM;
  return false;
}

std::string temporary_folder() {
  const std::string folder = first_of(L"TMPDIR", L"TEMP");
  return folder.empty() ? home_folder() : folder;
}

}  // namespace lacuna

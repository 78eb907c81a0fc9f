#include "model/base/os/folder_paths.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

struct CharacterSet {
  std::string_view members;  // between the brackets
  std::size_t bytes = 0;     // of all of it
};
/// The set that a pattern begins with; nothing: it is a plain bracket.
std::optional<CharacterSet> set_at(std::string_view pattern) {
  const std::size_t first = pattern.size() > 1 && pattern[1] == '!' ? 2 : 1;
  const std::size_t end = pattern.find(']', first + 1);  // a bracket that comes first is a member
  if (end == std::string_view::npos) return std::nullopt;
  return CharacterSet{pattern.substr(1, end - 1), end + 1};
}
bool contains(std::string_view members, char wanted) {
  const bool is_negated = members.starts_with('!');
  if (is_negated) members.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_range = i + 2 < members.size() && members[i + 1] == '-';
    found = found || (is_range ? members[i] <= wanted && wanted <= members[i + 2] : members[i] == wanted);
    if (is_range) i += 2;
  }
  return found != is_negated;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  if (name.empty()) return false;
  if (pattern[0] == '[')
    if (const auto set = set_at(pattern))
      return contains(set->members, name[0]) && matches(pattern.substr(set->bytes), name.substr(1));
  return (pattern[0] == '?' || pattern[0] == name[0]) && matches(pattern.substr(1), name.substr(1));
}

bool exists(const std::string& path) {
  return ::GetFileAttributesW(wide(path).c_str()) != INVALID_FILE_ATTRIBUTES;
}

}  // namespace

std::vector<std::string> folder_paths(const std::string& folder, std::error_code& error) {
  std::vector<std::string> paths;
  error.clear();
  const DWORD failed = each_entry(wide(folder), [&](const WIN32_FIND_DATAW& entry) {
    paths.push_back(std::string(folder).append(folder.ends_with('/') ? "" : "/").append(narrow(entry.cFileName)));
  });
  if (failed != 0) {
    const DWORD attributes = ::GetFileAttributesW(wide(folder).c_str());
    const bool is_file = attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
    ::SetLastError(failed);
    note_error();
    if (is_file) errno = ENOTDIR;
    error.assign(errno, std::generic_category());
  }
  return paths;
}

std::vector<std::string> paths_matching(const std::string& pattern) {
  std::vector<std::string> found{""};
  for (std::string_view rest = pattern; !rest.empty() && !found.empty();) {
    const std::size_t slash = rest.find_first_of("/\\");
    const std::string_view part = rest.substr(0, slash);
    const bool is_last = slash == std::string_view::npos;
    rest.remove_prefix(is_last ? rest.size() : slash + 1);
    std::vector<std::string> next;
    for (const std::string& path : found) {
      std::vector<std::string> names;
      if (part.find_first_of("*?[") == std::string_view::npos) {
        names.emplace_back(part);
      } else {
        each_entry(wide(path.empty() ? "." : path), [&](const WIN32_FIND_DATAW& entry) {
          const std::string name = narrow(entry.cFileName);
          if ((part[0] == '.' || name[0] != '.') && matches(part, name)) names.push_back(name);
        });
        std::ranges::sort(names);
      }
      for (const std::string& name : names)
        if (std::string each = path + name + (is_last ? "" : "/"); !is_last || exists(each))
          next.push_back(std::move(each));
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace lacuna

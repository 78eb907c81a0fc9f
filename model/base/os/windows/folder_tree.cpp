#include "model/base/os/folder_tree.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

/// A path in memory of its own, since there may be no other.
class Path {
 public:
  explicit Path(const std::string& path) {
    length_ = static_cast<std::size_t>(
        ::MultiByteToWideChar(CP_UTF8, 0, path.data(), static_cast<int>(path.size()), text_, static_cast<int>(kMost)));
  }
  const wchar_t* get() const { return text_; }
  DWORD attributes() const { return ::GetFileAttributesW(text_); }
  /// Calls visit() with what lies in the folder, one after the other, as the path. Returns 0 or the system's error.
  template <class Visit>
  DWORD each_inside(Visit&& visit) {
    const std::size_t before = length_;
    if (!append(L"/*")) return ERROR_FILENAME_EXCED_RANGE;
    WIN32_FIND_DATAW entry{};
    const HANDLE found = ::FindFirstFileW(text_, &entry);
    cut(before);
    if (found == INVALID_HANDLE_VALUE) return ::GetLastError();
    do {
      const std::wstring_view name = entry.cFileName;
      if (name == L"." || name == L".." || !append(L"/") || !append(name)) continue;
      visit(entry);
      cut(before);
    } while (::FindNextFileW(found, &entry));
    const DWORD error = ::GetLastError();
    ::FindClose(found);
    return error == ERROR_NO_MORE_FILES ? 0 : error;
  }

 private:
  static constexpr std::size_t kMost = 32767;  // of the system's own paths
  bool append(std::wstring_view more) {
    if (length_ + more.size() > kMost) return false;
    std::ranges::copy(more, text_ + length_);
    cut(length_ + more.size());
    return true;
  }
  void cut(std::size_t length) { text_[length_ = length] = L'\0'; }

  wchar_t text_[kMost + 1] = {};
  std::size_t length_ = 0;
};

bool is_folder(DWORD attributes) {
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}
bool is_link(DWORD attributes) {
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

/// `first` receives the first error.
void remove_all(Path& path, DWORD attributes, int& first) {
  const auto note = [&](DWORD failed) {
    if (failed == 0) return;
    ::SetLastError(failed);
    note_error();
    if (first == 0 && errno != ENOENT) first = errno;
  };
  if (is_folder(attributes) && !is_link(attributes))
    note(path.each_inside([&](const WIN32_FIND_DATAW& entry) { remove_all(path, entry.dwFileAttributes, first); }));
  if (!is_folder(attributes) && (attributes & FILE_ATTRIBUTE_READONLY) != 0)
    ::SetFileAttributesW(path.get(), FILE_ATTRIBUTE_NORMAL);  // else it cannot be removed
  const BOOL is_gone = is_folder(attributes) ? ::RemoveDirectoryW(path.get()) : ::DeleteFileW(path.get());
  if (!is_gone) note(::GetLastError());
}

std::uint64_t bytes_below(Path& path) {
  std::uint64_t bytes = 0;
  path.each_inside([&](const WIN32_FIND_DATAW& entry) {
    if (is_link(entry.dwFileAttributes)) return;
    bytes += is_folder(entry.dwFileAttributes) ? bytes_below(path)
                                               : (std::uint64_t{entry.nFileSizeHigh} << 32) | entry.nFileSizeLow;
  });
  return bytes;
}

}  // namespace

std::error_code remove_tree(const std::string& path) noexcept {
  int failed = 0;
  Path root(path);
  if (const DWORD attributes = root.attributes(); attributes != INVALID_FILE_ATTRIBUTES) {
    remove_all(root, attributes, failed);
  } else {
    note_error();
    failed = errno == ENOENT ? 0 : errno;
  }
  return {failed, std::generic_category()};
}

std::uint64_t bytes_in_tree(const std::string& folder) noexcept {
  Path root(folder);
  return bytes_below(root);
}

}  // namespace lacuna

#pragma once
// What the files of this folder share. Paths are UTF-8 with either slash outside, UTF-16 for the system.

#include <string>
#include <string_view>
#include <utility>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// These take the one above for granted.
#include <aclapi.h>
#include <bcrypt.h>
#include <sddl.h>
#include <shellapi.h>
#include <winioctl.h>

#include "model/base/os/descriptor.h"

namespace lacuna {

std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);
/// The same with '/' for '\', as paths are written everywhere else.
std::string narrow_path(std::wstring_view path);

/// Owns a handle of the system.
class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  bool is_open() const { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  HANDLE release() { return std::exchange(handle_, nullptr); }
  void close() {
    if (is_open()) ::CloseHandle(handle_);
    handle_ = nullptr;
  }

 private:
  HANDLE handle_;
};

/// Sets errno from the system's last error; returns false.
bool note_error();
/// The handle of a descriptor; INVALID_HANDLE_VALUE, with errno: it is none.
HANDLE handle_of(int descriptor);
/// A descriptor that owns the handle; none, with errno, if there is no handle.
Descriptor as_descriptor(HANDLE handle, bool is_read_only = false);

/// Who may access what is made with it: this user alone.
class OwnerOnly {
 public:
  OwnerOnly();
  ~OwnerOnly();
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;
  /// Null: the user is not known, so that what is made has the rights of its folder.
  SECURITY_ATTRIBUTES* get() { return attributes_.lpSecurityDescriptor == nullptr ? nullptr : &attributes_; }

 private:
  SECURITY_ATTRIBUTES attributes_{};
};

/// What owner and others may do with a file, as POSIX has it.
struct FileRights {
  bool is_own = false;
  bool others_read = false;
  bool others_write = false;
};
/// System and administrators, who may do everything anyway, are not others. An error: others may do everything.
FileRights rights_of(HANDLE file);

/// Calls visit(WIN32_FIND_DATAW) for what lies in a folder. Returns 0 or the system's error.
template <class Visit>
DWORD each_entry(const std::wstring& folder, Visit&& visit) {
  WIN32_FIND_DATAW entry{};
  const HANDLE found = ::FindFirstFileExW((folder + L"/*").c_str(), FindExInfoBasic, &entry, FindExSearchNameMatch,
                                          nullptr, FIND_FIRST_EX_LARGE_FETCH);
  if (found == INVALID_HANDLE_VALUE) return ::GetLastError();
  struct Close {
    HANDLE handle;
    ~Close() { ::FindClose(handle); }
  } const closed{found};
  do {
    if (const std::wstring_view name = entry.cFileName; name != L"." && name != L"..") visit(entry);
  } while (::FindNextFileW(found, &entry));
  const DWORD error = ::GetLastError();
  return error == ERROR_NO_MORE_FILES ? 0 : error;
}

}  // namespace lacuna

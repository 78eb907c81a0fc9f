#include "model/base/os/windows/windows_calls.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <io.h>

namespace lacuna {
namespace {

/// The user this process runs as; empty: not known.
std::vector<std::byte> own_user() {
  HANDLE opened = nullptr;
  if (!::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &opened)) return {};
  const Handle token(opened);
  DWORD size = 0;
  ::GetTokenInformation(token.get(), TokenUser, nullptr, 0, &size);
  std::vector<std::byte> user(size);
  if (!::GetTokenInformation(token.get(), TokenUser, user.data(), size, &size)) return {};
  return user;
}
PSID user_in(std::vector<std::byte>& user) {
  return user.empty() ? nullptr : reinterpret_cast<TOKEN_USER*>(user.data())->User.Sid;
}

bool is_everywhere(PSID who) {
  return ::IsWellKnownSid(who, WinLocalSystemSid) || ::IsWellKnownSid(who, WinBuiltinAdministratorsSid);
}

}  // namespace

std::wstring wide(std::string_view text) {
  std::wstring out;
  const int size = static_cast<int>(text.size());
  const int length = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  out.resize(static_cast<std::size_t>(std::max(length, 0)));
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), length);
  return out;
}

std::string narrow(std::wstring_view text) {
  std::string out;
  const int size = static_cast<int>(text.size());
  const int length = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  out.resize(static_cast<std::size_t>(std::max(length, 0)));
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), length, nullptr, nullptr);
  return out;
}

std::string narrow_path(std::wstring_view path) {
  std::string out = narrow(path);
  std::ranges::replace(out, '\\', '/');
  return out;
}

bool note_error() {
  const std::error_condition error =
      std::error_code(static_cast<int>(::GetLastError()), std::system_category()).default_error_condition();
  errno = error.category() == std::generic_category() ? error.value() : EIO;
  return false;
}

HANDLE handle_of(int descriptor) {
  if (descriptor < 0) {
    errno = EBADF;
    return INVALID_HANDLE_VALUE;
  }
  return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
}

Descriptor as_descriptor(HANDLE handle, bool is_read_only) {
  Handle owned(handle);
  if (!owned.is_open()) {
    note_error();
    return {};
  }
  Descriptor made(::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle),
                                    _O_BINARY | _O_NOINHERIT | (is_read_only ? _O_RDONLY : 0)));
  if (made.is_open()) owned.release();
  return made;
}

OwnerOnly::OwnerOnly() {
  std::vector<std::byte> user = own_user();
  LPWSTR name = nullptr;
  if (user.empty() || !::ConvertSidToStringSidW(user_in(user), &name)) return;
  const std::wstring rights = std::wstring(L"D:P(A;OICI;FA;;;").append(name).append(L")");
  ::LocalFree(name);
  attributes_.nLength = sizeof attributes_;
  if (!::ConvertStringSecurityDescriptorToSecurityDescriptorW(rights.c_str(), SDDL_REVISION_1,
                                                              &attributes_.lpSecurityDescriptor, nullptr))
    attributes_.lpSecurityDescriptor = nullptr;
}
OwnerOnly::~OwnerOnly() {
  ::LocalFree(attributes_.lpSecurityDescriptor);
}

FileRights rights_of(HANDLE file) {
  FileRights rights{.others_read = true, .others_write = true};
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR found = nullptr;
  if (::GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, nullptr,
                        &list, nullptr, &found) != ERROR_SUCCESS)
    return rights;
  std::vector<std::byte> user = own_user();
  const PSID self = user_in(user);
  // What an administrator makes may belong to all of them.
  rights.is_own = self != nullptr && owner != nullptr && (::EqualSid(self, owner) || is_everywhere(owner));
  if (list != nullptr) {  // none: everybody may do everything
    rights.others_read = rights.others_write = false;
    for (DWORD i = 0; i < list->AceCount; ++i) {
      void* entry = nullptr;
      if (!::GetAce(list, i, &entry)) continue;
      const auto& allowed = *static_cast<const ACCESS_ALLOWED_ACE*>(entry);
      if (allowed.Header.AceType != ACCESS_ALLOWED_ACE_TYPE || (allowed.Header.AceFlags & INHERIT_ONLY_ACE) != 0)
        continue;
      const PSID who = const_cast<DWORD*>(&allowed.SidStart);
      if ((self != nullptr && ::EqualSid(who, self)) || is_everywhere(who) ||
          ::IsWellKnownSid(who, WinCreatorOwnerRightsSid))
        continue;
      constexpr DWORD kWrites = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC |
                                WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
      rights.others_read = rights.others_read || (allowed.Mask & (FILE_READ_DATA | GENERIC_READ | GENERIC_ALL)) != 0;
      rights.others_write = rights.others_write || (allowed.Mask & kWrites) != 0;
    }
  }
  ::LocalFree(found);
  return rights;
}

}  // namespace lacuna

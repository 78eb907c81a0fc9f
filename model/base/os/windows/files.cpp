#include "model/base/os/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include <io.h>

#include "model/base/os/machine.h"
#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

Handle open_handle(const std::string& path, DWORD access, DWORD how, DWORD flags = 0,
                   SECURITY_ATTRIBUTES* security = nullptr) {
  return Handle(::CreateFileW(wide(path).c_str(), access, kShared, security, how,
                              FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr));
}

std::int64_t since_1970(FILETIME time) {
  constexpr std::int64_t kFrom1601 = 116'444'736'000'000'000;
  const auto ticks = static_cast<std::int64_t>((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime);
  return (ticks - kFrom1601) * 100;
}

std::optional<FileFacts> facts_of_handle(HANDLE file) {
  if (file == INVALID_HANDLE_VALUE) return std::nullopt;
  FileFacts facts;
  if (const DWORD type = ::GetFileType(file); type != FILE_TYPE_DISK) {
    if (type == FILE_TYPE_PIPE) facts.kind = FileFacts::Kind::kPipe;
    return facts;
  }
  BY_HANDLE_FILE_INFORMATION found{};
  if (!::GetFileInformationByHandle(file, &found)) {
    note_error();
    return std::nullopt;
  }
  const auto has = [&](DWORD attribute) { return (found.dwFileAttributes & attribute) != 0; };
  FILE_ATTRIBUTE_TAG_INFO tag{};
  const bool is_link = has(FILE_ATTRIBUTE_REPARSE_POINT) &&
                       ::GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) &&
                       IsReparseTagNameSurrogate(tag.ReparseTag);
  facts.kind = is_link                         ? FileFacts::Kind::kLink
               : has(FILE_ATTRIBUTE_DIRECTORY) ? FileFacts::Kind::kFolder
                                               : FileFacts::Kind::kRegular;
  facts.bytes = (std::uint64_t{found.nFileSizeHigh} << 32) | found.nFileSizeLow;
  facts.modified_ns = since_1970(found.ftLastWriteTime);
  facts.device = found.dwVolumeSerialNumber;
  facts.number = (std::uint64_t{found.nFileIndexHigh} << 32) | found.nFileIndexLow;
  const FileRights rights = rights_of(file);
  facts.is_own = rights.is_own;
  facts.permissions = 0700u | (rights.others_read ? 0055u : 0u) | (rights.others_write ? 0022u : 0u);
  if (!facts.is_folder()) facts.permissions &= ~0111u;
  if (has(FILE_ATTRIBUTE_READONLY)) facts.permissions &= ~0222u;
  return facts;
}

/// Sets errno: ENOTDIR where a path leads through a file.
void note_open_error(std::string path) {
  const bool is_missing = ::GetLastError() == ERROR_PATH_NOT_FOUND;
  note_error();
  for (std::size_t slash = path.find_last_of("/\\"); is_missing && slash != std::string::npos && slash > 0;
       slash = path.find_last_of("/\\")) {
    path.resize(slash);
    const DWORD attributes = ::GetFileAttributesW(wide(path).c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) continue;
    errno = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? ENOENT : ENOTDIR;
    return;
  }
}

std::optional<FileFacts> facts_at(const std::string& path, DWORD flags) {
  const Handle file = open_handle(path, FILE_READ_ATTRIBUTES | READ_CONTROL, OPEN_EXISTING, flags);
  if (!file.is_open()) note_open_error(path);
  return file.is_open() ? facts_of_handle(file.get()) : std::nullopt;
}

OVERLAPPED at_offset(std::uint64_t offset) {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return at;
}

/// Reading and writing at an offset leaves a file's position where it was.
class KeptPosition {
 public:
  explicit KeptPosition(HANDLE file) : file_(file) { is_known_ = ::SetFilePointerEx(file, {}, &at_, FILE_CURRENT); }
  KeptPosition(const KeptPosition&) = delete;
  KeptPosition& operator=(const KeptPosition&) = delete;
  ~KeptPosition() {
    if (is_known_) ::SetFilePointerEx(file_, at_, nullptr, FILE_BEGIN);
  }

 private:
  HANDLE file_;
  LARGE_INTEGER at_{};
  bool is_known_ = false;
};

DWORD at_most(std::size_t bytes) {
  return static_cast<DWORD>(std::min<std::size_t>(bytes, std::size_t{1} << 30));
}

/// Replaces what is open somewhere as well; Windows 10 and later, on NTFS.
bool rename_as_posix(const std::wstring& from, const std::wstring& to) {
  const Handle file(::CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShared, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  std::wstring absolute(32768, L'\0');
  absolute.resize(::GetFullPathNameW(to.c_str(), static_cast<DWORD>(absolute.size()), absolute.data(), nullptr));
  constexpr DWORD kReplace = 1, kAsPosix = 2;  // FILE_RENAME_REPLACE_IF_EXISTS, FILE_RENAME_POSIX_SEMANTICS
  constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);  // FileRenameInfoEx
  std::vector<std::byte> memory(sizeof(FILE_RENAME_INFO) + absolute.size() * sizeof(wchar_t));
  auto& wish = *new (memory.data()) FILE_RENAME_INFO{};
  *reinterpret_cast<DWORD*>(&wish) = kReplace | kAsPosix;
  wish.FileNameLength = static_cast<DWORD>(absolute.size() * sizeof(wchar_t));
  std::ranges::copy(absolute, wish.FileName);
  return file.is_open() &&
         ::SetFileInformationByHandle(file.get(), kRenameEx, &wish, static_cast<DWORD>(memory.size()));
}

std::string random_name() {
  std::array<unsigned char, 6> random{};
  (void)fill_with_secret(random);
  std::string name;
  for (const unsigned char byte : random)
    name += "0123456789abcdefghijklmnopqrstuv"[byte % 32];  // no two differ in case
  return name;
}

/// Calls make(path) for a free name: `prefix` with six characters more. False, with errno.
template <class Make>
bool make_at_free_name(std::string& prefix, Make&& make) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string path = prefix + random_name();
    const bool is_made = make(path);
    if (!is_made && errno == EEXIST) continue;
    prefix = path;
    return is_made;
  }
  return false;
}

}  // namespace

bool Descriptor::close() {
  return number_ < 0 || ::_close(std::exchange(number_, -1)) == 0;
}

std::optional<FileFacts> facts_of(int descriptor) {
  return facts_of_handle(handle_of(descriptor));
}
std::optional<FileFacts> facts_at(const std::string& path) {
  return facts_at(path, 0);
}
std::optional<FileFacts> facts_of_link(const std::string& path) {
  return facts_at(path, FILE_FLAG_OPEN_REPARSE_POINT);
}

bool may_write_into(const std::string& folder) {
  const Handle opened = open_handle(folder, FILE_ADD_FILE, OPEN_EXISTING);
  return opened.is_open() || note_error();
}

Descriptor open_for_reading(const std::string& path, LinkRule links) {
  const bool refused = links == LinkRule::kRefuse;
  Handle file = open_handle(path, GENERIC_READ, OPEN_EXISTING, refused ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
  if (refused && file.is_open()) {
    FILE_ATTRIBUTE_TAG_INFO tag{};
    if (::GetFileInformationByHandleEx(file.get(), FileAttributeTagInfo, &tag, sizeof tag) &&
        (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && IsReparseTagNameSurrogate(tag.ReparseTag)) {
      errno = ELOOP;
      return {};
    }
  }
  if (file.is_open()) return as_descriptor(file.release(), true);
  note_open_error(path);
  return {};
}
Descriptor open_for_writing(const std::string& path) {
  return as_descriptor(open_handle(path, GENERIC_WRITE, OPEN_EXISTING).release());
}
Descriptor create_file(const std::string& path, Readers readers) {
  OwnerOnly own;
  return as_descriptor(
      open_handle(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW, 0, readers == Readers::kOwner ? own.get() : nullptr)
          .release());
}
void wait_as_usual([[maybe_unused]] int descriptor) {}  // reads of pipes always wait
bool wait_readable(int descriptor, int milliseconds) {
  const HANDLE file = handle_of(descriptor);
  if (::GetFileType(file) != FILE_TYPE_PIPE) return true;
  constexpr int kStep = 5;
  DWORD waiting = 0;
  for (int waited = 0; ::PeekNamedPipe(file, nullptr, 0, nullptr, &waiting, nullptr) && waiting == 0; waited += kStep) {
    if (milliseconds >= 0 && waited >= milliseconds) return false;
    ::Sleep(kStep);
  }
  return true;
}
void expect_sequential_reads([[maybe_unused]] int descriptor) {}  // is said when a file is opened

std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> out, int* error) {
  const HANDLE file = handle_of(descriptor);
  const KeptPosition kept(file);
  std::size_t done = 0;
  while (done < out.size()) {
    OVERLAPPED at = at_offset(offset + done);
    DWORD got = 0;
    if (!::ReadFile(file, out.data() + done, at_most(out.size() - done), &got, &at)) {
      if (::GetLastError() == ERROR_HANDLE_EOF) break;
      note_error();
      if (error != nullptr) *error = errno;
      break;
    }
    if (got == 0) break;
    done += got;
  }
  return done;
}
std::optional<std::size_t> read_next(int descriptor, std::span<char> out) {
  DWORD got = 0;
  if (::ReadFile(handle_of(descriptor), out.data(), at_most(out.size()), &got, nullptr)) return got;
  if (::GetLastError() == ERROR_BROKEN_PIPE) return 0;  // its writer has closed it
  note_error();
  return std::nullopt;
}
std::optional<std::size_t> write_some(int descriptor, std::string_view bytes) {
  DWORD put = 0;
  if (!::WriteFile(handle_of(descriptor), bytes.data(), at_most(bytes.size()), &put, nullptr)) {
    note_error();
    return std::nullopt;
  }
  if (put == 0 && !bytes.empty()) {
    errno = ENOSPC;
    return std::nullopt;
  }
  return put;
}
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = write_some(descriptor, bytes);
    if (!put) return false;
    bytes.remove_prefix(*put);
  }
  return true;
}
bool write_at(int descriptor, std::uint64_t offset, std::string_view bytes) {
  const HANDLE file = handle_of(descriptor);
  const KeptPosition kept(file);
  while (!bytes.empty()) {
    OVERLAPPED at = at_offset(offset);
    DWORD put = 0;
    if (!::WriteFile(file, bytes.data(), at_most(bytes.size()), &put, &at)) return note_error();
    if (put == 0) {
      errno = ENOSPC;
      return false;
    }
    offset += put;
    bytes.remove_prefix(put);
  }
  return true;
}

bool remove_file(const std::string& path) {
  return ::DeleteFileW(wide(path).c_str()) || note_error();
}
bool rename_file(const std::string& from, const std::string& to) {
  const std::wstring old_name = wide(from), new_name = wide(to);
  if (rename_as_posix(old_name, new_name) ||
      ::MoveFileExW(old_name.c_str(), new_name.c_str(), MOVEFILE_REPLACE_EXISTING))
    return true;
  if (::GetLastError() != ERROR_ACCESS_DENIED) return note_error();
  // It is open somewhere, and this system or disk replaces no such file: it makes way instead.
  std::string aside = to + ".";
  if (!make_at_free_name(aside, [&](const std::string& path) {
        return ::MoveFileExW(new_name.c_str(), wide(path).c_str(), 0) || note_error();
      }))
    return false;
  if (!::MoveFileExW(old_name.c_str(), new_name.c_str(), 0)) {
    note_error();
    ::MoveFileExW(wide(aside).c_str(), new_name.c_str(), 0);
    return false;
  }
  ::DeleteFileW(wide(aside).c_str());
  return true;
}
bool rename_to_free(const std::string& from, const std::string& to) {
  return ::MoveFileExW(wide(from).c_str(), wide(to).c_str(), 0) || note_error();
}
void set_permissions(int descriptor, std::uint32_t permissions) {
  FILE_BASIC_INFO facts{};
  const HANDLE file = handle_of(descriptor);
  if (!::GetFileInformationByHandleEx(file, FileBasicInfo, &facts, sizeof facts)) return;
  const bool is_read_only = (permissions & 0200) == 0;
  const DWORD others = facts.FileAttributes & ~static_cast<DWORD>(FILE_ATTRIBUTE_READONLY);
  facts = {};  // its times stay
  facts.FileAttributes = is_read_only ? others | FILE_ATTRIBUTE_READONLY : others;
  ::SetFileInformationByHandle(file, FileBasicInfo, &facts, sizeof facts);
}
void note_use(int descriptor) {
  const Handle file(::ReOpenFile(handle_of(descriptor), FILE_WRITE_ATTRIBUTES, kShared, 0));
  FILETIME now{};
  ::GetSystemTimeAsFileTime(&now);
  if (file.is_open()) ::SetFileTime(file.get(), nullptr, &now, &now);
}
bool lock_file(int descriptor) {
  // Behind every byte that a file can have: others may read what is locked.
  OVERLAPPED at = at_offset(std::uint64_t{1} << 62);
  return ::LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) ||
         ::GetLastError() != ERROR_LOCK_VIOLATION;
}

Descriptor create_temporary(std::string& prefix) {
  Descriptor made;
  (void)make_at_free_name(prefix, [&](const std::string& path) {
    made = create_file(path, Readers::kOwner);
    return made.is_open();
  });
  return made;
}
bool create_temporary_folder(std::string& prefix) {
  OwnerOnly own;
  return make_at_free_name(prefix, [&](const std::string& path) {
    return ::CreateDirectoryW(wide(path).c_str(), own.get()) || note_error();
  });
}

Descriptor create_nameless(const std::string& folder) {
  Descriptor made;
  OwnerOnly own;
  std::string name = folder + "/spill.";
  (void)make_at_free_name(name, [&](const std::string& path) {
    // It has a name until it is closed, which others may not open.
    made = as_descriptor(::CreateFileW(wide(path).c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE,
                                       own.get(), CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                                       nullptr));
    return made.is_open();
  });
  DWORD unused = 0;  // what is not written takes no room, where the file system can do that
  if (made.is_open())
    ::DeviceIoControl(handle_of(made.get()), FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &unused, nullptr);
  return made;
}
Descriptor create_in_memory() {
  errno = ENOSYS;
  return {};
}
bool lies_in_memory([[maybe_unused]] int descriptor) {
  return false;
}
bool resize_file(int descriptor, std::uint64_t bytes) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
  return ::SetFileInformationByHandle(handle_of(descriptor), FileEndOfFileInfo, &end, sizeof end) || note_error();
}
bool reserve_on_disk(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  // What is written has its room: a sparse file has no other way.
  std::vector<char> part(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), offset + bytes - at));
    std::ranges::fill(part, '\0');
    int error = 0;
    (void)read_at(descriptor, at, {part.data(), size}, &error);
    errno = error;
    if (error != 0 || !write_at(descriptor, at, {part.data(), size})) return false;
    at += size;
  }
  return true;
}
void discard_part(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  FILE_ZERO_DATA_INFORMATION part{};
  part.FileOffset.QuadPart = static_cast<LONGLONG>(offset);
  part.BeyondFinalZero.QuadPart = static_cast<LONGLONG>(offset + bytes);
  DWORD unused = 0;
  ::DeviceIoControl(handle_of(descriptor), FSCTL_SET_ZERO_DATA, &part, sizeof part, nullptr, 0, &unused, nullptr);
}
void begin_writing_out([[maybe_unused]] int descriptor) {}  // the system does so by itself
bool wait_written_out(int descriptor, [[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::uint64_t bytes) {
  return ::FlushFileBuffers(handle_of(descriptor)) || note_error();
}
std::optional<std::uint64_t> free_on_disk(const std::string& path) {
  const auto facts = facts_at(path);
  if (!facts) return std::nullopt;
  const std::size_t slash = path.find_last_of("/\\");
  const std::string folder = facts->is_folder() ? path : slash == std::string::npos ? "." : path.substr(0, slash + 1);
  ULARGE_INTEGER free{};
  if (::GetDiskFreeSpaceExW(wide(folder).c_str(), &free, nullptr, nullptr)) return free.QuadPart;
  note_error();
  return std::nullopt;
}
std::optional<std::uint64_t> free_on_disk(int descriptor) {
  wchar_t path[32768];
  const DWORD length = ::GetFinalPathNameByHandleW(handle_of(descriptor), path, 32768, FILE_NAME_NORMALIZED);
  if (length > 0 && length < 32768) return free_on_disk(narrow({path, length}));
  note_error();
  return std::nullopt;
}

}  // namespace lacuna

#include "model/base/os/files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace lacuna {
namespace {

template <class Call>
auto uninterrupted(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

FileFacts as_facts(const struct stat& found) {
  using Kind = FileFacts::Kind;
  FileFacts facts;
  facts.kind = S_ISREG(found.st_mode)    ? Kind::kRegular
               : S_ISDIR(found.st_mode)  ? Kind::kFolder
               : S_ISLNK(found.st_mode)  ? Kind::kLink
               : S_ISFIFO(found.st_mode) ? Kind::kPipe
                                         : Kind::kOther;
  facts.bytes = static_cast<std::uint64_t>(found.st_size);
  facts.modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
  facts.device = found.st_dev;
  facts.number = found.st_ino;
  facts.permissions = found.st_mode & 0777;
  facts.is_own = found.st_uid == ::geteuid();
  return facts;
}

std::uint64_t free_bytes(const struct statvfs& found) {
  return std::uint64_t{found.f_bavail} * found.f_frsize;
}

}  // namespace

bool Descriptor::close() {
  return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
}

std::optional<FileFacts> facts_of(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 ? std::optional(as_facts(found)) : std::nullopt;
}
std::optional<FileFacts> facts_at(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(as_facts(found)) : std::nullopt;
}
std::optional<FileFacts> facts_of_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? std::optional(as_facts(found)) : std::nullopt;
}

bool may_write_into(const std::string& folder) {
  return ::access(folder.c_str(), W_OK) == 0;
}

Descriptor open_for_reading(const std::string& path, LinkRule links) {
  const int refused = links == LinkRule::kRefuse ? O_NOFOLLOW : 0;
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | refused); }));
}
Descriptor open_for_writing(const std::string& path) {
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
}
Descriptor create_file(const std::string& path, Readers readers) {
  const mode_t mode = readers == Readers::kAll ? 0666 : 0600;
  return Descriptor(
      uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode); }));
}
void wait_as_usual(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
}
bool wait_readable(int descriptor, int milliseconds) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, milliseconds) != 0;
}
void expect_sequential_reads(int descriptor) {
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> out, int* error) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = uninterrupted(
        [&] { return ::pread(descriptor, out.data() + done, out.size() - done, static_cast<off_t>(offset + done)); });
    if (got < 0 && error != nullptr) *error = errno;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}
std::optional<std::size_t> read_next(int descriptor, std::span<char> out) {
  const ssize_t got = uninterrupted([&] { return ::read(descriptor, out.data(), out.size()); });
  return got < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(got));
}
std::optional<std::size_t> write_some(int descriptor, std::string_view bytes) {
  const ssize_t put = uninterrupted([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
  if (put == 0 && !bytes.empty()) errno = ENOSPC;
  return put < 0 || (put == 0 && !bytes.empty()) ? std::nullopt : std::optional(static_cast<std::size_t>(put));
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
  while (!bytes.empty()) {
    const ssize_t put =
        uninterrupted([&] { return ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put == 0) errno = ENOSPC;
    if (put <= 0) return false;
    offset += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool remove_file(const std::string& path) {
  return ::unlink(path.c_str()) == 0;
}
bool rename_file(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}
bool rename_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else the file system does not know it
  if (::link(from.c_str(), to.c_str()) != 0) return false;
  ::unlink(from.c_str());
  return true;
}
void set_permissions(int descriptor, std::uint32_t permissions) {
  (void)::fchmod(descriptor, permissions);
}
void note_use(int descriptor) {
  (void)::futimens(descriptor, nullptr);
}
bool lock_file(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

Descriptor create_temporary(std::string& prefix) {
  prefix += "XXXXXX";
  return Descriptor(::mkostemp(prefix.data(), O_CLOEXEC));
}
bool create_temporary_folder(std::string& prefix) {
  prefix += "XXXXXX";
  return ::mkdtemp(prefix.data()) != nullptr;
}

Descriptor create_nameless(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.is_open() || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = folder + "/spill.";
  file = create_temporary(name);
  if (file.is_open()) ::unlink(name.c_str());
  return file;
}
Descriptor create_in_memory() {
#if defined(__linux__)
  return Descriptor(::memfd_create("lacuna", MFD_CLOEXEC));
#else
  return {};
#endif
}
bool lies_in_memory(int descriptor) {
  constexpr long kTmpfs = 0x01021994;
  constexpr long kRamfs = 0x858458f6;
  struct statfs found {};
  return ::fstatfs(descriptor, &found) == 0 && (found.f_type == kTmpfs || found.f_type == kRamfs);
}
bool resize_file(int descriptor, std::uint64_t bytes) {
  return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}
bool reserve_on_disk(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  int error = 0;
  do {
    error = ::posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (error == EINTR);
  errno = error;
  return error == 0;
}
void discard_part([[maybe_unused]] int descriptor, [[maybe_unused]] std::uint64_t offset,
                  [[maybe_unused]] std::uint64_t bytes) {
#if defined(__linux__)
  (void)::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(bytes));
#endif
}
void begin_writing_out([[maybe_unused]] int descriptor) {
#if defined(__linux__)
  (void)::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}
bool wait_written_out([[maybe_unused]] int descriptor, [[maybe_unused]] std::uint64_t offset,
                      [[maybe_unused]] std::uint64_t bytes) {
#if defined(__linux__)
  if (::sync_file_range(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) != 0)
    return errno == ENOSYS || errno == ESPIPE;
#endif
  return true;
}
std::optional<std::uint64_t> free_on_disk(const std::string& path) {
  struct statvfs found {};
  return ::statvfs(path.c_str(), &found) == 0 ? std::optional(free_bytes(found)) : std::nullopt;
}
std::optional<std::uint64_t> free_on_disk(int descriptor) {
  struct statvfs found {};
  return ::fstatvfs(descriptor, &found) == 0 ? std::optional(free_bytes(found)) : std::nullopt;
}

}  // namespace lacuna

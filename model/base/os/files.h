#pragma once
// File operations of the operating system. After a failure errno says why until the next call. Calls interrupted by
// signals are repeated. Any thread. Paths are UTF-8, with '/' between folders; Windows takes '\\' as well.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/os/descriptor.h"

namespace lacuna {

/// Metadata of a file.
struct FileFacts {
  enum class Kind : std::uint8_t { kRegular, kFolder, kLink, kPipe, kOther };
  Kind kind = Kind::kOther;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint64_t device = 0;
  std::uint64_t number = 0;       ///< inode number: identifies the file on its device
  std::uint32_t permissions = 0;  ///< rwxrwxrwx; on Windows what the file's access list comes to
  bool is_own = false;            ///< owned by the user who runs this process

  bool is_regular() const { return kind == Kind::kRegular; }
  bool is_folder() const { return kind == Kind::kFolder; }
  /// Whether this user owns it and no other user can write to it.
  bool is_safe() const { return is_own && (permissions & 022) == 0; }
  /// Whether this user owns it and no other user has any access.
  bool is_private() const { return is_own && (permissions & 077) == 0; }
  bool is_same_file(const FileFacts& other) const { return device == other.device && number == other.number; }
};
std::optional<FileFacts> facts_of(int descriptor);
std::optional<FileFacts> facts_at(const std::string& path);
/// Returns the metadata of a symbolic link itself, not of its target.
std::optional<FileFacts> facts_of_link(const std::string& path);

/// Whether this process may create files in a folder: false on a read-only disk.
bool may_write_into(const std::string& folder);

enum class LinkRule : bool { kFollow, kRefuse };
/// Opens for reading. Neither opening nor reading a pipe waits for its writer (see wait_as_usual).
Descriptor open_for_reading(const std::string& path, LinkRule links = LinkRule::kFollow);
/// Opens an existing file for writing.
Descriptor open_for_writing(const std::string& path);
/// Creates a file for writing; fails with EEXIST where there is one.
enum class Readers : bool { kOwner, kAll };  ///< all: as the user's mask allows
Descriptor create_file(const std::string& path, Readers readers = Readers::kAll);
/// Makes reads of a pipe wait for its writer from now on.
void wait_as_usual(int descriptor);
/// Whether a read would not block; waits up to `milliseconds` for that.
bool wait_readable(int descriptor, int milliseconds);
/// Advises the system that the file will be read from front to end.
void expect_sequential_reads(int descriptor);

/// Fills `out` from `offset` on, as far as the file reaches. `error`, if given, receives the errno of a failed read.
std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> out, int* error = nullptr);
/// Reads the next bytes of a pipe or file; 0 at its end, nothing on failure.
std::optional<std::size_t> read_next(int descriptor, std::span<char> out);
bool write_all(int descriptor, std::string_view bytes);
/// Writes as many bytes as the system accepts at once, at least one; returns how many, nothing on failure.
std::optional<std::size_t> write_some(int descriptor, std::string_view bytes);
bool write_at(int descriptor, std::uint64_t offset, std::string_view bytes);

bool remove_file(const std::string& path);
/// Renames a file, replacing any file at `to`. Where a Windows older than 10, or Wine, finds that file open, there is a
/// moment in which `to` names none.
bool rename_file(const std::string& from, const std::string& to);
/// Renames without replacing: fails with EEXIST when there is a file at `to`.
bool rename_to_free(const std::string& from, const std::string& to);
/// Windows: no more than whether it may be written.
void set_permissions(int descriptor, std::uint32_t permissions);
/// Marks the file as used just now, for clean-ups that go by time of use.
void note_use(int descriptor);
/// Locks the file until the last duplicate of this descriptor is closed. False: another process holds the lock. True
/// where files cannot be locked, since it is unknown there.
bool lock_file(int descriptor);

/// Creates a file of this user alone under an unpredictable name: `prefix`, to which six characters are added.
Descriptor create_temporary(std::string& prefix);
/// Creates a folder likewise. False: it could not be created.
bool create_temporary_folder(std::string& prefix);

// Files as memory for tables.

/// Creates an unlinked file in a folder; it is deleted when its descriptor is closed. On Windows it has a name until
/// then.
Descriptor create_nameless(const std::string& folder);
/// Creates a file in memory; none where the system has no such files (Windows).
Descriptor create_in_memory();
/// Whether the file is on a file system in memory.
bool lies_in_memory(int descriptor);
bool resize_file(int descriptor, std::uint64_t bytes);
/// Reserves disk space, so that later writes cannot fail for lack of it.
bool reserve_on_disk(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// Frees a part of a file; it reads as zeros afterwards, or unchanged where the system cannot do that.
void discard_part(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// Starts writing the file's dirty pages to disk.
void begin_writing_out(int descriptor);
/// Waits until a part of the file is on disk, where the system supports that; false: the disk failed.
bool wait_written_out(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// Returns the bytes that this user may still write to the disk that holds `path`; nothing when the path is missing.
std::optional<std::uint64_t> free_on_disk(const std::string& path);
std::optional<std::uint64_t> free_on_disk(int descriptor);

}  // namespace lacuna

#pragma once
// Files as the system has them. Where a call fails, errno says why until the next call. Interruptions by signals are
// not failures: a call begins again. Any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/os/descriptor.h"

namespace lacuna {

/// What the system knows of a file.
struct FileFacts {
  enum class Kind : std::uint8_t { kRegular, kFolder, kLink, kPipe, kOther };
  Kind kind = Kind::kOther;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint64_t device = 0;
  std::uint64_t number = 0;       ///< on the device; with it, which file it is
  std::uint32_t permissions = 0;  ///< rwxrwxrwx
  bool is_own = false;            ///< of the user who runs this process

  bool is_regular() const { return kind == Kind::kRegular; }
  bool is_folder() const { return kind == Kind::kFolder; }
  /// Owned by this user; no other user can write into it.
  bool is_safe() const { return is_own && (permissions & 022) == 0; }
  /// Owned by this user; no other user has any access.
  bool is_private() const { return is_own && (permissions & 077) == 0; }
  bool is_same_file(const FileFacts& other) const { return device == other.device && number == other.number; }
};
std::optional<FileFacts> facts_of(int descriptor);
std::optional<FileFacts> facts_at(const std::string& path);
/// Of a link, and not of what it leads to.
std::optional<FileFacts> facts_of_link(const std::string& path);

/// Whether this process may make files in a folder: not where its disk cannot be written.
bool may_write_into(const std::string& folder);

enum class LinkRule : bool { kFollow, kRefuse };
/// For reading. Opening a pipe does not wait for its writer, nor does reading it (wait_as_usual).
Descriptor open_for_reading(const std::string& path, LinkRule links = LinkRule::kFollow);
/// For writing into what is there.
Descriptor open_for_writing(const std::string& path);
/// Makes a file that is not there yet, for writing; errno is EEXIST where something is.
enum class Readers : bool { kOwner, kAll };  ///< all: as the user's mask allows
Descriptor create_file(const std::string& path, Readers readers = Readers::kAll);
/// Reads of a pipe wait for its writer from here on.
void wait_as_usual(int descriptor);
/// Whether a read would not wait, after `milliseconds` at most.
bool wait_readable(int descriptor, int milliseconds);
/// The file is read from its front to its end: advice.
void expect_sequential_reads(int descriptor);

/// Fills `out` from `offset` on, as far as the file reaches. `error`, where given, gets errno of a read that failed.
std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> out, int* error = nullptr);
/// What is there next, of a pipe or a file; 0 at its end, nothing on failure.
std::optional<std::size_t> read_next(int descriptor, std::span<char> out);
bool write_all(int descriptor, std::string_view bytes);
/// What the system takes of it at once, at least a byte; nothing on failure.
std::optional<std::size_t> write_some(int descriptor, std::string_view bytes);
bool write_at(int descriptor, std::uint64_t offset, std::string_view bytes);

bool remove_file(const std::string& path);
/// Replaces what is at `to`.
bool rename_file(const std::string& from, const std::string& to);
/// Never replaces: where something is at `to`, errno is EEXIST.
bool rename_to_free(const std::string& from, const std::string& to);
void set_permissions(int descriptor, std::uint32_t permissions);
/// It was used just now: advice for who clears up by time.
void note_use(int descriptor);
/// Until the last descriptor of this opening is closed. False: another process has it. Where files cannot be locked
/// nobody knows, and it is true.
bool lock_file(int descriptor);

/// A file of this user alone under an unpredictable name: `prefix`, to which six characters are added.
Descriptor create_temporary(std::string& prefix);
/// The same for a folder. False: it could not be made.
bool create_temporary_folder(std::string& prefix);

// A file as room for tables.

/// A new file in a folder of which no name is left; it goes with its descriptor.
Descriptor create_nameless(const std::string& folder);
/// A new file in memory; none where the system has no such files.
Descriptor create_in_memory();
/// Whether the file has no disk behind it.
bool lies_in_memory(int descriptor);
bool resize_file(int descriptor, std::uint64_t bytes);
/// Reserves room on the disk, so that writing into it cannot fail for want of it.
bool reserve_on_disk(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// Gives a part of a file back to the system; it reads as zeros afterwards, or as before where the system cannot.
void discard_part(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// The system begins to write what it holds of the file.
void begin_writing_out(int descriptor);
/// Waits until a part of the file is on the disk, where the system can; false: the disk failed.
bool wait_written_out(int descriptor, std::uint64_t offset, std::uint64_t bytes);
/// What this user may write on the disk that holds `path`; nothing where there is no such path.
std::optional<std::uint64_t> free_on_disk(const std::string& path);
std::optional<std::uint64_t> free_on_disk(int descriptor);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/input/bytes.h"

namespace lacuna {

/// A file in an archive.
struct ArchiveMember {
  enum class Storage : std::uint8_t { kPlain, kDeflate, kZstd };
  std::string name;          ///< parts with '/' between them, none of them empty, "." or ".."
  std::uint64_t begin = 0;   ///< offset of its bytes in the archive
  std::uint64_t stored = 0;  ///< number of bytes in the archive
  std::uint64_t size = 0;    ///< number of bytes after decompression
  Storage storage = Storage::kPlain;
  std::optional<std::uint32_t> checksum = {};  ///< CRC-32 of the decompressed bytes
  std::string obstacle = {};                   ///< why it cannot be read; "" if it can
};

/// A zip or tar archive, whose files open by paths that lead into it: "runs.zip/rank0.json". Nothing is unpacked to
/// disk, and names in it never reach the file system. An archive's own claims are not trusted: sizes, offsets
/// and counts are checked before use, and the decompressed size is limited as for gzip. Any thread.
class OpenedArchive {
 public:
  static constexpr std::uint64_t kMostMembers = 1'000'000;

  /// Opens the archive at `path`, which may lead into another archive; null if the file is no archive, or a pipe. A tar
  /// archive in gzip or zstd is decompressed to be listed, and stays in memory while it or a file of it is referenced;
  /// meanwhile opening it again costs nothing. Blocking. Errors: those of open_file(); kNotATrace for a damaged
  /// archive; kLimit.
  static Result<std::shared_ptr<const OpenedArchive>> open(const std::string& path, std::uint64_t most_bytes,
                                                           ImportProgress* progress);

  OpenedArchive(std::shared_ptr<ImportBytes> bytes, std::string_view title, std::vector<ArchiveMember> members);

  std::string_view title() const { return title_; }  ///< "zip" or "tar"
  /// Its regular files, sorted by name; if several share a name, the last. Links, folders and devices are left out.
  const std::vector<ArchiveMember>& members() const { return members_; }
  const ArchiveMember* find(std::string_view name) const;
  /// Errors: kUnsupported for a member with an obstacle, kLimit if it decompresses to more than `most_bytes`.
  Result<OpenedFile> open_member(const ArchiveMember& member, std::uint64_t most_bytes,
                                 const ImportProgress* progress) const;

 private:
  std::shared_ptr<ImportBytes> bytes_;
  std::string title_;
  std::vector<ArchiveMember> members_;
};

/// Returns the file on disk that a path names or leads into: "runs.zip" for "runs.zip/rank0.json". `path` itself if
/// there is no such file.
std::string file_on_disk(const std::string& path);

/// Opens a file in an archive, or in a nested archive, like open_file(), which calls this.
Result<OpenedFile> open_in_archive(const std::string& path, std::uint64_t most_bytes, ImportProgress* progress);

}  // namespace lacuna

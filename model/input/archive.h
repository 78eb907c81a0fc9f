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
  std::uint64_t begin = 0;   ///< where its bytes lie in the archive
  std::uint64_t stored = 0;  ///< how many there are
  std::uint64_t size = 0;    ///< how many come out
  Storage storage = Storage::kPlain;
  std::optional<std::uint32_t> checksum = {};  ///< CRC-32 of what comes out
  std::string obstacle = {};                   ///< why it cannot be read; "" if it can
};

/// A zip or tar archive, whose files open by paths that lead into it: "runs.zip/rank0.json". Nothing is unpacked to
/// disk, and names in it never reach the file system. What an archive says of itself is not believed: sizes, offsets
/// and counts are checked before use, and what comes out is bounded as that of gzip is. Any thread.
class OpenedArchive {
 public:
  static constexpr std::uint64_t kMostMembers = 1'000'000;

  /// The archive at `path`, which may lead into another one; null where the file is none, or a pipe. A tar archive in
  /// gzip or zstd is decompressed to be listed, and kept so while anybody holds it or a file of it; as long as it is
  /// held, opening it again takes no time. Blocking. Errors: those of open_file(); kNotATrace where an archive is
  /// damaged; kLimit.
  static Result<std::shared_ptr<const OpenedArchive>> open(const std::string& path, std::uint64_t most_bytes,
                                                           ImportProgress* progress);

  OpenedArchive(std::shared_ptr<ImportBytes> bytes, std::string_view title, std::vector<ArchiveMember> members);

  std::string_view title() const { return title_; }  ///< "zip" or "tar"
  /// Its plain files, sorted by name; of several with one name the last. Links, folders and devices are none.
  const std::vector<ArchiveMember>& members() const { return members_; }
  const ArchiveMember* find(std::string_view name) const;
  /// Errors: kUnsupported for what has an obstacle, kLimit where more than `most_bytes` are to come out.
  Result<OpenedFile> open_member(const ArchiveMember& member, std::uint64_t most_bytes,
                                 const ImportProgress* progress) const;

 private:
  std::shared_ptr<ImportBytes> bytes_;
  std::string title_;
  std::vector<ArchiveMember> members_;
};

/// The file on disk that a path leads to or into: "runs.zip" of "runs.zip/rank0.json". `path` itself where nothing of
/// the kind is there.
std::string file_on_disk(const std::string& path);

/// Opens a file in an archive, or in one in an archive; as open_file() does, which calls this.
Result<OpenedFile> open_in_archive(const std::string& path, std::uint64_t most_bytes, ImportProgress* progress);

}  // namespace lacuna

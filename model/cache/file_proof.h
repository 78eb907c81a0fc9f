#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lacuna {

/// What shows that a file is the one that was read: its size, when it was written, and a checksum of a sample of
/// its bytes (its ends and 62 places between them), for those who write into a file and put its time back.
struct FileProof {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t sample = 0;

  bool operator==(const FileProof&) const = default;
};

/// Of a path into an archive, that of the archive. Nothing for what is no regular file or cannot be read. Blocking:
/// some 64 short reads.
std::optional<FileProof> prove_file(const std::string& path);

}  // namespace lacuna

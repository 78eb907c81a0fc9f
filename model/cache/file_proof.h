#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lacuna {

/// Proves that a file is unchanged: its size, its modification time, and a checksum of a sample of
/// its bytes (its ends and 62 places between them), against programs that write to a file and restore its time.
struct FileProof {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t sample = 0;

  bool operator==(const FileProof&) const = default;
};

/// Returns the proof of a file; for a path into an archive, that of the archive. Nothing for files that are not regular
/// or cannot be read. Blocking: about 64 short reads.
std::optional<FileProof> prove_file(const std::string& path);

}  // namespace lacuna

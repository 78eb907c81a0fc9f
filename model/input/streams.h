#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/byte_source.h"
#include "model/base/result.h"

namespace lacuna {

/// A sequence of bytes: a file, a pipe, or the output of a decompressor of another
/// stream. One thread.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Fills `out` from its start; returns the number of bytes. 0 at the end of the data or on an error().
  virtual std::size_t read(std::span<char> out) = 0;
  /// Whether the data end early or are damaged; what was read before that is valid.
  virtual bool is_truncated() const { return false; }
  /// Number of bytes behind the end of the compressed data that are not compressed data.
  virtual std::uint64_t garbage_bytes() const { return 0; }
  /// The operating system's message if reading failed.
  virtual std::string error() const { return {}; }
};

/// Name suffixes of compressed files.
inline constexpr std::array<std::string_view, 2> kContainerEndings{".gz", ".zst"};
/// The compression of a stream, detected by its first bytes.
enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
Compression detect_compression(std::span<const char> head);

/// Decompresses gzip (any number of members, checksums verified) with ISA-L.
std::unique_ptr<Stream> make_gzip_stream(std::unique_ptr<Stream> inner);
/// Decompresses one gzip member; leaves the bytes after it alone.
class GzipMember : public Stream {
 public:
  /// Whether the member is complete, checksum included.
  virtual bool is_whole() const = 0;
  /// Compressed bytes consumed so far; for a complete member, its size.
  virtual std::uint64_t used_bytes() const = 0;
};
std::unique_ptr<GzipMember> make_gzip_member(std::unique_ptr<Stream> inner);
/// Decompresses zlib data (RFC 1950), as embedded in other formats; leaves the bytes after them alone.
std::unique_ptr<Stream> make_zlib_stream(std::unique_ptr<Stream> inner);
/// Decompresses raw deflate (RFC 1951), as stored in zip archives.
std::unique_ptr<Stream> make_deflate_stream(std::unique_ptr<Stream> inner);
/// Decompresses zstd (any number of frames, skippable ones too, checksums verified).
std::unique_ptr<Stream> make_zstd_stream(std::unique_ptr<Stream> inner);
/// Reads `source`, which must outlive the stream, from an offset on.
std::unique_ptr<Stream> make_source_stream(const ByteSource& source, std::uint64_t offset);
/// Delivers `head` first, then the rest of `inner`.
std::unique_ptr<Stream> make_joined_stream(std::string head, std::unique_ptr<Stream> inner);

}  // namespace lacuna

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

/// Bytes that come one after the other: a file, a pipe, or what a decompressor makes of another
/// stream. One thread.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Fills `out` from its start; returns how much. 0 at the end of the data or at an error().
  virtual std::size_t read(std::span<char> out) = 0;
  /// The data end before they should, or are damaged; what was read until here is good.
  virtual bool is_truncated() const { return false; }
  /// Bytes behind the end of the compressed data that are not compressed data.
  virtual std::uint64_t garbage_bytes() const { return 0; }
  /// The operating system's words when reading failed.
  virtual std::string error() const { return {}; }
};

/// What the names of compressed files end with.
inline constexpr std::array<std::string_view, 2> kContainerEndings{".gz", ".zst"};
/// What a stream holds, judged by its first bytes.
enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
Compression detect_compression(std::span<const char> head);

/// gzip (any number of members, checksums verified) by ISA-L.
std::unique_ptr<Stream> make_gzip_stream(std::unique_ptr<Stream> inner);
/// One gzip member; what follows it is left alone.
class GzipMember : public Stream {
 public:
  /// The member has ended as it should, checksum included.
  virtual bool is_whole() const = 0;
  /// Compressed bytes taken so far; of a whole member, its size.
  virtual std::uint64_t used_bytes() const = 0;
};
std::unique_ptr<GzipMember> make_gzip_member(std::unique_ptr<Stream> inner);
/// zlib (RFC 1950), as it lies inside other formats; what follows it is left alone.
std::unique_ptr<Stream> make_zlib_stream(std::unique_ptr<Stream> inner);
/// Raw deflate (RFC 1951), as zip archives hold it.
std::unique_ptr<Stream> make_deflate_stream(std::unique_ptr<Stream> inner);
/// zstd (any number of frames, skippable ones too, checksums verified).
std::unique_ptr<Stream> make_zstd_stream(std::unique_ptr<Stream> inner);
/// `source`, which must live as long, from an offset on.
std::unique_ptr<Stream> make_source_stream(const ByteSource& source, std::uint64_t offset);
/// Delivers `head` first, then the rest of `inner`.
std::unique_ptr<Stream> make_joined_stream(std::string head, std::unique_ptr<Stream> inner);

}  // namespace lacuna

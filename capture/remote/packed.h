#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna {

/// Limit of the unpacked size of one piece of a packed stream.
inline constexpr std::size_t kMostUnpacked = std::size_t{512} << 10;

/// Writes one zstd stream in pieces: each can be unpacked after those before it. One thread.
class PackedWriter {
 public:
  /// `window_log`: matches are searched in the last 2^`window_log` bytes, at most 8 MiB.
  explicit PackedWriter(int window_log = 21);
  ~PackedWriter();
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;
  /// Packs at most kMostUnpacked bytes. Returns an empty string if out of memory.
  std::string pack(std::string_view bytes);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// Reads a PackedWriter's stream. Untrusted input: a piece never unpacks to more than kMostUnpacked bytes, and a window
/// beyond 8 MiB is refused.
class PackedReader {
 public:
  PackedReader();
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;
  PackedReader& operator=(const PackedReader&) = delete;
  /// Unpacks into `out`, replacing its contents. Returns false if the stream is invalid; stop unpacking then.
  bool unpack(std::string_view piece, std::string& out);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace lacuna

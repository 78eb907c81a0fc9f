#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna {

/// Most bytes that one piece of a packed stream stands for.
inline constexpr std::size_t kMostUnpacked = std::size_t{512} << 10;

/// One stream of zstd, piece by piece: each piece can be unpacked once those before it were. One thread.
class PackedWriter {
 public:
  /// A window of 2^`window_log` bytes, at most 8 MiB: how far back the same bytes are found.
  explicit PackedWriter(int window_log = 21);
  ~PackedWriter();
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;
  /// Packs at most kMostUnpacked bytes. Empty: there is no memory.
  std::string pack(std::string_view bytes);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// The other end. What comes in is not trusted: a piece never unpacks to more than kMostUnpacked bytes, and a window
/// beyond 8 MiB is refused.
class PackedReader {
 public:
  PackedReader();
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;
  PackedReader& operator=(const PackedReader&) = delete;
  /// Into `out`, which is replaced. False: this is no such stream; nothing more may be unpacked then.
  bool unpack(std::string_view piece, std::string& out);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lacuna {

/// Random access to the (decompressed) bytes of a trace, for as long as the trace is open: the
/// importer reads it once, the details panel later reads the args of the one slice selected.
/// Implementations: model/input/bytes.h. Any thread may call; errors show as short reads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Copies up to out.size() bytes from `offset`; returns how many. Fewer only at the end of the
  /// data (or where the file was truncated meanwhile).
  virtual std::size_t read_at(std::uint64_t offset, std::span<char> out) const = 0;
  /// Number of bytes, once known (a compressed source knows it when it has been read through).
  virtual std::uint64_t size() const = 0;
  /// Whether the data differ from those that were imported (another program wrote to the file).
  virtual bool has_changed() const { return false; }
  /// Heap bytes held.
  virtual std::size_t memory_bytes() const { return 0; }
};

}  // namespace lacuna

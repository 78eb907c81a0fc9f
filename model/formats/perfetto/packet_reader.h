#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/input/byte_window.h"
#include "model/input/growing_bytes.h"

namespace lacuna {

/// Where a packet is stored: in the file, or in the data decompressed from it.
struct PacketPlace {
  std::uint64_t offset = 0;  ///< of its first byte, behind the length prefix
  std::uint32_t size = 0;
  bool is_inflated = false;

  /// Returns the offset for the report: only packets of the file have one, not those that were compressed.
  std::uint64_t reported() const { return is_inflated ? ~std::uint64_t{0} : offset; }
};

/// The packets of a Perfetto trace, in file order. Iterates over them once; any of them can be read
/// again. One thread.
class PacketReader {
 public:
  static constexpr std::uint32_t kLargestPacket = 256u << 20;

  /// `file` must outlive the reader. `most_bytes` limits the decompressed data, which is kept.
  PacketReader(const ByteSource& file, std::uint64_t most_bytes)
      : file_(file), most_bytes_(most_bytes), ahead_(file), inflated_ahead_(inflated_) {}

  struct Packet {
    PacketPlace place;
    std::string_view bytes;  ///< valid until the next call of next()
  };
  /// Returns the next packet; nothing at the end, or if the rest is not a trace.
  std::optional<Packet> next();

  /// If the packet that next() returned holds compressed packets: makes these the next ones.
  void enter(std::string_view compressed, bool is_zstd);

  /// How the iteration ended, once next() has returned nothing.
  enum class End : std::uint8_t { kWhole, kCutOff, kNotATrace };
  End end() const { return end_; }
  std::uint64_t offset() const { return offset_; }  ///< how far the file has been read
  /// Number of compressed packets that are damaged, partly or completely.
  std::uint64_t damaged() const { return damaged_; }
  /// kLimit if the decompressed packets are too large to keep.
  const Result<void>& state() const { return state_; }

  /// Returns a packet that next() returned before. The results of the last two calls with different `slot` (0 or 1) are
  /// both valid. Packets of many threads in order of time are in as many places of the file: the reader caches recent
  /// blocks, so that little is read twice.
  std::string_view again(const PacketPlace& place, unsigned slot);

 private:
  /// The part of the file around the current position.
  struct Window {
    explicit Window(const ByteSource& source) : bytes(source) {}
    std::string_view at(std::uint64_t offset, std::size_t size);
    ByteWindow bytes;
    std::uint64_t begin = 0;
    std::string_view view;
  };
  static constexpr std::size_t kBlockBytes = 16 * 1024, kBlocks = 512;
  struct Block {
    std::uint64_t number = ~std::uint64_t{0};
    bool is_inflated = false;
    std::vector<char> bytes;
  };
  struct Inflated {
    std::uint64_t begin = 0, end = 0;
  };

  std::optional<Packet> next_inflated();
  std::string_view block(std::uint64_t number, bool is_inflated);

  const ByteSource& file_;
  const std::uint64_t most_bytes_;
  GrowingBytes inflated_;
  Window ahead_, inflated_ahead_;
  std::vector<Block> blocks_;
  std::array<std::string, 2> again_;
  std::uint64_t offset_ = 0;
  Inflated open_;  // unread rest of the current compressed packet
  End end_ = End::kWhole;
  std::uint64_t damaged_ = 0;
  Result<void> state_;
};

}  // namespace lacuna

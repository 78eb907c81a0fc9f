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

/// Where a packet lies: in the file, or in what was decompressed of it.
struct PacketPlace {
  std::uint64_t offset = 0;  ///< of its first byte, behind its length
  std::uint32_t size = 0;
  bool is_inflated = false;

  /// For the report: of the file, and none of what lay compressed in it.
  std::uint64_t reported() const { return is_inflated ? ~std::uint64_t{0} : offset; }
};

/// The packets of a Perfetto trace, in the order of the file. They are walked once, and any of them can be looked at
/// again. One thread.
class PacketReader {
 public:
  static constexpr std::uint32_t kLargestPacket = 256u << 20;

  /// `file` outlives it. `most_bytes`: of what is decompressed, which is kept.
  PacketReader(const ByteSource& file, std::uint64_t most_bytes)
      : file_(file), most_bytes_(most_bytes), ahead_(file), inflated_ahead_(inflated_) {}

  struct Packet {
    PacketPlace place;
    std::string_view bytes;  ///< until the next call of next()
  };
  /// Nothing at the end, and where the rest is no trace.
  std::optional<Packet> next();

  /// For the packet that next() gave last, when it holds nothing but others, compressed: those come next.
  void enter(std::string_view compressed, bool is_zstd);

  /// How the walk ended, once next() has given nothing.
  enum class End : std::uint8_t { kWhole, kCutOff, kNotATrace };
  End end() const { return end_; }
  std::uint64_t offset() const { return offset_; }  ///< of the file: so far has it been walked
  /// Compressed packets that are damaged, in part or as a whole.
  std::uint64_t damaged() const { return damaged_; }
  /// kLimit where decompressed packets are too large to keep.
  const Result<void>& state() const { return state_; }

  /// A packet that next() gave before. Of the last two that were asked for, with different `slot` (0 or 1), both are
  /// valid. In order of time, packets of many threads lie in as many places of the file: blocks of the last of them
  /// stay here, so that little is read twice.
  std::string_view again(const PacketPlace& place, unsigned slot);

 private:
  /// The part of the file that the walk is in.
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
  Inflated open_;  // what is left of the compressed packet that is being walked
  End end_ = End::kWhole;
  std::uint64_t damaged_ = 0;
  Result<void> state_;
};

}  // namespace lacuna

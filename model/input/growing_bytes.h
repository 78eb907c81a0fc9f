#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"

namespace lacuna {

inline constexpr std::size_t kByteBlock = std::size_t{4} << 20;

struct FreeByteBlock {
  void operator()(char* block) const;
};
/// kByteBlock bytes, on disk if tables are spilled there (spill_space.h). Allocation throws std::bad_alloc.
using ByteBlock = std::unique_ptr<char[], FreeByteBlock>;
ByteBlock make_byte_block();

/// Bytes that are appended and kept, in blocks that never move. One thread appends; meanwhile any thread reads
/// the bytes appended so far.
class GrowingBytes final : public ByteSource {
 public:
  /// Errors: kLimit when memory is short, or the total would exceed `most_bytes`; nothing is added then.
  Result<void> append(std::string_view bytes, std::uint64_t most_bytes);

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override;
  std::uint64_t size() const override;
  std::size_t memory_bytes() const override;

 private:
  mutable std::mutex mutex_;
  std::vector<ByteBlock> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace lacuna

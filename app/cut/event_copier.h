#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"

namespace lacuna {

/// Reads JSON objects of a file by their byte offsets, which must ascend: in large sequential reads, because a
/// compressed source restarts at an earlier point for each read.
class EventCopier {
 public:
  explicit EventCopier(const ByteSource& bytes) : bytes_(bytes) {}
  /// The text of the object that begins at `offset`; empty when it is damaged, longer than 16 MiB, or not
  /// there. Valid until the next call.
  std::string_view at(std::uint64_t offset);

 private:
  static constexpr std::size_t kBlock = 1u << 20;
  static constexpr std::size_t kMost = 16u << 20;

  std::string_view complete(std::size_t from) const;
  void read(std::uint64_t offset, std::size_t size);

  const ByteSource& bytes_;
  std::vector<char> block_;
  std::uint64_t block_offset_ = 0;
};

}  // namespace lacuna

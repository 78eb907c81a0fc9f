#include "model/base/sealed_tables.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lacuna {
namespace {

constexpr std::size_t kLeastKept = 512;
constexpr std::size_t kTableAlignment = 64;
constexpr std::size_t kTableBlock = std::size_t{16} << 30;  // address space
constexpr std::size_t kLeastBlock = std::size_t{64} << 20;

}  // namespace

SealedTables::Place SealedTables::keep(std::span<const std::byte> bytes) {
  if (memory_ == nullptr || bytes.size() < kLeastKept) return {};
  if (block_ == nullptr || used_ + bytes.size() > block_->size()) {
    block_ = nullptr;
    for (std::size_t size = std::max(kTableBlock, bytes.size()); !block_ && size >= kLeastBlock; size /= 4)
      block_ = memory_->block(size);
    used_ = 0;
    if (block_ == nullptr || bytes.size() > block_->size()) return {};
  }
  std::byte* const at = block_->data() + used_;
  std::memcpy(at, bytes.data(), bytes.size());
  used_ = (used_ + bytes.size() + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
  block_->seal(std::array{SealedBytes{0, std::min(used_, block_->size())}});
  return {block_, at};
}

}  // namespace lacuna

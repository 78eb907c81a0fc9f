#include "model/input/growing_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "model/base/os/pages.h"
#include "model/base/spill_space.h"
#include "model/input/memory_room.h"

namespace lacuna {

void FreeByteBlock::operator()(char* block) const {
  if (is_spilled(block)) return free_spilled(block);
  free_large_pages(block);
}

ByteBlock make_byte_block() {
  if (is_spilling()) {
    ByteBlock spilled(static_cast<char*>(spill(kByteBlock)));
    if (!spilled) throw std::bad_alloc();
    return spilled;
  }
  ByteBlock block(static_cast<char*>(allocate_large_pages(kByteBlock)));
  if (!block) throw std::bad_alloc();
  return block;
}

Result<void> GrowingBytes::append(std::string_view bytes, std::uint64_t most_bytes) {
  std::uint64_t at = size_;  // only this thread changes it
  if (bytes.size() > most_bytes - std::min(most_bytes, at))
    return fail(ErrorCode::kLimit,
                fmt::format("its events are more than {} of JSON, which is the limit; --max-bytes raises it",
                            describe_bytes(most_bytes)));
  while (!bytes.empty()) {
    const std::size_t into = at % kByteBlock;
    if (into == 0) {
      if (auto room = check_memory_of_stream(at); !room) return room;
      ByteBlock fresh = make_byte_block();
      const std::scoped_lock lock(mutex_);
      blocks_.push_back(std::move(fresh));
    }
    const std::size_t count = std::min(bytes.size(), kByteBlock - into);
    std::memcpy(blocks_.back().get() + into, bytes.data(), count);
    bytes.remove_prefix(count);
    at += count;
  }
  const std::scoped_lock lock(mutex_);
  size_ = at;
  return {};
}

std::size_t GrowingBytes::read_at(std::uint64_t offset, std::span<char> out) const {
  const std::scoped_lock lock(mutex_);
  std::size_t done = 0;
  while (done < out.size() && offset + done < size_) {
    const std::uint64_t at = offset + done;
    const std::size_t into = at % kByteBlock;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>({out.size() - done, kByteBlock - into, size_ - at}));
    std::memcpy(out.data() + done, blocks_[at / kByteBlock].get() + into, count);
    done += count;
  }
  return done;
}

std::uint64_t GrowingBytes::size() const {
  const std::scoped_lock lock(mutex_);
  return size_;
}

std::size_t GrowingBytes::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return blocks_.size() * kByteBlock;
}

}  // namespace lacuna

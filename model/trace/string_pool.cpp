#include "model/trace/string_pool.h"

#include <algorithm>
#include <cstring>

#include "model/base/seeded_hash.h"

namespace lacuna {
namespace {

constexpr std::size_t kPoolBlockBytes = 64 * 1024;
constexpr std::size_t kFirstSlots = 64;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t pool_word(const char* p, std::size_t n) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, n);
  return word;
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  constexpr std::uint64_t k0 = 0xa0761d6478bd642full;
  constexpr std::uint64_t k1 = 0xe7037ed1a0b428dbull;
  std::uint64_t h = mix(text.size() ^ k0, k1);
  const char* p = text.data();
  std::size_t n = text.size();
  for (; n >= 16; p += 16, n -= 16) h = mix(pool_word(p, 8) ^ k0, pool_word(p + 8, 8) ^ h);
  if (n >= 8) {
    h = mix(pool_word(p, 8) ^ k0, h ^ k1);
    p += 8;
    n -= 8;
  }
  return mix(pool_word(p, n) ^ k1, h ^ k0);
}

StringPool::StringPool() : slots_(kFirstSlots), views_{std::string_view{}} {}

std::size_t StringPool::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == 0 || (slot.hash == tag && views_[slot.id] == text)) return i;
  }
}

StringPool StringPool::clone() const {
  StringPool copy;
  copy.slots_ = slots_;
  copy.views_.reserve(views_.size());
  for (std::size_t i = 1; i < views_.size(); ++i) copy.views_.push_back(copy.store(views_[i]));
  return copy;
}

StringId StringPool::find(std::string_view text) const {
  if (text.empty()) return kEmptyString;
  const Slot& slot = slots_[slot_of(text, seeded_hash(text))];
  return slot.id == 0 ? StringId{} : StringId{slot.id};
}

StringId StringPool::intern(std::string_view text) {
  if (text.empty()) return kEmptyString;
  const std::uint64_t hash = seeded_hash(text);
  std::size_t slot = slot_of(text, hash);
  if (slots_[slot].id != 0) return StringId{slots_[slot].id};
  if (views_.size() * 2 > slots_.size()) {
    grow();
    slot = slot_of(text, hash);
  }
  const StringId id{size()};
  views_.push_back(store(text));
  slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), id.value};
  return id;
}

std::string_view StringPool::store(std::string_view text) {
  if (text.size() > block_size_ - block_used_) {
    // Where there is no memory for it all stays as it was: the next text must not go beyond the block before.
    const std::size_t size = std::max(kPoolBlockBytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    block_size_ = size;
    block_used_ = 0;
    text_bytes_ += block_size_;
  }
  char* to = blocks_.back().get() + block_used_;
  std::memcpy(to, text.data(), text.size());
  block_used_ += text.size();
  return {to, text.size()};
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 1; id < size(); ++id) {
    const std::uint64_t hash = seeded_hash(views_[id]);
    std::size_t i = hash & mask;
    while (slots_[i].id != 0) i = (i + 1) & mask;
    slots_[i] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
}

std::size_t StringPool::longest_search() const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].id != 0) longest = std::max(longest, ((i - seeded_hash(views_[slots_[i].id])) & mask) + 1);
  return longest;
}

std::size_t StringPool::memory_bytes() const {
  return text_bytes_ + slots_.capacity() * sizeof(Slot) + views_.capacity() * sizeof(std::string_view);
}

}  // namespace lacuna

#include "capture/collector/name_table.h"

#include <cstring>

#include "capture/collector/memory.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lacuna::collector {
namespace {

std::uint64_t load(const char* from, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15ull) * (b ^ 0xE7037ED1A0B428DBull);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t hash_name(const char* text, std::size_t length) {
  std::uint64_t hash = length;
  std::size_t i = 0;
  for (; i + 16 <= length; i += 16) hash = mix(hash ^ load(text + i, 8), load(text + i + 8, 8));
  if (i + 8 <= length) {
    hash = mix(hash, load(text + i, 8));
    i += 8;
  }
  return mix(hash, load(text + i, length - i));
}

const KnownName* NameTable::find(const char* text, std::size_t length, std::uint64_t hash) const {
  if (slot_count_ == 0) return nullptr;
  for (std::size_t i = hash & (slot_count_ - 1); slots_[i] != nullptr; i = (i + 1) & (slot_count_ - 1)) {
    const KnownName& name = *slots_[i];
    if (name.hash == hash && name.length == length && std::memcmp(name.text, text, length) == 0) return &name;
  }
  return nullptr;
}

const KnownName* NameTable::add(const char* text, std::size_t length, std::uint64_t hash, std::uint32_t id) {
  if (count_ >= kMostNames || text_bytes_ + length > kMostBytes) return nullptr;
  if (2 * (count_ + 1) > slot_count_ && !grow()) return nullptr;
  if (names_left_ == 0) {
    constexpr std::size_t kNames = 1024;
    block_names_ = static_cast<KnownName*>(allocate_forgetting(kNames * sizeof(KnownName)));
    if (block_names_ == nullptr) return nullptr;
    names_left_ = kNames;
  }
  char* copy = store(text, length);
  if (copy == nullptr) return nullptr;
  KnownName* name = block_names_++;
  --names_left_;
  *name = {copy, hash, static_cast<std::uint32_t>(length), id};
  std::size_t i = hash & (slot_count_ - 1);
  while (slots_[i] != nullptr) i = (i + 1) & (slot_count_ - 1);
  slots_[i] = name;
  ++count_;
  return name;
}

bool NameTable::grow() {
  const std::size_t new_count = slot_count_ == 0 ? 1024 : 2 * slot_count_;
  auto** slots = static_cast<KnownName**>(allocate_forgetting(new_count * sizeof(KnownName*)));
  if (slots == nullptr) return false;
  for (std::size_t i = 0; i < slot_count_; ++i) {
    if (slots_[i] == nullptr) continue;
    std::size_t j = slots_[i]->hash & (new_count - 1);
    while (slots[j] != nullptr) j = (j + 1) & (new_count - 1);
    slots[j] = slots_[i];
  }
  if (slots_ != nullptr) munmap(slots_, slot_count_ * sizeof(KnownName*));
  slots_ = slots;
  slot_count_ = new_count;
  return true;
}

char* NameTable::store(const char* text, std::size_t length) {
  // 16 bytes of zeros behind each text: NameCache compares in steps of 16.
  const std::size_t bytes = length + 17;
  if (bytes > text_left_) {
    const std::size_t block = bytes > (std::size_t{1} << 16) ? bytes : std::size_t{1} << 16;
    block_text_ = static_cast<char*>(allocate_forgetting(block));
    if (block_text_ == nullptr) {
      text_left_ = 0;
      return nullptr;
    }
    text_left_ = block;
  }
  char* copy = block_text_;
  std::memcpy(copy, text, length);
  block_text_ += bytes;
  text_left_ -= bytes;
  text_bytes_ += length;
  return copy;
}

// Reads up to 15 bytes behind the text's end, never across a page: no fault, but what a sanitizer
// would call an overflow.
__attribute__((no_sanitize("address", "thread"))) std::uint32_t NameCache::find_address(const char* text) const {
  const ByAddress& entry = by_address_[address_slot(text)];
  if (entry.address != text) return 0;
#if defined(__SSE2__)
  if ((reinterpret_cast<std::uintptr_t>(text) & 4095) <= 4096 - 16) {
    const __m128i now = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i then = _mm_load_si128(reinterpret_cast<const __m128i*>(entry.start));
    const unsigned equal = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(now, then)));
    if (entry.length < 16) {
      const unsigned wanted = (2u << entry.length) - 1;  // the text and its final zero
      return (equal & wanted) == wanted ? entry.id : 0;
    }
    if (equal != 0xffffu) return 0;
    return std::strcmp(text + 16, entry.text + 16) == 0 ? entry.id : 0;
  }
#endif
  return std::strcmp(text, entry.text) == 0 ? entry.id : 0;
}

std::uint32_t NameCache::find_content(const char* text, std::size_t length, std::uint64_t hash) const {
  const ByContent& entry = by_content_[hash % kContents];
  if (entry.name == nullptr || entry.hash != hash || entry.name->length != length) return 0;
  return std::memcmp(entry.name->text, text, length) == 0 ? entry.name->id : 0;
}

void NameCache::remember(const char* address, const KnownName& name) {
  if (address != nullptr) {
    ByAddress& entry = by_address_[address_slot(address)];
    std::memset(entry.start, 0, sizeof entry.start);
    std::memcpy(entry.start, name.text, name.length < sizeof entry.start ? name.length : sizeof entry.start);
    entry.address = address;
    entry.text = name.text;
    entry.id = name.id;
    entry.length = name.length;
  }
  by_content_[name.hash % kContents] = {&name, name.hash};
}

}  // namespace lacuna::collector

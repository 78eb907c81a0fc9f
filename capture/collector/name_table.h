#pragma once

#include <cstddef>
#include <cstdint>

namespace lacuna::collector {

/// Hash of a name; good mixing, a few ns for short names.
std::uint64_t hash_name(const char* text, std::size_t length);

/// A name that got an id. `text` stays valid for the life of the process and ends in a zero.
struct KnownName {
  const char* text = nullptr;
  std::uint64_t hash = 0;
  std::uint32_t length = 0;
  std::uint32_t id = 0;
};

/// All names of the process so far: text -> id. The caller holds the lock of the process.
///
/// Bounded: from kMostBytes of text or kMostNames on nothing more is remembered, and a new name gets
/// a new id each time it comes up; the viewer joins equal names by their text. Lives in memory that a
/// forked child finds empty.
class NameTable {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostNames = std::size_t{1} << 20;

  const KnownName* find(const char* text, std::size_t length, std::uint64_t hash) const;
  /// Remembers a name. Null when it is not remembered (see above).
  const KnownName* add(const char* text, std::size_t length, std::uint64_t hash, std::uint32_t id);

 private:
  bool grow();
  char* store(const char* text, std::size_t length);

  KnownName** slots_ = nullptr;
  std::size_t slot_count_ = 0;
  std::size_t count_ = 0;
  KnownName* block_names_ = nullptr;  // where the next entries go
  std::size_t names_left_ = 0;
  char* block_text_ = nullptr;
  std::size_t text_left_ = 0;
  std::size_t text_bytes_ = 0;
};

/// One thread's memory of names, so that a name it used before costs no lock and no hashing:
/// first by address (checked by content: buffers are reused), then by content.
class NameCache {
 public:
  /// Id of the zero-terminated `text`, or 0 when this thread does not know it by this address.
  std::uint32_t find_address(const char* text) const;
  std::uint32_t find_content(const char* text, std::size_t length, std::uint64_t hash) const;
  void remember(const char* address, const KnownName& name);

 private:
  static constexpr std::size_t kAddresses = 256;
  static constexpr std::size_t kContents = 256;
  struct ByAddress {
    alignas(16) char start[16];  ///< the first bytes of the name, then zeros
    const char* address;
    const char* text;
    std::uint32_t id;
    std::uint32_t length;
    std::uint64_t reserved;
  };
  struct ByContent {
    const KnownName* name;
    std::uint64_t hash;
  };
  static std::size_t address_slot(const char* text) {
    return (reinterpret_cast<std::uintptr_t>(text) * 0x9E3779B97F4A7C15ull) >> 56;
  }

  ByAddress by_address_[kAddresses] = {};
  ByContent by_content_[kContents] = {};
};

}  // namespace lacuna::collector

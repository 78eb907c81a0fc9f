#pragma once

#include <cstddef>
#include <cstdint>

namespace lacuna::collector {

/// Returns the hash of a name; mixes well, and takes a few ns for short names.
std::uint64_t hash_name(const char* text, std::size_t length);

/// A name with its id. `text` is valid for the life of the process and zero-terminated.
struct KnownName {
  const char* text = nullptr;
  std::uint64_t hash = 0;
  std::uint32_t length = 0;
  std::uint32_t id = 0;
};

/// All names of the process so far: text -> id. The caller holds the lock of the process.
///
/// Bounded: beyond kMostBytes of text or kMostNames names no more are stored, and a new name gets
/// a new id each time it is used; the viewer joins equal names by their text. Lives in memory that is
/// empty in a forked child.
class NameTable {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostNames = std::size_t{1} << 20;

  const KnownName* find(const char* text, std::size_t length, std::uint64_t hash) const;
  /// Stores a name. Returns null when it is full (see above).
  const KnownName* add(const char* text, std::size_t length, std::uint64_t hash, std::uint32_t id);

 private:
  bool grow();
  char* store(const char* text, std::size_t length);

  KnownName** slots_ = nullptr;
  std::size_t slot_count_ = 0;
  std::size_t count_ = 0;
  KnownName* block_names_ = nullptr;  // position of the next entry
  std::size_t names_left_ = 0;
  char* block_text_ = nullptr;
  std::size_t text_left_ = 0;
  std::size_t text_bytes_ = 0;
};

/// One thread's cache of names, so that a repeated name costs no lock and no hashing:
/// first by address (checked by content: buffers are reused), then by content.
class NameCache {
 public:
  /// Returns the id of the zero-terminated `text`, or 0 if it is not cached by this address.
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

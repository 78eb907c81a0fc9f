#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/base/ids.h"

namespace lacuna {

/// Interns strings: equal text gets the same StringId, so that the model compares and groups names
/// as 32-bit integers. Append-only. A returned string_view stays valid for the life of the pool
/// (text lies in blocks that never move; moving the pool keeps them).
///
/// Id 0 is the empty string. intern() is amortised O(length); get() is O(1). One writer at a time,
/// no lock inside: importer threads each fill a pool of their own and TraceBuilder merges them.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;
  /// Returns a copy with the same strings and ids, in memory of its own. O(bytes).
  StringPool clone() const;

  StringId intern(std::string_view text);
  /// Returns the id of `text` if it was interned, else an invalid id.
  StringId find(std::string_view text) const;
  std::string_view get(StringId id) const { return id.value < views_.size() ? views_[id.value] : std::string_view{}; }

  /// Number of distinct strings, including the empty one; ids are 0 … size()-1.
  std::uint32_t size() const { return static_cast<std::uint32_t>(views_.size()); }
  /// Heap bytes held (text, table and views).
  std::size_t memory_bytes() const;
  /// Returns the longest probe sequence of its strings in the hash table: a few slots, whatever the strings. O(slots).
  std::size_t longest_search() const;

 private:
  std::string_view store(std::string_view text);
  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;  // 0 = free: the empty string is never looked up through the table
  };
  std::vector<Slot> slots_;
  std::vector<std::string_view> views_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
  std::size_t text_bytes_ = 0;
};

/// Hashes a text, the same in every process and version; the writer of a file can provoke
/// collisions. Tables are keyed by seeded_hash() (model/base/seeded_hash.h).
std::uint64_t hash_text(std::string_view text);

}  // namespace lacuna

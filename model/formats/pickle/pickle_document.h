#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/memory/chunked_vector.h"
#include "model/trace/string_pool.h"

namespace lacuna {

enum class PickleKind : std::uint8_t {
  kNone,
  kBool,
  kInt,       ///< at most 60 bits
  kLargeInt,  ///< index of a signed 64-bit integer
  kUnsigned,  ///< index of an integer of 2^63 or more
  kFloat,     ///< index
  kText,      ///< StringId
  kList,      ///< a list or a tuple
  kDict,
};

/// A value, or a handle to a possibly shared one: never copied, never expanded.
class PickleValue {
 public:
  PickleValue() = default;
  PickleValue(PickleKind kind, std::int64_t payload)
      : bits_(static_cast<std::uint64_t>(payload) << 4 | static_cast<std::uint64_t>(kind)) {}

  PickleKind kind() const { return static_cast<PickleKind>(bits_ & 15); }
  bool is(PickleKind kind) const { return this->kind() == kind; }
  std::int64_t payload() const { return static_cast<std::int64_t>(bits_) >> 4; }
  std::uint32_t index() const { return static_cast<std::uint32_t>(bits_ >> 4); }
  bool operator==(const PickleValue&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

class PickleDocument;

/// Stores dictionaries of a known form as rows of tables, so that each of a file's millions of them costs only a row.
class PickleRows {
 public:
  static constexpr std::uint32_t kNoRow = 0x7fff'ffff;
  virtual ~PickleRows() = default;
  /// Names to intern before all others: their StringIds are 1, 2, … in this order.
  virtual std::span<const std::string_view> names() const { return {}; }
  /// Returns a handle below kNoRow if `items` (key, value, key, value …) forms a row. May freeze lists.
  virtual std::uint32_t take(PickleDocument& document, std::span<const PickleValue> items) = 0;
};

/// The contents of a pickle: lists and dictionaries as tables, a directed graph by index. No recursion. A
/// hostile file can contain a cycle: readers descend a fixed number of levels.
class PickleDocument {
 public:
  explicit PickleDocument(MemoryRoom& room);

  PickleValue root;
  std::uint64_t trailing_bytes = 0;  ///< bytes behind the end of the pickle

  const StringPool& strings() const { return strings_; }
  StringPool take_strings() { return std::move(strings_); }
  std::string_view text(PickleValue value) const {
    return value.is(PickleKind::kText) ? strings_.get(StringId{value.index()}) : std::string_view{};
  }
  bool is_number(PickleValue value) const;
  /// Returns a whole number, also from booleans and finite floats (rounded). Nothing for other values or out of range.
  std::optional<std::int64_t> integer(PickleValue value) const;
  /// Returns an address of up to 64 bits; negative numbers as their two's complement.
  std::optional<std::uint64_t> address(PickleValue value) const;

  /// Returns a float; 0 for any other value.
  double real(PickleValue value) const;

  /// Calls take(PickleValue) for each element of a list; for other values never. Returns false if the list is frozen.
  template <class Take>
  bool for_each(PickleValue list, Take&& take) const;
  /// Returns the elements of a list if they are contiguous, as in short lists; else nothing.
  std::span<const PickleValue> elements(PickleValue list) const;
  /// Returns the value of a key in a dictionary that is not a row; None if there is none.
  PickleValue find(PickleValue dict, std::string_view key) const;
  /// Calls take(key, value) for each item; never for rows and other values.
  template <class Take>
  void for_each_item(PickleValue dict, Take&& take) const;
  /// Returns the row that a dictionary became, or kNoRow.
  std::uint32_t row(PickleValue dict) const {
    if (!dict.is(PickleKind::kDict)) return PickleRows::kNoRow;
    const std::uint32_t entry = dicts_[dict.index()];
    return entry == kNothing || (entry & kGeneric) != 0 ? PickleRows::kNoRow : entry;
  }

  /// Drops the elements of a list whose contents were stored in a table; keeps only `handle`.
  void freeze(PickleValue list, std::uint32_t handle);
  std::optional<std::uint32_t> frozen(PickleValue list) const;

  // For the reader only.
  PickleValue make_text(std::string_view text);
  PickleValue make_integer(std::int64_t value);
  PickleValue make_unsigned(std::uint64_t value);
  PickleValue make_float(double value);
  PickleValue make_list();
  PickleValue make_dict();
  /// Returns false if the list is frozen.
  bool append(PickleValue list, std::span<const PickleValue> values);
  /// Returns false if the dictionary is already a row.
  bool set_items(PickleValue dict, std::span<const PickleValue> items, PickleRows* rows);

 private:
  static constexpr std::uint32_t kNothing = 0xffff'ffff;
  static constexpr std::uint32_t kGeneric = 0x8000'0000;  // flag in dicts_: the other bits are an index into lists_

  /// Contiguous elements, or a run of consecutive dictionaries.
  struct Piece {
    std::uint32_t first = 0;
    std::uint32_t count = 0;  // the top bit is set for a run
    std::uint32_t next = kNothing;
  };
  static constexpr std::uint32_t kRun = 0x8000'0000;
  struct List {
    std::uint32_t first = kNothing;
    std::uint32_t last = kNothing;  // the handle, if `first` is kFrozen
  };
  static constexpr std::uint32_t kFrozen = 0xffff'fffe;

  void append_elements(List& list, const PickleValue* from, std::size_t count);
  void append_run(List& list, std::uint32_t first, std::uint32_t count);
  void append_piece(List& list, const Piece& piece);
  void append_to(List& list, std::span<const PickleValue> values);
  template <class Take>
  void for_each_of(const List& list, Take&& take) const;

  MemoryRoom& room_;
  StringPool strings_;
  ChunkedVector<PickleValue> elements_;
  ChunkedVector<Piece> pieces_;
  ChunkedVector<List> lists_;
  ChunkedVector<std::uint32_t> dicts_;
  ChunkedVector<std::uint64_t> numbers_;
};

template <class Take>
void PickleDocument::for_each_of(const List& list, Take&& take) const {
  for (std::uint32_t p = list.first; p < kFrozen; p = pieces_[p].next) {
    const Piece& piece = pieces_[p];
    const std::uint32_t count = piece.count & ~kRun;
    if ((piece.count & kRun) != 0) {
      for (std::uint32_t i = 0; i < count; ++i) take(PickleValue(PickleKind::kDict, piece.first + i));
    } else {
      for (std::uint32_t i = 0; i < count; ++i) take(elements_[piece.first + i]);
    }
  }
}

template <class Take>
bool PickleDocument::for_each(PickleValue list, Take&& take) const {
  if (!list.is(PickleKind::kList)) return true;
  const List& one = lists_[list.index()];
  if (one.first == kFrozen) return false;
  for_each_of(one, take);
  return true;
}

template <class Take>
void PickleDocument::for_each_item(PickleValue dict, Take&& take) const {
  if (!dict.is(PickleKind::kDict)) return;
  const std::uint32_t entry = dicts_[dict.index()];
  if (entry == kNothing || (entry & kGeneric) == 0) return;
  PickleValue key;
  bool has_key = false;
  for_each_of(lists_[entry & ~kGeneric], [&](PickleValue value) {
    if (has_key) take(key, value);
    key = value;
    has_key = !has_key;
  });
}

}  // namespace lacuna

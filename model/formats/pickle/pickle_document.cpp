#include "model/formats/pickle/pickle_document.h"

#include <bit>
#include <cmath>

namespace lacuna {
namespace {

constexpr std::int64_t kLeastInline = -(std::int64_t{1} << 59);
constexpr std::int64_t kMostInline = (std::int64_t{1} << 59) - 1;
constexpr std::size_t kMostObjects = std::size_t{1} << 29;  // the memo keeps 29 bits of an index
constexpr std::size_t kTextOverhead = 40;                   // of a string in the pool
constexpr std::uint32_t kLeastRun = 4;                      // dictionaries that a piece of their own pays for

}  // namespace

PickleDocument::PickleDocument(MemoryRoom& room)
    : room_(room), elements_(&room), pieces_(&room), lists_(&room), dicts_(&room), numbers_(&room) {}

bool PickleDocument::is_number(PickleValue value) const {
  return value.kind() >= PickleKind::kBool && value.kind() <= PickleKind::kFloat;
}

std::optional<std::int64_t> PickleDocument::integer(PickleValue value) const {
  switch (value.kind()) {
    case PickleKind::kBool:
    case PickleKind::kInt:
      return value.payload();
    case PickleKind::kLargeInt:
      return static_cast<std::int64_t>(numbers_[value.index()]);
    case PickleKind::kFloat: {
      const double number = std::round(std::bit_cast<double>(numbers_[value.index()]));
      if (!(number >= -0x1p63 && number < 0x1p63)) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> PickleDocument::address(PickleValue value) const {
  if (value.is(PickleKind::kUnsigned)) return numbers_[value.index()];
  if (const auto number = integer(value)) return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

double PickleDocument::real(PickleValue value) const {
  return value.is(PickleKind::kFloat) ? std::bit_cast<double>(numbers_[value.index()]) : 0;
}

PickleValue PickleDocument::find(PickleValue dict, std::string_view key) const {
  PickleValue found;
  const StringId wanted = strings_.find(key);
  if (!wanted.valid()) return found;
  for_each_item(dict, [&](PickleValue name, PickleValue value) {
    if (name.is(PickleKind::kText) && name.index() == wanted.value) found = value;
  });
  return found;
}

std::span<const PickleValue> PickleDocument::elements(PickleValue value) const {
  if (!value.is(PickleKind::kList)) return {};
  const List& list = lists_[value.index()];
  if (list.first >= kFrozen || list.first != list.last) return {};
  const Piece& piece = pieces_[list.first];
  if ((piece.count & kRun) != 0 || piece.count == 0) return {};
  return elements_.together(piece.first, piece.count);
}

void PickleDocument::freeze(PickleValue value, std::uint32_t handle) {
  if (!value.is(PickleKind::kList)) return;
  List& list = lists_[value.index()];
  // What lies at the end, as it does when a list was just read, makes room.
  if (list.first == list.last && list.first < kFrozen && list.first + 1 == pieces_.size()) {
    const Piece piece = pieces_.back();
    if ((piece.count & kRun) == 0 && piece.first + piece.count == elements_.size()) elements_.shrink(piece.first);
    pieces_.shrink(pieces_.size() - 1);
  }
  list = {kFrozen, handle};
}

std::optional<std::uint32_t> PickleDocument::frozen(PickleValue value) const {
  if (!value.is(PickleKind::kList)) return std::nullopt;
  const List& list = lists_[value.index()];
  return list.first == kFrozen ? std::optional(list.last) : std::nullopt;
}

PickleValue PickleDocument::make_text(std::string_view text) {
  const std::uint32_t before = strings_.size();
  const StringId id = strings_.intern(text);
  if (strings_.size() != before) room_.take(text.size() + kTextOverhead);
  return {PickleKind::kText, id.value};
}

PickleValue PickleDocument::make_integer(std::int64_t value) {
  if (value >= kLeastInline && value <= kMostInline) return {PickleKind::kInt, value};
  numbers_.push_back(static_cast<std::uint64_t>(value));
  return {PickleKind::kLargeInt, static_cast<std::int64_t>(numbers_.size() - 1)};
}

PickleValue PickleDocument::make_unsigned(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(kMostInline)) return {PickleKind::kInt, static_cast<std::int64_t>(value)};
  numbers_.push_back(value);
  return {value >> 63 != 0 ? PickleKind::kUnsigned : PickleKind::kLargeInt,
          static_cast<std::int64_t>(numbers_.size() - 1)};
}

PickleValue PickleDocument::make_float(double value) {
  numbers_.push_back(std::bit_cast<std::uint64_t>(value));
  return {PickleKind::kFloat, static_cast<std::int64_t>(numbers_.size() - 1)};
}

PickleValue PickleDocument::make_list() {
  if (lists_.size() >= kMostObjects) throw MemoryRoom::Exhausted("it holds more than 536,870,912 lists");
  lists_.push_back({});
  return {PickleKind::kList, static_cast<std::int64_t>(lists_.size() - 1)};
}

PickleValue PickleDocument::make_dict() {
  if (dicts_.size() >= kMostObjects) throw MemoryRoom::Exhausted("it holds more than 536,870,912 dictionaries");
  dicts_.push_back(kNothing);
  return {PickleKind::kDict, static_cast<std::int64_t>(dicts_.size() - 1)};
}

void PickleDocument::append_piece(List& list, const Piece& piece) {
  if (pieces_.size() >= kFrozen) throw MemoryRoom::Exhausted("it holds too many lists");
  pieces_.push_back(piece);
  const auto index = static_cast<std::uint32_t>(pieces_.size() - 1);
  if (list.first == kNothing) {
    list.first = index;
  } else {
    pieces_[list.last].next = index;
  }
  list.last = index;
}

void PickleDocument::append_run(List& list, std::uint32_t first, std::uint32_t count) {
  if (list.first != kNothing) {
    Piece& last = pieces_[list.last];
    if ((last.count & kRun) != 0 && last.first + (last.count & ~kRun) == first) {
      last.count += count;
      return;
    }
  }
  append_piece(list, {first, count | kRun, kNothing});
}

void PickleDocument::append_elements(List& list, const PickleValue* from, std::size_t count) {
  while (count > 0) {
    if (elements_.size() + count >= kRun) throw MemoryRoom::Exhausted("it holds more than 2,147,483,648 elements");
    const auto first = static_cast<std::uint32_t>(elements_.size());
    const std::size_t some = elements_.append_some(from, count);
    bool extends = false;
    if (list.first != kNothing) {
      Piece& last = pieces_[list.last];
      extends = (last.count & kRun) == 0 && last.first + last.count == first;
      if (extends) last.count += static_cast<std::uint32_t>(some);
    }
    if (!extends) append_piece(list, {first, static_cast<std::uint32_t>(some), kNothing});
    from += some;
    count -= some;
  }
}

void PickleDocument::append_to(List& list, std::span<const PickleValue> values) {
  std::size_t plain = 0;  // from here on neither stored nor part of a run
  for (std::size_t i = 0; i < values.size();) {
    if (!values[i].is(PickleKind::kDict)) {
      ++i;
      continue;
    }
    const std::uint32_t first = values[i].index();
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == PickleValue(PickleKind::kDict, first + (end - i))) ++end;
    if (end - i >= kLeastRun) {
      append_elements(list, values.data() + plain, i - plain);
      append_run(list, first, static_cast<std::uint32_t>(end - i));
      plain = end;
    }
    i = end;
  }
  append_elements(list, values.data() + plain, values.size() - plain);
}

bool PickleDocument::append(PickleValue value, std::span<const PickleValue> values) {
  List& list = lists_[value.index()];
  if (list.first == kFrozen) return false;
  append_to(list, values);
  return true;
}

bool PickleDocument::set_items(PickleValue dict, std::span<const PickleValue> items, PickleRows* rows) {
  if (items.empty()) return true;
  std::uint32_t& entry = dicts_[dict.index()];
  if (entry == kNothing) {
    const std::uint32_t row = rows == nullptr ? PickleRows::kNoRow : rows->take(*this, items);
    if (row < PickleRows::kNoRow) {
      entry = row;
      return true;
    }
    entry = kGeneric | make_list().index();
  } else if ((entry & kGeneric) == 0) {
    return false;
  }
  append_to(lists_[entry & ~kGeneric], items);
  return true;
}

}  // namespace lacuna

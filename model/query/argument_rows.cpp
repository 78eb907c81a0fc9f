#include "model/query/argument_rows.h"

#include <algorithm>
#include <array>

#include <sqlite3.h>

namespace lacuna {

void ArgumentRows::read(std::uint32_t set) {
  set_ = set;
  text_.clear();
  rows_.clear();
  const TraceTables& tables = source_.tables();
  const TraceTables::ArgumentSet& where = tables.arg_sets[set];
  if (!where.is_made) {
    read_event(where, where.offset);
    if (where.end_offset != 0) read_event(where, where.end_offset);
    return;
  }
  for (const auto& made : tables.made_arguments[static_cast<std::size_t>(where.offset)]) {
    const Piece key = noted(made.key);
    rows_.push_back({key, key, {}, &made});
  }
}

void ArgumentRows::read_event(const TraceTables::ArgumentSet& where, std::uint64_t offset) {
  const TraceSource& source = source_.trace().sources()[where.source];
  if (!source.bytes) return;
  if (!reader_ || reader_source_ != where.source) reader_.emplace(source);
  reader_source_ = where.source;
  for_each_json_member(reader_->read_text(offset), [&](std::string_view key, std::string_view value) {
    if (key == "args") for_each_json_leaf(value, "args", [this](const JsonLeaf& leaf) { add(leaf); });
  });
}

void ArgumentRows::add(const JsonLeaf& leaf) {
  if (rows_.size() >= (std::size_t{1} << kMostBits)) return;
  // A key that comes again takes the place of the first.
  constexpr std::size_t kMostCompared = 64;
  const auto is_same = [&](const Row& row) { return row.key.size == leaf.key.size() && text_of(row.key) == leaf.key; };
  const auto same = rows_.size() < kMostCompared ? std::ranges::find_if(rows_, is_same) : rows_.end();
  const Piece key = noted(leaf.key);
  const Row row{key, leaf.flat_key.size() == leaf.key.size() ? key : noted(leaf.flat_key), noted(leaf.json), nullptr};
  if (same != rows_.end()) {
    *same = row;
  } else {
    rows_.push_back(row);
  }
}

ArgumentRows::Piece ArgumentRows::noted(std::string_view text) {
  const Piece piece{text_.size(), text.size()};
  text_ += text;
  return piece;
}

JsonScalar ArgumentRows::value(std::size_t row) const {
  const TraceTables::MadeArgument* const made = rows_[row].made;
  if (made == nullptr) return read_json_scalar(text_of(rows_[row].json));
  return {made->is_text ? JsonScalar::Kind::kText : JsonScalar::Kind::kInteger, made->number, 0, made->text};
}

std::string_view type_name_of(const JsonScalar& value) {
  using Kind = JsonScalar::Kind;
  return value.kind == Kind::kBool   ? "bool"
         : value.kind == Kind::kText ? "string"
         : value.kind == Kind::kReal ? "real"
                                     : "int";
}

std::string display_of(const JsonScalar& value) {
  switch (value.kind) {
    case JsonScalar::Kind::kBool:
      return value.number != 0 ? "true" : "false";
    case JsonScalar::Kind::kText:
      return value.text;
    case JsonScalar::Kind::kReal: {
      std::array<char, 64> text{};
      sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", value.real);
      return text.data();
    }
    default:
      return std::to_string(value.number);
  }
}

}  // namespace lacuna

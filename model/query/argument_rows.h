#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/import/argument_reader.h"
#include "model/query/json_leaves.h"
#include "model/query/query_source.h"

namespace lacuna {

/// The args of one set after the other, as rows of the table `args`, read from the file on demand. Keys are noted when
/// a set is read, values looked at when they are asked for. One thread; `source` must outlive it.
class ArgumentRows {
 public:
  explicit ArgumentRows(QuerySource& source) : source_(source) {}

  /// Reads a set; QuerySource::make_tables() comes first. An event that cannot be read back has no rows.
  void read(std::uint32_t set);
  /// The set that was read last, kNone before.
  std::uint32_t set() const { return set_; }
  std::size_t size() const { return rows_.size(); }
  /// args.id of a row.
  std::int64_t id(std::size_t row) const { return static_cast<std::int64_t>(std::uint64_t{set_} << kMostBits | row); }
  /// Valid until the next read().
  std::string_view key(std::size_t row) const { return text_of(rows_[row].key); }
  std::string_view flat_key(std::size_t row) const { return text_of(rows_[row].flat_key); }
  /// kInteger, kBool, kReal or kText; kNull for what is no JSON.
  JsonScalar value(std::size_t row) const;

 private:
  /// What makes an id of args unique: no event has more.
  static constexpr unsigned kMostBits = 20;
  struct Piece {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  struct Row {
    Piece key, flat_key;  // in text_
    Piece json;           // likewise
    const TraceTables::MadeArgument* made = nullptr;
  };
  std::string_view text_of(Piece piece) const { return std::string_view(text_).substr(piece.begin, piece.size); }
  Piece noted(std::string_view text);
  void read_event(const TraceTables::ArgumentSet& where, std::uint64_t offset);
  void add(const JsonLeaf& leaf);

  QuerySource& source_;
  std::uint32_t set_ = TraceTables::kNone;
  std::string text_;
  std::vector<Row> rows_;
  std::optional<ArgumentReader> reader_;
  std::uint32_t reader_source_ = 0;
};

/// args.value_type.
std::string_view type_name_of(const JsonScalar& value);
/// Returns the value as text: args.display_value.
std::string display_of(const JsonScalar& value);

}  // namespace lacuna

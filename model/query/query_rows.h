#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/query/query_table.h"

namespace lacuna {

/// The rows that a query gave, kept: 9 bytes a cell and its text. Any thread may read; one writes.
class QueryRows {
 public:
  void start(std::span<const std::string> names);
  /// False: it would take more than `most_bytes`; the row is not there then.
  bool add(std::span<const Cell> row, std::uint64_t most_bytes = kMostBytes);

  std::size_t size() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Text is valid as long as nothing is added.
  Cell cell(std::size_t row, std::size_t column) const;
  /// What all values of a column can be: kReal for integers and reals, kText where any is text; kNull: none has one.
  Cell::Kind kind(std::size_t column) const;
  /// Ascending, as SQLite orders: NULL, numbers, texts by their bytes.
  bool is_before(std::size_t a, std::size_t b, std::size_t column) const;
  std::uint64_t bytes() const { return bytes_; }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

 private:
  struct Column {
    std::vector<std::int64_t> values;  ///< an integer, the bits of a real, or where the text begins
    std::vector<Cell::Kind> kinds;
    std::string texts;  ///< each behind its length
    bool has_integers = false, has_reals = false, has_texts = false;
  };
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

/// A value as people read it; NULL is empty.
std::string cell_text(const Cell& cell);

}  // namespace lacuna

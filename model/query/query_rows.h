#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/query/query_table.h"

namespace lacuna {

/// The stored result rows of a query: 9 bytes per cell plus its text. Any thread may read; one writes.
class QueryRows {
 public:
  void start(std::span<const std::string> names);
  /// Adds a row. Returns false, and does not add it, if the total would exceed `most_bytes`.
  bool add(std::span<const Cell> row, std::uint64_t most_bytes = kMostBytes);

  std::size_t size() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Text is valid until the next add().
  Cell cell(std::size_t row, std::size_t column) const;
  /// The common kind of a column's values: kReal for integers and reals, kText if any is text; kNull: all are NULL.
  Cell::Kind kind(std::size_t column) const;
  /// Compares in SQLite's ascending order: NULL, numbers, texts by their bytes.
  bool is_before(std::size_t a, std::size_t b, std::size_t column) const;
  std::uint64_t bytes() const { return bytes_; }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

 private:
  struct Column {
    std::vector<std::int64_t> values;  ///< an integer, the bits of a real, or the offset of a text
    std::vector<Cell::Kind> kinds;
    std::string texts;  ///< each preceded by its length
    bool has_integers = false, has_reals = false, has_texts = false;
  };
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Formats a value for display; NULL is empty.
std::string cell_text(const Cell& cell);

}  // namespace lacuna

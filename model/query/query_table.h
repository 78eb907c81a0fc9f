#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/ids.h"
#include "model/base/result.h"
#include "model/base/seeded_hash.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// One value of a row. Text points into the trace, valid as long as its table, unless `owned` holds it.
struct Cell {
  enum class Kind : std::uint8_t { kNull, kInteger, kReal, kText, kOwnedText };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;
  std::string owned;

  static Cell null() { return {}; }
  static Cell of(std::int64_t value) {
    Cell cell;
    cell.kind = Kind::kInteger;
    cell.integer = value;
    return cell;
  }
  static Cell of_real(double value) {
    Cell cell;
    cell.kind = Kind::kReal;
    cell.real = value;
    return cell;
  }
  static Cell of_text(std::string_view value) {
    Cell cell;
    cell.kind = Kind::kText;
    cell.text = value;
    return cell;
  }
  static Cell of_string(std::string value) {
    Cell cell;
    cell.kind = Kind::kOwnedText;
    cell.owned = std::move(value);
    return cell;
  }
  /// Makes a cell of an id; NULL for kNoIndex.
  static Cell of_id(std::uint32_t id) { return id == kNoIndex ? Cell() : of(id); }
};

/// How rows are found by a column's value.
enum class Lookup : std::uint8_t {
  kNone,     ///< by a full scan
  kRow,      ///< the value is the row number
  kSorted,   ///< integers, ascending, never NULL
  kIndexed,  ///< integers: an index of the rows of each value is built on first use
  kText,     ///< texts of a pool: compared by their ids, rows are grouped by text
};

struct QueryColumn {
  std::string name;
  std::string type;  ///< INTEGER, REAL or TEXT
  std::string help;  ///< one sentence: meaning and unit
  Lookup lookup = Lookup::kNone;
  bool is_hidden = false;    ///< an argument of a table function
  bool is_slice_id = false;  ///< slice.id, of a table of others: QueryTable::prepare_ids comes first
  std::function<Cell(std::uint32_t row)> get;
  std::function<std::uint32_t(std::uint32_t row)> text_id;  ///< kText: StringId, kNoIndex for NULL
};

/// One table as seen by SQL: nothing is copied, cells are made on demand.
///
/// `prepare` is called once, before the first access, and may take long; `rows` and `get` are valid after
/// it. Rows are numbered from 0. Thread-safe if prepare and get are.
class QueryTable {
 public:
  std::string name;
  std::string help;
  std::vector<QueryColumn> columns;
  const StringPool* pool = nullptr;  ///< pool of the kText columns
  std::function<Result<void>()> prepare;
  std::function<Result<void>()>
      prepare_ids;  ///< called before each look at columns that are slice ids, if there are any
  std::function<std::uint32_t()> rows;
  /// Estimate for the planner before the table is prepared.
  std::uint64_t expected_rows = 1000;

  Result<void> make_ready();
  bool is_ready() const { return is_ready_; }
  /// Returns the rows of a kIndexed column that have this value.
  std::span<const std::uint32_t> rows_with(std::size_t column, std::int64_t value);
  /// Returns all rows, grouped by the text of a kText column.
  std::span<const std::uint32_t> rows_by_text(std::size_t column);

 private:
  struct Index {
    std::unordered_map<std::int64_t, std::pair<std::uint32_t, std::uint32_t>, SeededHash>
        places;  // begin and end in `rows`
    std::vector<std::uint32_t> rows;
  };
  std::mutex mutex_;
  std::atomic<bool> is_ready_{false};
  std::unordered_map<std::size_t, Index> indexes_;
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> by_text_;
};

}  // namespace lacuna

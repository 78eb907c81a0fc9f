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

/// One value of a row. Text is that of the trace, valid as long as its table, unless `owned` holds it.
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
  /// An id that may be kNoIndex.
  static Cell of_id(std::uint32_t id) { return id == kNoIndex ? Cell() : of(id); }
};

/// How a column finds its rows.
enum class Lookup : std::uint8_t {
  kNone,     ///< by looking at all
  kRow,      ///< its value is the number of the row
  kSorted,   ///< integers, ascending, never NULL
  kIndexed,  ///< integers: the rows of each value are listed when first asked for
  kText,     ///< texts of a pool: compared by their ids, and rows come grouped by them
};

struct QueryColumn {
  std::string name;
  std::string type;  ///< INTEGER, REAL or TEXT
  std::string help;  ///< one sentence: what it means, its unit
  Lookup lookup = Lookup::kNone;
  bool is_hidden = false;  ///< an argument of a table function
  std::function<Cell(std::uint32_t row)> get;
  std::function<std::uint32_t(std::uint32_t row)> text_id;  ///< kText: StringId, kNoIndex for NULL
};

/// One table as SQL sees it: nothing is copied, cells are made when asked for.
///
/// `prepare` is called once, before the first row is asked for, and may take long; `rows` and `get` hold from then
/// on. Rows are numbered from 0. Thread-safe where prepare and get are.
class QueryTable {
 public:
  std::string name;
  std::string help;
  std::vector<QueryColumn> columns;
  const StringPool* pool = nullptr;  ///< of kText columns
  std::function<Result<void>()> prepare;
  std::function<std::uint32_t()> rows;
  /// A guess before it is prepared, for the planner.
  std::uint64_t expected_rows = 1000;

  Result<void> make_ready();
  bool is_ready() const { return is_ready_; }
  /// The rows of a kIndexed column with that value.
  std::span<const std::uint32_t> rows_with(std::size_t column, std::int64_t value);
  /// All rows, those with the same text together, of a kText column.
  std::span<const std::uint32_t> rows_by_text(std::size_t column);

 private:
  struct Index {
    std::unordered_map<std::int64_t, std::pair<std::uint32_t, std::uint32_t>, SeededHash>
        places;  // first and last in `rows`
    std::vector<std::uint32_t> rows;
  };
  std::mutex mutex_;
  std::atomic<bool> is_ready_{false};
  std::unordered_map<std::size_t, Index> indexes_;
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> by_text_;
};

}  // namespace lacuna

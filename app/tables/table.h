#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/query/query_table.h"
#include "render/format.h"

namespace lacuna {

/// A cell that is a JSON list or object.
struct JsonText {
  std::string text;
};

/// A table before formatting: describes each column once, for text output and machine-readable output. Copies no
/// rows: cells are computed when they are written. One thread at a time.
struct Table {
  /// The names of a column, and how it is fitted to a width.
  struct Heading {
    std::string title;     ///< in text output; a TableOf shows no column there that has none
    std::string key = {};  ///< in JSON; CSV and Arrow have it in snake_case; empty: left out of all three
    int drop_order = 0;    ///< if width is scarce, the highest is dropped first; 0: never
  };
  struct Column : Heading {
    bool is_number = false;                          ///< right-aligned
    bool is_flexible = false;                        ///< long text: may be shortened
    bool is_truth = false;                           ///< 1 and 0 mean true and false
    bool is_json = false;                            ///< texts are JSON
    std::function<Cell(std::size_t row)> value{};    ///< empty if there is no key
    std::function<std::string(std::size_t)> text{};  ///< text of a row; empty: not in text output
  };

  std::vector<Column> columns;            ///< in the order of machine-readable output
  std::vector<std::string_view> shown{};  ///< titles in the order of text output; empty: as in `columns`
  std::size_t rows = 0;

  /// Returns the columns of text output, in its order.
  std::vector<const Column*> text_columns() const {
    std::vector<const Column*> found;
    for (const std::string_view title : shown) found.push_back(&*std::ranges::find(columns, title, &Column::title));
    if (shown.empty())
      for (const Column& column : columns)
        if (column.text) found.push_back(&column);
    return found;
  }
  /// Limits the rows to `most`; 0: all.
  void limit(std::size_t most) {
    if (most != 0 && most < rows) rows = most;
  }
};

/// Converts a value to a cell. A string_view must live as long as the table.
template <class T>
Cell cell_of(T&& from) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<Plain, Cell>)
    return std::forward<T>(from);
  else if constexpr (std::is_same_v<Plain, JsonText>)
    return Cell::of_string(from.text);
  else if constexpr (requires { from.has_value(); })
    return from ? cell_of(*from) : Cell::null();
  else if constexpr (std::is_integral_v<Plain>)
    return Cell::of(static_cast<std::int64_t>(from));
  else if constexpr (std::is_floating_point_v<Plain>)
    return Cell::of_real(from);
  else if constexpr (std::is_same_v<Plain, std::string>)
    return Cell::of_string(std::forward<T>(from));
  else
    return Cell::of_text(from);
}

/// A table of rows that the caller keeps alive while it is used. `get` is a member of a row, or a function of it.
template <class Row>
class TableOf : public Table {
 public:
  explicit TableOf(std::span<const Row> all) : all_(all) { rows = all.size(); }

  /// Adds a time in ns.
  template <class Get>
  void duration(const Heading& heading, Get get) {
    number(heading, get, [get](const Row& row) { return format_duration(std::invoke(get, row)); });
  }
  template <class Get>
  void count(const Heading& heading, Get get) {
    number(heading, get,
           [get](const Row& row) { return format_count(static_cast<std::uint64_t>(std::invoke(get, row))); });
  }
  /// Adds a number with its own text format.
  template <class Get, class Words>
  Column& number(const Heading& heading, Get get, Words words) {
    Column& column = add(heading, get, words);
    column.is_number = true;
    return column;
  }
  /// Adds a number for text output only.
  template <class Words>
  void number(const Heading& heading, Words words) {
    number(heading, nullptr, words);
  }
  /// Adds a text, the same in all outputs.
  template <class Get>
  void text(const Heading& heading, Get get) {
    add(heading, get, get);
  }
  /// Adds a long text, the same in all outputs.
  template <class Get>
  void name(const Heading& heading, Get get) {
    name(heading, get, get);
  }
  /// Adds a long text, with words of its own in text output.
  template <class Get, class Words>
  void name(const Heading& heading, Get get, Words words) {
    add(heading, get, words).is_flexible = true;
  }
  /// Adds a column for JSON, CSV and Arrow only.
  template <class Get>
  Column& value(const std::string& key, Get get) {
    return add({{}, key}, get, nullptr);
  }
  template <class Get, class Words>
  Column& add(const Heading& heading, Get get, Words words) {
    Column& column = columns.emplace_back(Column{heading});
    if constexpr (!std::is_null_pointer_v<Get>)
      if (!column.key.empty()) {
        using Given = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;
        column.is_truth = std::is_same_v<Given, bool>;
        column.is_json = std::is_same_v<Given, JsonText>;
        column.value = [all = all_, get](std::size_t row) { return cell_of(std::invoke(get, all[row])); };
      }
    if constexpr (!std::is_null_pointer_v<Words>)
      if (!column.title.empty())
        column.text = [all = all_, words](std::size_t row) { return std::string(std::invoke(words, all[row])); };
    return column;
  }

 private:
  std::span<const Row> all_;
};

/// A table of finished texts, for text output only: rows of one for each column, which outlive it.
inline Table table_of_texts(std::vector<Table::Column> columns, std::span<const std::vector<std::string>> rows) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    columns[c].text = [rows, c](std::size_t row) { return c < rows[row].size() ? rows[row][c] : std::string(); };
  return {std::move(columns), {}, rows.size()};
}

}  // namespace lacuna

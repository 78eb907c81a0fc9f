#include "model/query/grouped_query.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <fmt/format.h>

#include "model/query/slice_groups.h"
#include "model/query/sql_text.h"

namespace lacuna {
namespace {

using Words = std::initializer_list<std::string_view>;

/// Reads one SELECT and writes it anew; gives up at whatever it does not know.
class GroupedQuery {
 public:
  explicit GroupedQuery(std::string_view sql) : sql_(sql), tokens_(sql_tokens(sql)) {}

  std::optional<std::string> write() {
    if (!is(0, "SELECT") || !find_parts()) return {};
    // Aliases and keys are known before anything is written: both may be used before they stand there.
    if (!find_aliases() || !find_keys()) return {};
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::size_t next = i >= from_ && i < from_end_ ? write_from() : write_token(i);
      if (next == 0) return {};
      i = next;
    }
    if (!has_aggregate_) return {};
    return std::move(out_);
  }

 private:
  enum class Part : std::uint8_t { kItems, kFrom, kWhere, kKeys, kHaving, kOrder, kLimit };

  bool is(std::size_t i, std::string_view word) const {
    if (i >= tokens_.size()) return false;
    return tokens_[i].kind == SqlToken::Kind::kWord ? is_word(sql_, tokens_[i], word) : tokens_[i].in(sql_) == word;
  }
  bool is_any(std::size_t i, Words words) const {
    return std::ranges::any_of(words, [&](std::string_view word) { return is(i, word); });
  }
  bool is_kind(std::size_t i, SqlToken::Kind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }
  bool is_plain_word(std::size_t i) const { return is_kind(i, SqlToken::Kind::kWord); }

  /// Where the clauses are; false: not one SELECT ... FROM slice.
  bool find_parts() {
    parts_.assign(tokens_.size(), Part::kItems);
    int depth = 0;
    Part part = Part::kItems;
    const auto enter = [&](Part next) {
      const bool is_later = next > part;
      part = next;
      return is_later;
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, "(")) ++depth;
      if (is(i, ")") && --depth < 0) return false;
      if (i > 0 && is_any(i, {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})) {
        if (depth != 0 || is(i, "SELECT")) return false;
        if (is(i, "FROM") && !enter(Part::kFrom)) return false;
        if (is(i, "WHERE") && !enter(Part::kWhere)) return false;
        if (is(i, "GROUP") && (!enter(Part::kKeys) || !is(i + 1, "BY"))) return false;
        if (is(i, "HAVING") && !enter(Part::kHaving)) return false;
        if (is(i, "ORDER") && (!enter(Part::kOrder) || !is(i + 1, "BY"))) return false;
        if (is(i, "LIMIT") && !enter(Part::kLimit)) return false;
        if (part == Part::kFrom) from_ = i;
      }
      parts_[i] = part;
      if (part == Part::kFrom) from_end_ = i + 1;
    }
    if (depth != 0 || from_ == 0) return false;
    // FROM slice [AS] [alias]
    std::size_t at = from_ + 1;
    if (!is(at, "slice")) return false;
    table_ = "slice";
    ++at;
    if (at < from_end_ && is(at, "AS")) ++at;
    if (at < from_end_) {
      if (!is_plain_word(at) || is_any(at, {"JOIN", "INNER", "LEFT", "CROSS", "NATURAL", "INDEXED", "NOT", "UNION",
                                            "EXCEPT", "INTERSECT", "WINDOW", "FULL", "RIGHT", "OUTER", "AS"}))
        return false;
      table_ = tokens_[at].in(sql_);
      ++at;
    }
    return at == from_end_;
  }

  /// Names that the items give their values: AS name, or a name behind a value.
  bool find_aliases() {
    int depth = 0;
    for (std::size_t i = 1; i < from_; ++i) {
      if (is(i, "(")) ++depth;
      if (is(i, ")")) --depth;
      if (depth != 0) continue;
      const bool ends_item = i + 1 == from_ || is(i + 1, ",");
      if (!ends_item || !is_plain_word(i)) continue;
      const bool is_named = is(i - 1, "AS");
      const bool is_behind_value = i > 1 && !is_named &&
                                   (is(i - 1, ")") || tokens_[i - 1].kind == SqlToken::Kind::kNumber ||
                                    tokens_[i - 1].kind == SqlToken::Kind::kString || is_plain_word(i - 1));
      if (!is_named && !is_behind_value) continue;
      if (is(i, "END")) continue;  // of CASE
      const std::string_view name = tokens_[i].in(sql_);
      // A name of a column that rows are told apart by would mean one or the other.
      if (is_any(i, {"name", "category", "cat", "track_id"}) || name.starts_with('_')) return false;
      aliases_.push_back(i);
    }
    return true;
  }

  bool find_keys() {
    bool wants_column = true;
    bool has_keys = false;
    for (std::size_t i = from_end_; i < tokens_.size(); ++i) {
      if (parts_[i] != Part::kKeys) continue;
      has_keys = true;
      if (is(i, "GROUP") || is(i, "BY")) continue;
      if (is(i, ",") != !wants_column) return false;
      if (is(i, ",")) {
        wants_column = true;
        continue;
      }
      if (is(i, table_) && is(i + 1, ".")) i += 2;
      if (i >= tokens_.size() || parts_[i] != Part::kKeys || !is_column(i)) return false;
      keys_.push_back(i);
      wants_column = false;
    }
    return !has_keys || !wants_column;
  }

  bool is_column(std::size_t i) const { return is_any(i, {"name", "category", "cat", "track_id"}); }
  bool is_key(std::size_t i) const {
    return std::ranges::any_of(keys_, [&](std::size_t key) {
      return is(i, tokens_[key].in(sql_)) || (is_any(i, {"category", "cat"}) && is_any(key, {"category", "cat"}));
    });
  }
  bool is_alias(std::size_t i) const {
    return std::ranges::any_of(aliases_, [&](std::size_t alias) { return is(i, tokens_[alias].in(sql_)); });
  }

  /// Blanks and comments are of no matter.
  void put(std::string_view text) {
    if (!out_.empty()) out_ += ' ';
    out_ += text;
  }
  std::size_t keep(std::size_t i) {
    // Characters of one operator stay together.
    const bool is_joined = i > 0 && tokens_[i - 1].end == tokens_[i].begin && is_kind(i, SqlToken::Kind::kSymbol) &&
                           is_kind(i - 1, SqlToken::Kind::kSymbol) && !out_.empty();
    if (is_joined) {
      out_ += tokens_[i].in(sql_);
    } else {
      put(tokens_[i].in(sql_));
    }
    return i + 1;
  }

  std::size_t write_from() {
    put(fmt::format("FROM {} AS {}", kSliceGroupsTable, table_));
    return from_end_;
  }

  /// The token behind what was written; 0: it is not known.
  std::size_t write_token(std::size_t i) {
    const Part part = parts_[i];
    switch (tokens_[i].kind) {
      case SqlToken::Kind::kString:
        return keep(i);
      case SqlToken::Kind::kNumber:
        return keep(i);
      case SqlToken::Kind::kQuotedName:
      case SqlToken::Kind::kVariable:
        return 0;
      case SqlToken::Kind::kSymbol:
        // Without a value before it, * stands for all columns.
        if (is(i, "*") && (i == 0 || is_any(i - 1, {"SELECT", ",", ".", "("}))) return 0;
        return is_any(i, {"(", ")", ",", "+", "-", "*", "/", "%", "<", ">", "=", "!", "|"}) ? keep(i) : 0;
      case SqlToken::Kind::kWord:
        break;
    }
    if (part == Part::kItems && std::ranges::find(aliases_, i) != aliases_.end()) return keep(i);
    if (is(i, table_) && is(i + 1, ".")) {
      if (!is_plain_word(i + 2) || !is_column(i + 2) || !may_use_column(i + 2)) return 0;
      keep(i);
      keep(i + 1);
      return keep(i + 2);
    }
    if (is(i + 1, "(")) {
      if (const std::size_t next = write_aggregate(i)) return next;
      return is_any(i, {"round",  "printf", "format", "coalesce", "ifnull", "nullif", "abs",  "upper", "lower",
                        "substr", "length", "cast",   "IN",       "AND",    "OR",     "NOT",  "WHEN",  "THEN",
                        "ELSE",   "CASE",   "WHERE",  "HAVING",   "BY",     "LIKE",   "GLOB", "SELECT"})
                 ? keep(i)
                 : 0;
    }
    if (is_column(i)) return may_use_column(i) ? keep(i) : 0;
    if (is(i, "dur")) return part == Part::kWhere ? write_sign(i) : part == Part::kOrder ? write_alias(i) : 0;
    if (is_any(i, {"SELECT", "WHERE",   "GROUP", "BY",   "HAVING", "ORDER", "LIMIT", "OFFSET", "AS",
                   "ASC",    "DESC",    "AND",   "OR",   "NOT",    "IN",    "LIKE",  "GLOB",   "IS",
                   "NULL",   "BETWEEN", "CASE",  "WHEN", "THEN",   "ELSE",  "END"}))
      return keep(i);
    if (i > 0 && is(i - 1, "AS") && is_any(i, {"REAL", "INT", "INTEGER", "DOUBLE", "FLOAT", "TEXT"})) return keep(i);
    return part == Part::kOrder || part == Part::kHaving ? write_alias(i) : 0;
  }

  /// Rows are chosen by any of the columns, shown by those that they are told apart by.
  bool may_use_column(std::size_t i) const { return parts_[i] == Part::kWhere || is_key(i); }

  /// A whole term of ORDER BY, for which a name of an item goes before a column; elsewhere it must be no column.
  std::size_t write_alias(std::size_t i) {
    if (!is_alias(i)) return 0;
    const bool is_whole = parts_[i] == Part::kOrder && is_any(i - 1, {"BY", ","}) &&
                          (i + 1 == tokens_.size() || is_any(i + 1, {",", "ASC", "DESC", "LIMIT"}));
    const bool is_column_too =
        is_any(i, {"id", "ts", "dur", "depth", "parent_id", "arg_set_id", "thread_ts", "thread_dur", "slice_id",
                   "rowid", "oid", "thread_instruction_count", "thread_instruction_delta"});
    return is_whole || !is_column_too ? keep(i) : 0;
  }

  /// dur > 0, dur >= 0.
  std::size_t write_sign(std::size_t i) {
    const std::size_t value = is(i + 2, "=") ? i + 3 : i + 2;
    if (!is_any(i - 1, {"WHERE", "AND", "OR", "NOT", "("}) || !is(i + 1, ">") || !is(value, "0")) return 0;
    if (value + 1 < tokens_.size() && !is_any(value + 1, {"AND", "OR", ")", "GROUP", "HAVING", "ORDER", "LIMIT"}))
      return 0;
    put(value == i + 3 ? "_sign >= 0" : "_sign > 0");
    return value + 1;
  }

  /// f(argument), where that is one of what groups hold; 0: it is not.
  std::size_t write_aggregate(std::size_t i) {
    if (parts_[i] == Part::kWhere || parts_[i] == Part::kKeys || parts_[i] == Part::kLimit) return 0;
    std::size_t argument = i + 2;
    if (is(argument, table_) && is(argument + 1, ".")) argument += 2;
    if (!is(argument + 1, ")") || is_any(argument + 2, {"FILTER", "OVER"})) return 0;
    const bool is_dur = is(argument, "dur");
    const bool is_ts = is(argument, "ts");
    if (is(i, "count") && (is_dur || is_ts || is(argument, "id") || is(argument, "*") || is(argument, "1"))) {
      put("COALESCE ( SUM ( _rows ) , 0 )");
    } else if (is(i, "sum") && is_dur) {
      put("SUM ( _sum )");
    } else if (is(i, "avg") && is_dur) {
      put("( CAST ( SUM ( _sum ) AS REAL ) / SUM ( _rows ) )");
    } else if (is(i, "min") && (is_dur || is_ts)) {
      put(is_dur ? "MIN ( _least )" : "MIN ( _first )");
    } else if (is(i, "max") && (is_dur || is_ts)) {
      put(is_dur ? "MAX ( _most )" : "MAX ( _last )");
    } else {
      return 0;
    }
    has_aggregate_ = true;
    return argument + 2;
  }

  const std::string_view sql_;
  const std::vector<SqlToken> tokens_;
  std::vector<Part> parts_;
  std::size_t from_ = 0, from_end_ = 0;
  std::string_view table_;  // what columns of it may be called by
  std::vector<std::size_t> aliases_;
  std::vector<std::size_t> keys_;
  std::string out_;
  bool has_aggregate_ = false;
};

}  // namespace

std::optional<std::string> grouped_query(std::string_view sql) {
  return GroupedQuery(sql).write();
}

}  // namespace lacuna

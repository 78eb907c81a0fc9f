#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Rewritten SQL that knows the source position of each of its parts: errors are shown at their place.
class MappedText {
 public:
  void copy(std::string_view source, std::size_t begin, std::size_t end, std::size_t base = 0);
  void add(std::string_view text, std::size_t stands_for);
  const std::string& text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  /// Returns the position in the source of the byte `at`.
  std::size_t place(std::size_t at) const;

 private:
  struct Piece {
    std::size_t out = 0;
    std::size_t in = 0;
    bool is_copy = false;
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

/// A function defined by a query: its body is SQL with $parameters.
struct QueryFunction {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> columns;  ///< of RETURNS TABLE(…); empty: returns one value
  std::string body;
  bool may_replace = false;
  bool is_table = false;
};

struct SpanJoinInput {
  std::string table;
  std::string partition;  ///< column; empty: none
};
struct SpanJoin {
  enum class Kind : std::uint8_t { kInner, kLeft, kOuter };
  Kind kind = Kind::kInner;
  std::string name;
  SpanJoinInput left;
  SpanJoinInput right;
};

/// The translation of one statement.
struct DialectStep {
  enum class Kind : std::uint8_t { kSql, kNothing, kFunction, kSpanJoin };
  Kind kind = Kind::kSql;
  MappedText sql;
  /// Run before `sql`, without rows: needed for CREATE OR REPLACE.
  std::string before;
  QueryFunction function;
  SpanJoin span_join;
  std::size_t begin = 0;  ///< start of the statement
};

/// Translates PerfettoSQL to SQLite's SQL, one statement after the other: expands macros, and turns CREATE PERFETTO …
/// and INCLUDE PERFETTO MODULE into SQLite's statements. Everything else is unchanged. Keeps the macros defined.
class Dialect {
 public:
  Dialect();
  /// Errors: kInvalidArgument with the byte offset in `text`, kUnsupported for modules that are not available.
  Result<DialectStep> translate(std::string_view text, std::size_t begin, std::size_t end);

 private:
  struct Macro {
    std::vector<std::string> parameters;
    std::string body;
  };
  Result<void> expand(std::string_view text, std::size_t begin, std::size_t end, std::size_t base, bool is_source,
                      unsigned depth, MappedText& out) const;
  Result<DialectStep> translate_create(DialectStep step, std::size_t offset);

  std::map<std::string, Macro> macros_;  // by name in lower case
};

/// Returns a name as SQL writes it, in double quotes.
std::string quoted_name(std::string_view name);

}  // namespace lacuna

#include "model/query/dialect.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "model/query/sql_text.h"

namespace lacuna {
namespace {

constexpr unsigned kDeepestMacro = 64;
constexpr std::size_t kLongestStatement = std::size_t{4} << 20;

/// Modules whose tables, views and functions are here whether a query includes them or not.
constexpr std::array<std::string_view, 7> kModules{
    "slices.with_context", "slices.slices",     "slices.hierarchy", "std.thread.with_context",
    "time.conversion",     "common.timestamps", "common.slices"};

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

std::string bare_name(std::string_view name) {
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '`' || name.front() == '['))
    return std::string(name.substr(1, name.size() - 2));
  return std::string(name);
}

/// Reads the tokens of one statement, one after the other.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text), tokens_(sql_tokens(text)) {}

  bool at_end() const { return at_ >= tokens_.size(); }
  std::size_t offset() const { return at_end() ? text_.size() : tokens_[at_].begin; }
  std::size_t end_of_last() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  std::string_view peek() const { return at_end() ? std::string_view{} : tokens_[at_].in(text_); }
  bool take(std::string_view word) {
    if (at_end()) return false;
    const bool matches =
        tokens_[at_].kind == SqlToken::Kind::kWord ? is_word(text_, tokens_[at_], word) : peek() == word;
    if (matches) ++at_;
    return matches;
  }
  std::optional<std::string> take_name() {
    if (at_end()) return {};
    const auto kind = tokens_[at_].kind;
    if (kind != SqlToken::Kind::kWord && kind != SqlToken::Kind::kQuotedName) return {};
    return bare_name(tokens_[at_++].in(text_));
  }
  /// The text inside the parentheses that begin here, split at its commas; nothing when they do not close.
  std::optional<std::vector<std::string>> take_list() {
    if (!take("(")) return {};
    std::vector<std::string> parts;
    std::size_t depth = 1;
    std::size_t begin = offset();
    while (!at_end()) {
      const std::string_view token = peek();
      if (token == "(") ++depth;
      if (token == ")" && --depth == 0) {
        if (begin < offset()) parts.push_back(text_.substr(begin, offset() - begin));
        ++at_;
        return parts;
      }
      if (token == "," && depth == 1) {
        parts.push_back(text_.substr(begin, offset() - begin));
        ++at_;
        begin = offset();
        continue;
      }
      ++at_;
    }
    return {};
  }
  std::string rest() const { return text_.substr(offset()); }

 private:
  const std::string& text_;
  std::vector<SqlToken> tokens_;
  std::size_t at_ = 0;
};

/// The first word of each "name TYPE".
std::optional<std::vector<std::string>> names_of(const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (const std::string& part : parts) {
    Reader reader(part);
    const auto name = reader.take_name();
    if (!name) return {};
    names.push_back(*name);
  }
  return names;
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? "\"\"" : std::string(1, c));
  return out + "\"";
}

void MappedText::copy(std::string_view source, std::size_t begin, std::size_t end, std::size_t base) {
  pieces_.push_back({text_.size(), base + begin, true});
  text_.append(source.substr(begin, end - begin));
}

void MappedText::add(std::string_view text, std::size_t stands_for) {
  pieces_.push_back({text_.size(), stands_for, false});
  text_.append(text);
}

std::size_t MappedText::place(std::size_t at) const {
  auto after = std::ranges::upper_bound(pieces_, at, {}, &Piece::out);
  if (after == pieces_.begin()) return 0;
  --after;
  return after->is_copy ? after->in + (at - after->out) : after->in;
}

Dialect::Dialect() {
  macros_["cast_int"] = {{"value"}, "CAST($value AS INT)"};
  macros_["cast_double"] = {{"value"}, "CAST($value AS REAL)"};
  macros_["cast_string"] = {{"value"}, "CAST($value AS TEXT)"};
}

/// Copies text[begin, end) with its macros expanded. `is_source`: its bytes have places; else all of it stands for
/// `base`.
Result<void> Dialect::expand(std::string_view text, std::size_t begin, std::size_t end, std::size_t base,
                             bool is_source, unsigned depth, MappedText& out) const {
  if (depth > kDeepestMacro) return fail(ErrorCode::kInvalidArgument, "macros call each other too deeply", {}, base);
  const std::string_view piece = text.substr(begin, end - begin);
  const std::vector<SqlToken> tokens = sql_tokens(piece);
  const auto emit = [&](std::size_t from, std::size_t to) {
    if (from >= to) return;
    if (is_source) {
      out.copy(text, begin + from, begin + to);
    } else {
      out.add(piece.substr(from, to - from), base);
    }
  };
  std::size_t done = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].kind != SqlToken::Kind::kWord || tokens[i + 1].in(piece) != "!" || tokens[i + 2].in(piece) != "(" ||
        tokens[i + 1].begin != tokens[i].end)
      continue;
    const std::size_t place = is_source ? begin + tokens[i].begin : base;
    const auto macro = macros_.find(lowered(tokens[i].in(piece)));
    if (macro == macros_.end())
      return fail(ErrorCode::kInvalidArgument, fmt::format("no such macro: {}", tokens[i].in(piece)), {}, place);
    std::vector<std::pair<std::size_t, std::size_t>> arguments;
    std::size_t depth_of = 1;
    std::size_t j = i + 3;
    std::size_t from = j < tokens.size() ? tokens[j].begin : piece.size();
    bool is_closed = false;
    for (; j < tokens.size(); ++j) {
      const std::string_view token = tokens[j].in(piece);
      if (token == "(") ++depth_of;
      if (token == ")" && --depth_of == 0) {
        if (from < tokens[j].begin || !arguments.empty()) arguments.emplace_back(from, tokens[j].begin);
        is_closed = true;
        break;
      }
      if (token == "," && depth_of == 1) {
        arguments.emplace_back(from, tokens[j].begin);
        from = tokens[j].end;
      }
    }
    if (!is_closed) return fail(ErrorCode::kInvalidArgument, "the parentheses of a macro do not close", {}, place);
    if (arguments.size() != macro->second.parameters.size())
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("macro {} takes {} arguments, not {}", macro->first, macro->second.parameters.size(),
                              arguments.size()),
                  {}, place);
    emit(done, tokens[i].begin);
    // The body with its parameters put in; the arguments' own macros are expanded with it.
    std::string body;
    const std::string& pattern = macro->second.body;
    std::size_t copied = 0;
    for (const SqlToken& token : sql_tokens(pattern)) {
      if (token.kind != SqlToken::Kind::kVariable) continue;
      const std::string name = lowered(token.in(pattern).substr(1));
      const auto parameter = std::ranges::find(macro->second.parameters, name);
      if (parameter == macro->second.parameters.end()) continue;
      const auto& argument = arguments[static_cast<std::size_t>(parameter - macro->second.parameters.begin())];
      body.append(pattern, copied, token.begin - copied);
      body.append(piece.substr(argument.first, argument.second - argument.first));
      copied = token.end;
      if (body.size() > kLongestStatement)
        return fail(ErrorCode::kLimit, "a macro makes too long a statement", {}, place);
    }
    body.append(pattern, copied);
    if (out.size() + body.size() > kLongestStatement)
      return fail(ErrorCode::kLimit, "macros make too long a statement", {}, place);
    if (auto inner = expand(body, 0, body.size(), place, false, depth + 1, out); !inner) return inner;
    done = tokens[j].end;
    i = j;
  }
  emit(done, piece.size());
  return {};
}

Result<DialectStep> Dialect::translate(std::string_view text, std::size_t begin, std::size_t end) {
  DialectStep step;
  step.begin = begin;
  // A macro's own macros are expanded where it is used.
  const std::string written(text.substr(begin, end - begin));
  Reader head(written);
  if (head.take("CREATE") && (!head.take("OR") || head.take("REPLACE")) && head.take("PERFETTO") &&
      head.take("MACRO")) {
    step.sql.copy(text, begin, end);
  } else if (auto expanded = expand(text, begin, end, begin, true, 0, step.sql); !expanded) {
    return tl::make_unexpected(expanded.error());
  }
  Reader reader(step.sql.text());
  const auto wrong = [&](std::string cause) {
    return fail(ErrorCode::kInvalidArgument, std::move(cause), {}, step.sql.place(reader.offset()));
  };
  if (reader.take("INCLUDE")) {
    if (!reader.take("PERFETTO") || !reader.take("MODULE")) return wrong("INCLUDE PERFETTO MODULE name expected");
    std::string module;
    while (!reader.at_end()) {
      module += reader.peek();
      if (!reader.take_name() && !reader.take(".") && !reader.take("*")) return wrong("not the name of a module");
    }
    const bool is_known = std::ranges::any_of(
        kModules, [&](std::string_view known) { return module == known || module.starts_with("prelude."); });
    if (!is_known)
      return fail(ErrorCode::kUnsupported, fmt::format("Perfetto's module {} is not supported", module), {}, begin);
    step.kind = DialectStep::Kind::kNothing;
    return step;
  }
  if (reader.take("CREATE")) return translate_create(std::move(step), begin);
  if (reader.take("DROP") && reader.take("PERFETTO")) {
    if (!reader.take("INDEX")) return wrong("DROP PERFETTO INDEX expected");
    const auto name = reader.take_name();
    if (!name) return wrong("the name of an index expected");
    step.sql = MappedText();
    step.sql.add(fmt::format("DROP INDEX IF EXISTS {}", quoted_name(*name)), begin);
  }
  return step;
}

Result<DialectStep> Dialect::translate_create(DialectStep step, std::size_t offset) {
  const std::string text = step.sql.text();
  Reader reader(text);
  const auto wrong = [&](std::string cause) {
    return fail(ErrorCode::kInvalidArgument, std::move(cause), {}, step.sql.place(reader.offset()));
  };
  reader.take("CREATE");
  const bool may_replace = reader.take("OR") && reader.take("REPLACE");
  if (reader.take("VIRTUAL")) {
    if (!reader.take("TABLE")) return wrong("CREATE VIRTUAL TABLE expected");
    if (reader.take("IF")) reader.take("NOT"), reader.take("EXISTS");
    const auto name = reader.take_name();
    if (!name || !reader.take("USING")) return wrong("CREATE VIRTUAL TABLE name USING SPAN_JOIN(…) expected");
    SpanJoin& join = step.span_join;
    if (reader.take("SPAN_JOIN")) {
      join.kind = SpanJoin::Kind::kInner;
    } else if (reader.take("SPAN_LEFT_JOIN")) {
      join.kind = SpanJoin::Kind::kLeft;
    } else if (reader.take("SPAN_OUTER_JOIN")) {
      join.kind = SpanJoin::Kind::kOuter;
    } else {
      return fail(ErrorCode::kUnsupported, fmt::format("virtual tables of kind {} are unsupported", reader.peek()), {},
                  step.sql.place(reader.offset()));
    }
    const auto inputs = reader.take_list();
    if (!inputs || inputs->size() != 2) return wrong("two tables expected: (a [PARTITIONED c], b [PARTITIONED c])");
    for (std::size_t i = 0; i < 2; ++i) {
      Reader input((*inputs)[i]);
      SpanJoinInput& out = i == 0 ? join.left : join.right;
      const auto table = input.take_name();
      if (!table) return wrong("the name of a table expected");
      out.table = *table;
      if (input.take("PARTITIONED")) {
        const auto column = input.take_name();
        if (!column) return wrong("the name of a column expected");
        out.partition = *column;
      }
      if (!input.at_end()) return wrong("only TABLE or TABLE PARTITIONED COLUMN can be joined");
    }
    join.name = *name;
    step.kind = DialectStep::Kind::kSpanJoin;
    return step;
  }
  if (!reader.take("PERFETTO")) return step;  // SQLite's own
  const bool is_view = reader.take("VIEW");
  if (is_view || reader.take("TABLE")) {
    if (reader.take("IF")) reader.take("NOT"), reader.take("EXISTS");
    const auto name = reader.take_name();
    if (!name) return wrong("a name expected");
    if (reader.peek() == "(" && !reader.take_list()) return wrong("the parentheses do not close");
    if (reader.take("USING")) reader.take_name();
    if (!reader.take("AS")) return wrong("AS expected");
    const std::string_view what = is_view ? "VIEW" : "TABLE";
    MappedText sql;
    sql.add(fmt::format("CREATE TEMP {} {} AS ", what, quoted_name(*name)), offset);
    const std::size_t from = reader.offset();
    // The select, with its places.
    for (std::size_t at = from; at < text.size();) {
      std::size_t to = at + 1;
      while (to < text.size() && step.sql.place(to) == step.sql.place(to - 1) + 1) ++to;
      sql.copy(text, at, to, step.sql.place(at) - at);
      at = to;
    }
    step.sql = std::move(sql);
    if (may_replace) step.before = quoted_name(*name);
    return step;
  }
  if (reader.take("INDEX")) {
    const auto name = reader.take_name();
    if (!name || !reader.take("ON")) return wrong("CREATE PERFETTO INDEX name ON table(columns) expected");
    step.sql = MappedText();
    step.sql.add(
        fmt::format("CREATE INDEX {}{} ON {}", may_replace ? "IF NOT EXISTS " : "", quoted_name(*name), reader.rest()),
        offset);
    step.function.name = "index";  // what has no rows of its own needs none
    return step;
  }
  if (reader.take("FUNCTION")) {
    QueryFunction& function = step.function;
    const auto name = reader.take_name();
    if (!name) return wrong("the name of a function expected");
    function.name = *name;
    const auto parameters = reader.take_list();
    const auto names = parameters ? names_of(*parameters) : std::nullopt;
    if (!names) return wrong("parameters expected: (name TYPE, …)");
    function.parameters = *names;
    if (!reader.take("RETURNS")) return wrong("RETURNS expected");
    if (reader.take("TABLE")) {
      const auto columns = reader.take_list();
      const auto column_names = columns ? names_of(*columns) : std::nullopt;
      if (!column_names || column_names->empty()) return wrong("columns expected: TABLE(name TYPE, …)");
      function.columns = *column_names;
      function.is_table = true;
    } else {
      if (!reader.take_name()) return wrong("a type expected");
      if (reader.peek() == "(") reader.take_list();
    }
    if (reader.take("DELEGATES"))
      return fail(ErrorCode::kUnsupported, "DELEGATES TO is not supported", {}, step.sql.place(reader.offset()));
    if (!reader.take("AS")) return wrong("AS expected");
    function.body = reader.rest();
    function.may_replace = may_replace;
    step.kind = DialectStep::Kind::kFunction;
    return step;
  }
  if (reader.take("MACRO")) {
    const auto name = reader.take_name();
    const auto parameters = reader.take_list();
    const auto names = parameters ? names_of(*parameters) : std::nullopt;
    if (!name || !names || !reader.take("RETURNS"))
      return wrong("CREATE PERFETTO MACRO name(a Type) RETURNS Type AS … expected");
    reader.take_name();
    if (!reader.take("AS")) return wrong("AS expected");
    Macro macro;
    for (const std::string& parameter : *names) macro.parameters.push_back(lowered(parameter));
    macro.body = reader.rest();
    if (!may_replace && macros_.contains(lowered(*name)))
      return wrong(fmt::format("the macro {} is defined already", *name));
    macros_[lowered(*name)] = std::move(macro);
    step.kind = DialectStep::Kind::kNothing;
    return step;
  }
  return wrong("CREATE PERFETTO makes a TABLE, VIEW, FUNCTION, INDEX or MACRO");
}

}  // namespace lacuna

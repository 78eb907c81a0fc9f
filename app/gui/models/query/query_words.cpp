#include "app/gui/models/query/query_words.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/query/query_database.h"
#include "model/query/sql_text.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 60> kQueryWords{"SELECT",
                                                       "FROM",
                                                       "WHERE",
                                                       "GROUP BY",
                                                       "ORDER BY",
                                                       "HAVING",
                                                       "LIMIT",
                                                       "JOIN",
                                                       "LEFT",
                                                       "USING",
                                                       "DISTINCT",
                                                       "UNION ALL",
                                                       "BETWEEN",
                                                       "LIKE",
                                                       "GLOB",
                                                       "AND",
                                                       "OR",
                                                       "NOT",
                                                       "NULL",
                                                       "CASE",
                                                       "WHEN",
                                                       "THEN",
                                                       "ELSE",
                                                       "END",
                                                       "WITH",
                                                       "RECURSIVE",
                                                       "DESC",
                                                       "OVER",
                                                       "PARTITION BY",
                                                       "CREATE",
                                                       "VIEW",
                                                       "TABLE",
                                                       "INCLUDE",
                                                       "PERFETTO",
                                                       "MODULE",
                                                       "FUNCTION",
                                                       "COUNT(*)",
                                                       "SUM(",
                                                       "AVG(",
                                                       "MIN(",
                                                       "MAX(",
                                                       "median(",
                                                       "percentile(",
                                                       "printf(",
                                                       "LAG(",
                                                       "LEAD(",
                                                       "ROW_NUMBER()",
                                                       "extract_arg(",
                                                       "ancestor_slice(",
                                                       "descendant_slice(",
                                                       "following_flow(",
                                                       "preceding_flow(",
                                                       "directly_connected_flow(",
                                                       "slice_is_ancestor(",
                                                       "trace_start()",
                                                       "trace_end()",
                                                       "trace_dur()",
                                                       "SPAN_JOIN",
                                                       "CAST(",
                                                       "COALESCE("};
constexpr std::array<std::string_view, 11> kQueryViews{
    "track",   "thread_track", "process_track", "counter_track", "process_counter_track",  "counters",
    "instant", "thread_slice", "process_slice", "sched",         "thread_or_process_slice"};

/// Columns by table. Made once: they are the same for every trace.
const std::map<std::string, std::vector<std::string>, std::less<>>& known_tables() {
  static const auto* const tables = [] {
    auto* made = new std::map<std::string, std::vector<std::string>, std::less<>>();
    const Trace empty;
    QuerySource source(empty);
    const auto database = QueryDatabase::open(source);
    if (!database) return made;
    for (const QueryTable* table : (*database)->tables())
      if (!table->name.starts_with("_"))
        for (const QueryColumn& column : table->columns)
          if (!column.is_hidden) (*made)[table->name].push_back(column.name);
    for (const std::string_view view : kQueryViews) made->try_emplace(std::string(view));
    return made;
  }();
  return *tables;
}

bool begins_as(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// Names of the trace that begin so, or else have it in them.
void add_trace_names(Completion& found, std::string_view prefix, const Trace& trace) {
  std::vector<bool> is_name(trace.strings().size());
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i) is_name[lane.name(i).value] = true;
  for (const Category& category : trace.categories()) is_name[category.name.value] = true;
  for (std::uint32_t id = 0; id < is_name.size() && found.words.size() < Completion::kMost; ++id)
    if (is_name[id] && begins_as(trace.text(StringId{id}), prefix)) found.words.emplace_back(trace.text(StringId{id}));
}

}  // namespace

Completion complete_query(std::string_view sql, std::size_t cursor, const Trace* trace) {
  Completion found;
  cursor = std::min(cursor, sql.size());
  found.begin = found.end = cursor;
  const std::vector<SqlToken> tokens = sql_tokens(sql);
  const auto at = std::ranges::find_if(tokens, [&](const SqlToken& t) { return t.begin < cursor && cursor <= t.end; });
  if (at == tokens.end()) return found;
  const bool is_text = at->kind == SqlToken::Kind::kString;
  if (!is_text && at->kind != SqlToken::Kind::kWord) return found;
  found.begin = at->begin + (is_text ? 1 : 0);
  if (found.begin >= cursor) return found;
  const std::string_view prefix = sql.substr(found.begin, cursor - found.begin);
  if (is_text) {
    if (cursor == at->end && cursor - found.begin > 0 && sql[cursor - 1] == '\'') return Completion{cursor, cursor, {}};
    if (trace != nullptr) add_trace_names(found, prefix, *trace);
    return found;
  }
  const auto add = [&](std::string_view word) {
    if (found.words.size() < Completion::kMost && begins_as(word, prefix) && !equal_ignoring_case(word, prefix) &&
        std::ranges::find(found.words, word) == found.words.end())
      found.words.emplace_back(word);
  };
  // Of the statement around the cursor.
  std::vector<std::string_view> named;
  for (const SqlStatement& statement : split_statements(sql)) {
    if (cursor < statement.begin || cursor > statement.end) continue;
    for (const SqlToken& token : tokens)
      if (token.begin >= statement.begin && token.end <= statement.end && token.kind == SqlToken::Kind::kWord)
        named.push_back(token.in(sql));
  }
  const auto& tables = known_tables();
  for (const std::string_view name : named)
    if (const auto table = tables.find(name); table != tables.end())
      for (const std::string& column : table->second) add(column);
  for (const auto& [name, columns] : tables) add(name);
  for (const std::string_view word : kQueryWords) add(word);
  for (const auto& [name, columns] : tables)
    for (const std::string& column : columns) add(column);
  return found;
}

QueryLine line_at(std::string_view sql, std::size_t offset) {
  offset = std::min(offset, sql.size());
  const auto newline = offset == 0 ? std::string_view::npos : sql.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  QueryLine line;
  line.text = sql.substr(begin, sql.find('\n', begin) - begin);
  for (const char c : sql.substr(begin, offset - begin))
    line.characters_before += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1 : 0;
  return line;
}

QueryExcerpt line_around(std::string_view sql, std::size_t offset) {
  constexpr std::size_t kSide = 100;
  const std::string_view line = line_at(sql, offset).text;
  const std::size_t at = std::min(offset, sql.size()) - static_cast<std::size_t>(line.data() - sql.data());
  const auto is_inside = [&](std::size_t i) { return (static_cast<unsigned char>(line[i]) & 0xc0u) == 0x80u; };
  std::size_t begin = at > kSide ? at - kSide : 0;
  while (begin > 0 && begin < line.size() && is_inside(begin)) --begin;
  std::size_t end = std::min(line.size(), at + kSide);
  while (end < line.size() && is_inside(end)) ++end;
  QueryExcerpt excerpt;
  if (begin > 0) {
    excerpt.text = "\xE2\x80\xA6";
    excerpt.characters_before = 1;
  }
  for (std::size_t i = begin; i < end; ++i) {
    excerpt.text += line[i] == '\t' ? ' ' : line[i];
    if (i < at && !is_inside(i)) ++excerpt.characters_before;
  }
  if (end < line.size()) excerpt.text += "\xE2\x80\xA6";
  return excerpt;
}

std::string place_text(std::string_view sql, std::size_t offset) {
  offset = std::min(offset, sql.size());
  return fmt::format("line {}, column {}", 1 + std::ranges::count(sql.substr(0, offset), '\n'),
                     line_at(sql, offset).characters_before + 1);
}

}  // namespace lacuna

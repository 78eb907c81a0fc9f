#include "model/query/span_join.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lacuna {
namespace {

using Value = std::unique_ptr<sqlite3_value, void (*)(sqlite3_value*)>;
struct Span {
  sqlite3_int64 begin = 0;
  sqlite3_int64 end = 0;
  std::vector<Value> values;
};
using Partitions = std::map<std::pair<int, std::string>, std::vector<Span>>;
struct Input {
  std::vector<std::string> columns;  // without ts, dur and the partition
  Partitions partitions;
};

Result<Input> read_input(sqlite3* connection, const SpanJoinInput& from) {
  Input input;
  const auto wrong = [&](std::string cause) {
    return fail(ErrorCode::kInvalidArgument, "SPAN_JOIN: " + std::move(cause));
  };
  sqlite3_stmt* raw = nullptr;
  const std::string sql = fmt::format("SELECT * FROM {} ORDER BY ts, dur", quoted_name(from.table));
  if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
    return wrong(sqlite3_errmsg(connection));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  int ts = -1, dur = -1, partition = -1;
  std::vector<int> others;
  for (int i = 0; i < sqlite3_column_count(raw); ++i) {
    const std::string name = sqlite3_column_name(raw, i);
    if (name == "ts") {
      ts = i;
    } else if (name == "dur") {
      dur = i;
    } else if (!from.partition.empty() && sqlite3_stricmp(name.c_str(), from.partition.c_str()) == 0) {
      partition = i;
    } else {
      others.push_back(i);
      input.columns.push_back(name);
    }
  }
  if (ts < 0 || dur < 0) return wrong(from.table + " has no columns ts and dur");
  if (!from.partition.empty() && partition < 0) return wrong(from.table + " has no column " + from.partition);
  int rc = SQLITE_ROW;
  while ((rc = sqlite3_step(raw)) == SQLITE_ROW) {
    if (sqlite3_column_type(raw, ts) == SQLITE_NULL || sqlite3_column_type(raw, dur) == SQLITE_NULL) continue;
    if (partition >= 0 && sqlite3_column_type(raw, partition) == SQLITE_NULL) continue;
    Span span;
    span.begin = sqlite3_column_int64(raw, ts);
    const sqlite3_int64 length = sqlite3_column_int64(raw, dur);
    if (__builtin_add_overflow(span.begin, std::max<sqlite3_int64>(length, 0), &span.end))
      return wrong("a time is too large");
    for (const int i : others)
      span.values.emplace_back(sqlite3_value_dup(sqlite3_column_value(raw, i)), sqlite3_value_free);
    std::pair<int, std::string> key{0, {}};
    if (partition >= 0) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, partition));
      key = {sqlite3_column_type(raw, partition), text == nullptr ? "" : text};
    }
    std::vector<Span>& spans = input.partitions[key];
    if (!spans.empty() && spans.back().end > span.begin)
      return wrong(fmt::format("rows of {} overlap at ts {}", from.table, span.begin));
    spans.push_back(std::move(span));
  }
  if (rc != SQLITE_DONE) return wrong(sqlite3_errmsg(connection));
  return input;
}

}  // namespace

Result<void> make_span_join(sqlite3* connection, const SpanJoin& join) {
  auto left = read_input(connection, join.left);
  if (!left) return tl::make_unexpected(left.error());
  auto right = read_input(connection, join.right);
  if (!right) return tl::make_unexpected(right.error());
  const std::string partition = !join.left.partition.empty() ? join.left.partition : join.right.partition;
  std::string columns = "ts, dur";
  if (!partition.empty()) columns += ", " + quoted_name(partition);
  std::vector<std::string> used{"ts", "dur", partition};
  std::vector<std::size_t> left_columns, right_columns;
  const auto add_columns = [&](const Input& input, std::vector<std::size_t>& kept) {
    for (std::size_t i = 0; i < input.columns.size(); ++i) {
      if (std::ranges::find(used, input.columns[i]) != used.end()) continue;
      used.push_back(input.columns[i]);
      columns += ", " + quoted_name(input.columns[i]);
      kept.push_back(i);
    }
  };
  add_columns(*left, left_columns);
  add_columns(*right, right_columns);
  const auto run = [&](const std::string& sql) -> Result<void> {
    char* error = nullptr;
    if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &error) == SQLITE_OK) return {};
    std::string cause = error == nullptr ? "error" : error;
    sqlite3_free(error);
    return fail(ErrorCode::kInvalidArgument, "SPAN_JOIN: " + cause);
  };
  if (auto made = run(fmt::format("CREATE TEMP TABLE {} ({})", quoted_name(join.name), columns)); !made) return made;
  std::string marks;
  const std::size_t count = 2 + (partition.empty() ? 0 : 1) + left_columns.size() + right_columns.size();
  for (std::size_t i = 0; i < count; ++i) marks += i == 0 ? "?" : ", ?";
  sqlite3_stmt* raw = nullptr;
  const std::string sql = fmt::format("INSERT INTO temp.{} VALUES ({})", quoted_name(join.name), marks);
  if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
    return fail(ErrorCode::kInvalidArgument, std::string("SPAN_JOIN: ") + sqlite3_errmsg(connection));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> insert(raw, sqlite3_finalize);
  std::string failure;
  const auto emit = [&](const std::pair<int, std::string>& key, sqlite3_int64 begin, sqlite3_int64 end, const Span* a,
                        const Span* b) {
    if (!failure.empty()) return;
    sqlite3_reset(raw);
    sqlite3_clear_bindings(raw);
    int at = 0;
    sqlite3_bind_int64(raw, ++at, begin);
    sqlite3_bind_int64(raw, ++at, end - begin);
    if (!partition.empty()) {
      ++at;
      if (key.first == SQLITE_INTEGER) {
        sqlite3_bind_int64(raw, at, std::strtoll(key.second.c_str(), nullptr, 10));
      } else {
        sqlite3_bind_text(raw, at, key.second.c_str(), -1, SQLITE_TRANSIENT);
      }
    }
    for (const std::size_t i : left_columns) {
      ++at;
      if (a != nullptr) sqlite3_bind_value(raw, at, a->values[i].get());
    }
    for (const std::size_t i : right_columns) {
      ++at;
      if (b != nullptr) sqlite3_bind_value(raw, at, b->values[i].get());
    }
    if (sqlite3_step(raw) != SQLITE_DONE) failure = sqlite3_errmsg(connection);
  };
  // Each partition of either side against its like of the other, or against the whole where that has none.
  const bool keeps_left = join.kind != SpanJoin::Kind::kInner;
  const bool keeps_right = join.kind == SpanJoin::Kind::kOuter;
  const std::vector<Span> nothing;
  const auto spans_of = [&](const Input& input, const SpanJoinInput& from,
                            const std::pair<int, std::string>& key) -> const std::vector<Span>& {
    const auto found = input.partitions.find(from.partition.empty() ? std::pair<int, std::string>{} : key);
    return found == input.partitions.end() ? nothing : found->second;
  };
  std::map<std::pair<int, std::string>, bool> keys;
  if (!join.left.partition.empty() || join.right.partition.empty())
    for (const auto& [key, spans] : left->partitions) keys[key] = true;
  if (!join.right.partition.empty())
    for (const auto& [key, spans] : right->partitions) keys[key] = true;
  if (partition.empty()) keys[{}] = true;
  for (const auto& [key, unused] : keys) {
    const std::vector<Span>& as = spans_of(*left, join.left, key);
    const std::vector<Span>& bs = spans_of(*right, join.right, key);
    std::size_t i = 0, j = 0;
    sqlite3_int64 at = std::min(as.empty() ? std::numeric_limits<sqlite3_int64>::max() : as[0].begin,
                                bs.empty() ? std::numeric_limits<sqlite3_int64>::max() : bs[0].begin);
    while (i < as.size() || j < bs.size()) {
      const Span* a = i < as.size() && as[i].begin <= at ? &as[i] : nullptr;
      const Span* b = j < bs.size() && bs[j].begin <= at ? &bs[j] : nullptr;
      sqlite3_int64 next = std::numeric_limits<sqlite3_int64>::max();
      if (i < as.size()) next = std::min(next, a != nullptr ? a->end : as[i].begin);
      if (j < bs.size()) next = std::min(next, b != nullptr ? b->end : bs[j].begin);
      const bool is_wanted =
          (a != nullptr && b != nullptr) || (a != nullptr && keeps_left) || (b != nullptr && keeps_right);
      const bool is_instant = (a != nullptr && a->begin == a->end) || (b != nullptr && b->begin == b->end);
      if (is_wanted && (next > at || is_instant)) emit(key, at, next, a, b);
      at = next;
      if (a != nullptr && a->end <= at) ++i;
      if (b != nullptr && b->end <= at) ++j;
    }
  }
  if (!failure.empty()) return fail(ErrorCode::kLimit, "SPAN_JOIN: " + failure);
  return {};
}

}  // namespace lacuna

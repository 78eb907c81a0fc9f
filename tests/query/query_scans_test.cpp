// Every column of every table, asked through what finds rows fast, against looking at all of them.

#include <algorithm>
#include <random>
#include <set>

#include "tests/query/query_support.h"
#include "tests/support/rounds.h"

namespace lacuna {
namespace {

/// Nested and crossing slices, calls and kernels, flows, counters, marks, asynchronous slices and open ones; times in
/// us.
std::string random_events(std::uint32_t seed) {
  std::mt19937 engine(seed);
  const auto roll = [&](int low, int high) {
    return low + static_cast<int>(engine() % static_cast<std::uint32_t>(high - low + 1));
  };
  std::string json = R"([{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},)"
                     R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}})";
  const auto add = [&](const std::string& event) { json += ",\n{" + event + "}"; };
  int t = 0;
  for (int n = 1; n <= 60; ++n) {
    t += roll(0, 6);
    const int tid = roll(1, 3), length = roll(0, 20);
    switch (roll(0, 9)) {
      case 0:
      case 1:
      case 2:
        add(fmt::format(R"("ph":"X","cat":"cpu_op","name":"aten::f{}","pid":1,"tid":{},"ts":{},"dur":{},)"
                        R"("args":{{"External id":{},"Input Dims":[[{},3]],"x":{}.5}})",
                        roll(0, 4), tid, t, length, n, n, roll(0, 3)));
        break;
      case 3:
      case 4:
        add(fmt::format(R"("ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":{},"ts":{},"dur":1,)"
                        R"("args":{{"correlation":{}}})",
                        tid, t, n));
        add(fmt::format(R"("ph":"X","cat":"kernel","name":"k{}","pid":0,"tid":7,"ts":{},"dur":{},)"
                        R"("args":{{"device":0,"stream":7,"correlation":{},"grid":[{},1,1]}})",
                        roll(0, 2), 20 * n, roll(1, 19), n, roll(1, 4)));
        break;
      case 5:
        add(fmt::format(R"("ph":"C","name":"c{}","pid":1,"tid":1,"ts":{},"args":{{"v":{}}})", roll(0, 1), t,
                        roll(-3, 3)));
        break;
      case 6:
        add(fmt::format(R"("ph":"i","s":"t","cat":"m","name":"mark","pid":1,"tid":{},"ts":{})", tid, t));
        break;
      case 7:
        add(fmt::format(R"("ph":"b","cat":"a","name":"async","id":{},"pid":1,"tid":1,"ts":{})", n, t));
        add(fmt::format(R"("ph":"e","cat":"a","name":"async","id":{},"pid":1,"tid":1,"ts":{})", n, t + length));
        break;
      case 8:
        add(fmt::format(R"("ph":"s","id":{},"cat":"fl","name":"fl","pid":1,"tid":{},"ts":{})", n, tid, t));
        add(fmt::format(R"("ph":"f","bp":"e","id":{},"cat":"fl","name":"fl","pid":1,"tid":{},"ts":{})", n, roll(1, 3),
                        t + length));
        break;
      default:
        add(fmt::format(R"("ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":9)",
                        n, t));
        break;
    }
  }
  return json + "]";
}

std::string quoted(const Cell& cell) {
  if (cell.kind == Cell::Kind::kNull) return "NULL";
  if (cell.kind == Cell::Kind::kInteger || cell.kind == Cell::Kind::kReal) return Asked::show(cell);
  std::string text = "'";
  for (const char c : Asked::show(cell)) text.append(c == '\'' ? 2 : 1, c);
  return text + "'";
}

TEST_CASE("a slice is an ancestor of those of its track that it holds, deeper ones") {
  for (std::uint32_t seed = 1; seed <= rounds(6u); ++seed) {
    Asked a(random_events(seed));
    const char* pairs = "FROM slice a, slice b WHERE ";
    const std::string held =
        "a.track_id = b.track_id AND a.depth < b.depth AND a.ts <= b.ts AND (a.dur = -1 OR a.ts + "
        "a.dur >= b.ts + b.dur)";
    CHECK(a.ask(fmt::format("SELECT a.id, b.id {} slice_is_ancestor(a.id, b.id)", pairs)) ==
          a.ask(fmt::format("SELECT a.id, b.id {} {}", pairs, held)));
    CHECK(a.ask(fmt::format("SELECT COUNT(*) {} {}", pairs, held)) != "0");
  }
}

TEST_CASE("rows found by any column are those that a scan finds, in its order where one is asked for") {
  for (std::uint32_t seed = 1; seed <= rounds(2u); ++seed) {
    Asked a(random_events(seed));
    std::size_t compared = 0;
    for (const QueryTable* table : a.database->tables()) {
      if (a.ask(fmt::format("SELECT COUNT(*) FROM {}", table->name)).starts_with("error")) continue;  // wants arguments
      for (const QueryColumn& column : table->columns) {
        std::set<std::string> values;
        (void)a.database->run(
            fmt::format("SELECT DISTINCT \"{}\" FROM {} ORDER BY 1", column.name, table->name), {},
            [](std::span<const std::string>) {},
            [&](std::span<const Cell> row) {
              values.insert(quoted(row[0]));
              return values.size() < 12;
            });
        // And what no row has, just beside what some have.
        for (const char* other : {"-1", "0", "1", "2.5", "'x'", "NULL", "9223372036854775807"}) values.insert(other);
        for (const std::string& value : values)
          for (const char* op : {"=", "<", "<=", ">", ">=", "IS"}) {
            const auto rows = [&](const char* pattern) {
              const std::string condition = fmt::format("\"{}\" {} {}", column.name, op, value);
              return a.ask(fmt::format(fmt::runtime(pattern), table->name, condition));
            };
            const std::string by_constraint = rows("SELECT * FROM {} WHERE {}");
            const std::string by_scan = rows("SELECT * FROM {} WHERE (({}) IS TRUE)");  // no constraint for SQLite
            if (by_constraint == by_scan) continue;
            CAPTURE(table->name);
            CAPTURE(column.name);
            CAPTURE(std::string(op));
            CAPTURE(value);
            CHECK(by_constraint == by_scan);
          }
        const auto ordered = [&](const char* unary, const char* direction) {
          return a.ask(
              fmt::format("SELECT * FROM {} ORDER BY {}\"{}\" {}", table->name, unary, column.name, direction));
        };
        const auto only = [&](const char* unary, const char* direction) {
          return a.ask(fmt::format("SELECT \"{1}\" FROM {0} ORDER BY {2}\"{1}\" {3}", table->name, column.name, unary,
                                   direction));
        };
        CAPTURE(table->name);
        CAPTURE(column.name);
        CHECK(only("", "ASC") == only("+", "ASC"));
        CHECK(only("", "DESC") == only("+", "DESC"));
        CHECK(ordered("", "ASC").size() == ordered("+", "ASC").size());
        ++compared;
      }
    }
    CHECK(compared > 50);
  }
}

}  // namespace
}  // namespace lacuna

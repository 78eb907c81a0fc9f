#include "model/query/grouped_query.h"

#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/query/query_support.h"

namespace lacuna {
namespace {

/// The same statement over a subquery, which is asked as it is.
std::string as_it_is(std::string_view sql) {
  constexpr std::string_view kFrom = "FROM slice";
  std::string text(sql);
  text.replace(text.find(kFrom), kFrom.size(), "FROM (SELECT * FROM slice)");
  return text;
}

/// Slices of few names on several tracks, some without an end, some of no length or without a name or category.
std::string many_slices() {
  std::string json = R"({"traceEvents":[)";
  for (int i = 0; i < 300; ++i)
    json += fmt::format(R"({{"ph":"X",{}{}"pid":1,"tid":{},"ts":{},"dur":{}}},)",
                        i % 7 == 0 ? "" : fmt::format(R"("cat":"c{}",)", i % 3),
                        i % 11 == 0 ? "" : fmt::format(R"("name":"n{}",)", i * i % 5), i % 4, i * 10,
                        i % 13 == 0 ? 0 : i % 9 + 0.5);
  return json + R"({"ph":"B","name":"n1","pid":1,"tid":9,"ts":1}]})";
}

TEST_CASE("aggregates over counted slices are those over slices") {
  Asked a(many_slices());
  constexpr std::array<std::string_view, 20> kStatements{
      "SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name",
      "select name, count(*) as n, sum(dur) total from slice group by name order by total desc, name limit 3",
      "SELECT name, COUNT(*) calls, SUM(dur)/1e6 ms, SUM(dur) / 1e3 / COUNT(*) avg_us FROM slice WHERE dur > 0 AND "
      "category = 'c1' AND (name LIKE '%n1%' OR name LIKE '%n4') GROUP BY name ORDER BY ms DESC LIMIT 80",
      "SELECT s.name, s.category, MIN(s.dur), MAX(dur), AVG(dur), MIN(ts), MAX(s.ts) FROM slice s GROUP BY s.name, "
      "s.category ORDER BY 1, 2",
      "SELECT slice.name, count(1) FROM slice WHERE slice.track_id IN (1, 2) GROUP BY slice.name ORDER BY name",
      "SELECT COUNT(*), SUM(dur), AVG(dur), MIN(ts) FROM slice",
      "SELECT COUNT(*), SUM(dur), AVG(dur), MIN(dur) FROM slice WHERE name = 'nobody'",
      "SELECT cat, track_id, COUNT(id) FROM slice GROUP BY category, track_id HAVING COUNT(*) >= 10 ORDER BY 1, 2",
      "SELECT name, SUM(dur) AS dur FROM slice GROUP BY name ORDER BY dur DESC",
      "SELECT name, COUNT(*) FROM slice WHERE dur >= 0 GROUP BY name HAVING name IS NOT NULL ORDER BY name DESC",
      "SELECT name, round(AVG(dur), 1), printf('%d!', COUNT(*)), CAST(SUM(dur) AS REAL) FROM slice GROUP BY name",
      "SELECT name, CASE WHEN COUNT(*) <> 10 THEN 'a' ELSE 'b' || name END kind FROM slice GROUP BY name ORDER BY name",
      "SELECT name FROM slice WHERE NOT dur > 0 GROUP BY name HAVING MAX(dur) != 7 ORDER BY SUM(dur), name",
      "SELECT upper(name), SUM(dur) * 100 FROM slice WHERE name GLOB 'n*' GROUP BY name ORDER BY 2 LIMIT 2 OFFSET 1",
      "SELECT count(*) FROM slice WHERE category IS NULL",
      "SELECT name, COUNT(*) FROM slice WHERE lower(name) BETWEEN 'n1' AND 'n3' GROUP BY name ORDER BY COUNT(*), name",
      "SELECT AVG(dur)*2 - 1, -SUM(dur) FROM slice WHERE cat = 'c0'",
      "SELECT /* note */ name, COUNT( * ) FROM slice -- all\n GROUP BY name",
      "SELECT count(dur), sum(dur) % 1000 FROM slice WHERE track_id>=1",
      "SELECT COUNT(*) count, name FROM slice GROUP BY name ORDER BY count, 2"};
  for (const std::string_view sql : kStatements) {
    CAPTURE(std::string(sql));
    std::string from(sql);
    const auto at = from.find("from slice");
    if (at != std::string::npos) from.replace(at, 10, "FROM slice");
    CHECK(grouped_query(sql).has_value());
    const std::string said = a.ask(sql);
    CHECK(said.find("error") == std::string::npos);
    if (from.find("slice.") == std::string::npos) CHECK(said == a.ask(as_it_is(from)));
  }
}

TEST_CASE("everything else is asked as it is") {
  constexpr std::array<std::string_view, 27> kStatements{
      "SELECT * FROM slice",
      "SELECT name, dur FROM slice",
      "SELECT name FROM slice GROUP BY name",
      "SELECT name, category, COUNT(*) FROM slice GROUP BY name",
      "SELECT depth, COUNT(*) FROM slice GROUP BY depth",
      "SELECT name, SUM(dur / 2) FROM slice GROUP BY name",
      "SELECT name, SUM(DISTINCT dur) FROM slice GROUP BY name",
      "SELECT COUNT(DISTINCT name) FROM slice",
      "SELECT COUNT(name) FROM slice",
      "SELECT COUNT(*) FROM slice WHERE dur > 1",
      "SELECT COUNT(*) FROM slice WHERE 1 + dur > 0",
      "SELECT COUNT(*) FROM slice WHERE dur > 0 + 1",
      "SELECT COUNT(*) FROM slice WHERE ts > 5",
      "SELECT COUNT(*) FROM slice, thread",
      "SELECT COUNT(*) FROM slice JOIN thread",
      "SELECT COUNT(*) FROM slice UNION SELECT 1",
      "SELECT COUNT(*) FROM slice WHERE id IN (SELECT slice_in FROM flow)",
      "SELECT (SELECT 1), COUNT(*) FROM slice",
      "SELECT COUNT(*) FILTER (WHERE dur > 0) FROM slice",
      "SELECT SUM(dur) OVER () FROM slice",
      "SELECT name, MAX(dur, 3) FROM slice GROUP BY name",
      "SELECT name AS category, COUNT(*) FROM slice GROUP BY category",
      "SELECT name, SUM(dur) AS dur FROM slice GROUP BY name HAVING dur > 5",
      "SELECT name, SUM(dur) AS dur FROM slice GROUP BY name ORDER BY dur + 1",
      "WITH slice AS (SELECT 1) SELECT COUNT(*) FROM slice",
      "SELECT COUNT(*) FROM slices",
      "EXPLAIN SELECT COUNT(*) FROM slice"};
  for (const std::string_view sql : kStatements) {
    CAPTURE(std::string(sql));
    CHECK_FALSE(grouped_query(sql).has_value());
  }
  CHECK_FALSE(grouped_query("").has_value());
  CHECK_FALSE(grouped_query("SELECT").has_value());
  CHECK_FALSE(grouped_query("SELECT COUNT(*) FROM").has_value());
  CHECK_FALSE(grouped_query("SELECT COUNT(*) FROM slice GROUP BY").has_value());
}

TEST_CASE("what a query calls slice or sum goes before what is counted already") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT COUNT(*), SUM(dur) FROM slice") == "6|115000");
  CHECK(a.ask("CREATE TEMP VIEW slice AS SELECT 5 AS dur; SELECT COUNT(*), SUM(dur) FROM slice") == "1|5");
  CHECK(a.ask("DROP VIEW slice; SELECT COUNT(*), SUM(dur) FROM slice") == "6|115000");
  CHECK(a.ask("CREATE PERFETTO FUNCTION round(x LONG) RETURNS LONG AS SELECT 7; SELECT round(SUM(dur)) FROM slice") ==
        "7");
}

TEST_CASE("sums beyond what is exact are SQLite's own") {
  // Twice two months: more than doubles count one by one.
  Asked a(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5000000000001},
{"ph":"X","name":"a","pid":1,"tid":2,"ts":0,"dur":5000000000002}])");
  CHECK(a.ask("SELECT COUNT(*), SUM(dur), MAX(dur) FROM slice") == "2|10000000000003000|5000000000002000");
  CHECK(a.ask("SELECT SUM(_sum) FROM _slice_group").find("sums are not exact") != std::string::npos);
}

}  // namespace
}  // namespace lacuna

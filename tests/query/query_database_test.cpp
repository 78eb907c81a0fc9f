#include "model/query/query_database.h"

#include <atomic>

#include <doctest/doctest.h>

#include "tests/query/query_support.h"

namespace lacuna {
namespace {

TEST_CASE("slices have Perfetto's ids, depths and parents") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT id, ts, dur, name, depth, parent_id FROM slice") ==
        "0|100000|50000|aten::linear|0|NULL; 1|105500|30000|aten::mm|1|0; 2|110000|5000|cudaLaunchKernel|2|1; "
        "3|130000|20000|gemm|0|NULL; 4|160000|10000|relu|0|NULL; 5|170000|0|mark|0|NULL");
  CHECK(a.ask("SELECT pid, tid FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) JOIN "
              "process USING (upid) WHERE s.name = 'gemm'") == "0|7");
  CHECK(a.ask("SELECT name, pid FROM process WHERE name IS NOT NULL") == "python|10");
  CHECK(a.ask("SELECT slice_out, slice_in FROM flow") == "2|3");
  CHECK(a.ask("SELECT t.name, value FROM counter c JOIN counter_track t ON t.id = c.track_id") == "mem bytes|5");
  CHECK(a.ask("SELECT trace_start(), trace_end(), end_ts - start_ts = trace_dur() FROM trace_bounds") ==
        "100000|170000|1");
}

TEST_CASE("events at the same time: ends first, then the longer slice") {
  Asked a(R"([{"ph":"B","name":"first","pid":1,"tid":1,"ts":0},
{"ph":"X","name":"inner","pid":1,"tid":1,"ts":5,"dur":1},{"ph":"X","name":"outer","pid":1,"tid":1,"ts":5,"dur":9},
{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"B","name":"open","pid":1,"tid":2,"ts":6}])");
  CHECK(a.ask("SELECT name, dur, depth FROM slice") == "first|5000|0; outer|9000|0; inner|1000|1; open|-1|0");
}

TEST_CASE("slices that cross spill to a track of their own, and are counted") {
  Asked a(
      R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":10}])");
  CHECK(a.ask("SELECT name, depth, (SELECT type FROM track t WHERE t.id = track_id) FROM slice") ==
        "a|0|thread_execution; b|0|thread_overlapping_slice");
  CHECK(a.ask("SELECT value FROM stats WHERE name = 'slice_spill_overlapping_complete_event'") == "1");
}

TEST_CASE("args are read from the event") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT key, flat_key, value_type, display_value FROM args JOIN slice USING (arg_set_id) WHERE name = "
              "'aten::linear'") ==
        "args.External id|args.External id|int|1; args.Input Dims[0][0]|args.Input Dims|int|2; args.Input "
        "Dims[0][1]|args.Input Dims|int|3; args.Input Dims[1][0]|args.Input Dims|int|3; args.ok|args.ok|bool|true");
  CHECK(a.ask("SELECT extract_arg(arg_set_id, 'args.grid[1]'), EXTRACT_ARG(arg_set_id, 'args.x'), "
              "extract_arg(arg_set_id, 'args.none') FROM slice WHERE name = 'gemm'") == "2|1.5|NULL");
  CHECK(a.ask("SELECT COUNT(*) FROM slice WHERE arg_set_id IN (SELECT arg_set_id FROM args WHERE key = "
              "'args.correlation' AND int_value = 7)") == "2");
  CHECK(a.ask("SELECT arg_set_id FROM slice WHERE name = 'mark'") == "NULL");
}

TEST_CASE("constraints find the same rows as a scan") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT name FROM slice WHERE id = 3") == "gemm");
  CHECK(a.ask("SELECT id FROM slice WHERE id > 1 AND id <= 3") == "2; 3");
  CHECK(a.ask("SELECT id FROM slice WHERE id >= 2 ORDER BY id DESC") == "5; 4; 3; 2");
  CHECK(a.ask("SELECT id FROM slice WHERE ts BETWEEN 105500 AND 130000") == "1; 2; 3");
  CHECK(a.ask("SELECT id FROM slice WHERE ts > 105500.5 AND ts < 160000.5 ORDER BY ts DESC") == "4; 3; 2");
  CHECK(a.ask("SELECT id FROM slice WHERE parent_id = 1") == "2");
  CHECK(a.ask("SELECT id FROM slice WHERE parent_id IS NULL") == "0; 3; 4; 5");
  CHECK(a.ask("SELECT id FROM slice WHERE category = 'kernel'") == "3; 4");
  CHECK(a.ask("SELECT id FROM slice WHERE category IN ('kernel', 'x')  ORDER BY id") == "3; 4; 5");
  CHECK(a.ask("SELECT id FROM slice WHERE category = 'none'").empty());
  CHECK(a.ask("SELECT id FROM slice WHERE id = '3'") == "3");
  CHECK(a.ask("SELECT id FROM slice WHERE id = 3.5 OR id = NULL").empty());
  CHECK(a.ask("SELECT id FROM slice WHERE id < -1 OR id > 9223372036854775806").empty());
  CHECK(a.ask("SELECT category, COUNT(*), SUM(dur) FROM slice GROUP BY category ORDER BY 1") ==
        "cpu_op|2|80000; cuda_runtime|1|5000; kernel|2|30000; x|1|0");
}

TEST_CASE("table functions go along parents and flows") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT name FROM ancestor_slice(2)") == "aten::linear; aten::mm");
  CHECK(a.ask("SELECT name FROM descendant_slice(0)") == "aten::mm; cudaLaunchKernel");
  CHECK(a.ask("SELECT slice_in FROM following_flow(0)") == "3");
  CHECK(a.ask("SELECT slice_out FROM preceding_flow(3)") == "2");
  CHECK(a.ask("SELECT s.id FROM slice s WHERE (SELECT COUNT(*) FROM flow f JOIN ancestor_slice(f.slice_out) p WHERE "
              "f.slice_in = s.id AND p.name = 'aten::mm') > 0") == "3");
  CHECK(a.ask("SELECT * FROM ancestor_slice(99)").starts_with("error"));
}

TEST_CASE("the dialect: tables, views, functions, macros, modules") {
  Asked a(kSmallTrace);
  CHECK(a.ask("INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO TABLE k(id LONG) AS SELECT id FROM slice "
              "WHERE category = \"kernel\"; CREATE PERFETTO INDEX i ON k(id); SELECT COUNT(*) FROM k") == "2");
  CHECK(a.ask("CREATE PERFETTO TABLE k AS SELECT 1 AS id; SELECT 1").starts_with("error"));
  CHECK(a.ask("CREATE OR REPLACE PERFETTO VIEW k AS SELECT 5 AS id; SELECT id FROM k") == "5");
  CHECK(a.ask("CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2; SELECT twice(twice(3))") == "12");
  CHECK(a.ask("CREATE PERFETTO FUNCTION long_ones(least LONG) RETURNS TABLE(name STRING, dur LONG) AS SELECT name, dur "
              "FROM slice WHERE dur >= $least; SELECT name FROM long_ones(30000)") == "aten::linear; aten::mm");
  CHECK(
      a.ask("CREATE PERFETTO MACRO only(t TableOrSubQuery, c Expr) RETURNS TableOrSubQuery AS (SELECT * FROM $t WHERE "
            "category = $c); SELECT name FROM only!(slice, 'kernel')") == "gemm; relu");
  CHECK(a.ask("SELECT cast_string!(1) || 'a'") == "1a");
  CHECK(a.ask("INCLUDE PERFETTO MODULE android.startup.startups") ==
        "error at 0: Perfetto's module android.startup.startups is not supported");
  CHECK(a.ask("DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT MAX(ts) AS s FROM slice WHERE name = \"gemm\"; SELECT s "
              "FROM v") == "130000");
}

TEST_CASE("SPAN_JOIN") {
  Asked a(kSmallTrace);
  const std::string inputs =
      "CREATE TABLE a1 AS SELECT 0 AS ts, 10 AS dur, 1 AS p, 'a' AS x UNION ALL SELECT 20, 10, 1, 'b' UNION ALL SELECT "
      "0, 5, 2, 'c'; CREATE TABLE b1 AS SELECT 5 AS ts, 20 AS dur, 1 AS p, 'y' AS z;";
  CHECK(a.ask(inputs + "CREATE VIRTUAL TABLE j USING SPAN_JOIN(a1 PARTITIONED p, b1 PARTITIONED p); SELECT * FROM j") ==
        "5|5|1|a|y; 20|5|1|b|y");
  CHECK(a.ask("CREATE VIRTUAL TABLE l USING SPAN_LEFT_JOIN(a1 PARTITIONED p, b1 PARTITIONED p); SELECT * FROM l ORDER "
              "BY p, ts") == "0|5|1|a|NULL; 5|5|1|a|y; 20|5|1|b|y; 25|5|1|b|NULL; 0|5|2|c|NULL");
}

TEST_CASE("the deviation of a sample: of two values and more") {
  Asked a(kSmallTrace);
  const std::string values = "WITH v(x) AS (SELECT 2 UNION ALL SELECT 4 UNION ALL SELECT NULL UNION ALL SELECT 9) ";
  CHECK(a.ask(values + "SELECT round(stddev(x), 6) FROM v") == "3.605551");
  CHECK(a.ask(values + "SELECT stddev(x) FROM v WHERE x < 3") == "NULL");
  CHECK(a.ask(values + "SELECT stddev(x) FROM v WHERE x IS NULL") == "NULL");
  CHECK(a.ask(values + "SELECT round(stddev(x), 6) FROM v WHERE x < 5") == "1.414214");
}

TEST_CASE("our own tables") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT ts, dur, device, stream, before_id, after_id FROM gap") == "150000|10000|0|7|3|4");
  CHECK(a.ask("SELECT launch_id, gpu_id, correlation, delay FROM launch") == "2|3|7|20000");
  CHECK(a.ask("SELECT id, self_dur, gpu_dur, gpu_count FROM operator") == "0|20000|20000|1; 1|25000|20000|1");
  CHECK(a.ask("SELECT events, busy, idle, gaps FROM stream") == "2|30000|10000|1");
  CHECK(a.ask("SELECT id, kind, grid_x, operator, launch_id FROM gpu_kernel") ==
        "3|kernel|4|aten::mm|2; 4|kernel|NULL|NULL|NULL");
  for (const QueryTable* table : a.database->tables()) {
    CHECK(!table->help.empty());
    for (const QueryColumn& column : table->columns) CHECK(!column.help.empty());
  }
}

TEST_CASE("steps have the GPU work that they own, and the time by which the report goes") {
  // The work of step 1 ends in step 2, and that of step 2 after it: the GPU paces them.
  const auto step = [](int n, int ts) {
    return fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":100}},
      {{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{},"dur":50}},
      {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}},
      {{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":150,"args":{{"correlation":{},"stream":7,"device":0}}}},)",
        n, ts, ts + 5, ts + 10, n, ts + 20 + 60 * (n - 1), n);
  };
  Asked asked(R"({"traceEvents":[)" + step(1, 0) + step(2, 100) + step(3, 200) +
              R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":300,"dur":1}]})");
  CHECK(asked.ask("SELECT number, ts, dur, launches, work_ts, work_dur, paced_ts, paced_dur, is_warm_up FROM step") ==
        "1|0|100000|1|20000|150000|0|170000|0; 2|100000|100000|1|180000|150000|170000|160000|0; "
        "3|200000|100000|1|340000|150000|330000|160000|0; 4|300000|1000|NULL|NULL|NULL|NULL|NULL|NULL");
}

TEST_CASE("errors say where") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT 1;\nSELECT nme FROM slice") == "error at 17: no such column: nme");
  CHECK(a.ask("SELECT nothing!(1)") == "error at 7: no such macro: nothing");
  CHECK(a.ask("CREATE PERFETTO TABLE t AS SELECT nme FROM slice") == "error at 34: no such column: nme");
  CHECK(a.ask("SELECT * FROM heap_graph_object") == "error at 0: Perfetto's table heap_graph_object is not supported");
  CHECK(a.ask("  -- nothing\n ; ") == "error at -1: there is no statement in the query");
}

TEST_CASE("nothing but the trace can be reached") {
  Asked a(kSmallTrace);
  for (const char* sql :
       {"ATTACH '/tmp/lacuna_query_attach.db' AS x", "VACUUM INTO '/tmp/lacuna_query_vacuum.db'",
        "PRAGMA writable_schema = ON", "PRAGMA temp_store_directory = '/tmp'", "SELECT load_extension('x')",
        "SELECT writefile('/tmp/x', 'y')", "INSERT INTO slice(id) VALUES (1)", "DELETE FROM args",
        "CREATE TRIGGER t AFTER INSERT ON sqlite_master BEGIN SELECT 1; END", "CREATE VIRTUAL TABLE t USING fts5(x)",
        "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')"}) {
    CAPTURE(sql);
    CHECK(a.ask(sql).starts_with("error"));
  }
}

TEST_CASE("what never ends is given up after its steps, where it stands") {
  Asked a(kSmallTrace);
  const auto ask = [&](std::string_view sql, std::uint64_t most_steps) {
    QueryDatabase::Options options;
    options.most_steps = most_steps;
    std::uint64_t rows = 0;
    const auto done = a.database->run(
        sql, options, [](std::span<const std::string>) {}, [&](std::span<const Cell>) { return ++rows > 0; });
    if (done) return fmt::format("{} rows", rows);
    CHECK(done.error().code == ErrorCode::kLimit);
    return fmt::format("{} at {}", done.error().cause, done.error().offset.value_or(99'999));
  };
  const std::string endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) ";
  CHECK(ask(endless + "SELECT SUM(x) FROM n", 2'000'000) == "the query has not ended after 2 million steps at 0");
  CHECK(ask("SELECT 1; " + endless + "SELECT group_concat(x) FROM n", 2'000'000) ==
        "the query has not ended after 2 million steps at 10");
  // All statements together; where a table is made, a function runs, or a span join reads.
  CHECK(
      ask("CREATE TABLE t AS " + endless + "SELECT x FROM n WHERE x < 0", 2'000'000).starts_with("the query has not"));
  CHECK(ask("CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS " + endless +
                "SELECT SUM(x) FROM n WHERE x > $a; "
                "SELECT f(1)",
            2'000'000)
            .starts_with("the query has not"));
  // The next one has its own.
  CHECK(ask("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT SUM(x) FROM n",
            20'000'000) == "1 rows");
  CHECK(ask("SELECT id FROM slice", 0) == "6 rows");
  CHECK(a.ask("SELECT zeroblob(600000000)") == "error at 0: a value of the query is longer than 512 MiB");
}

TEST_CASE("limits and cancelling") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT id FROM slice", 2) == "0; 1; …");
  std::atomic<bool> cancel{true};
  QueryDatabase::Options options;
  options.cancel = &cancel;
  const auto done = a.database->run(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n", options,
      [](std::span<const std::string>) {}, [](std::span<const Cell>) { return true; });
  REQUIRE(!done);
  CHECK(done.error().code == ErrorCode::kCancelled);
}

TEST_CASE("functions of Perfetto and of newer SQLites") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT to_timecode(3723004005006)") == "01:02:03 004 005 006");
  CHECK(a.ask("SELECT 'aten::mm' REGEXP '^aten::\\w+$', regexp_extract('step 12', '(\\d+)'), regexp('(', 'x')")
            .starts_with("error"));
  CHECK(a.ask("SELECT 'aten::mm' REGEXP '^aten::\\w+$', regexp_extract('step 12', '(\\d+)')") == "1|12");
  CHECK(a.ask("SELECT demangle('_Z3fooi'), concat('a', NULL, 2), iif(1 = 1, 'y'), str_split('a,b', ',', 1)") ==
        "foo(int)|a2|y|b");
  CHECK(
      a.ask("SELECT median(dur), percentile(dur, 100), string_agg(depth, ',') FROM slice WHERE category = 'cpu_op'") ==
      "40000|50000|0,1");
  CHECK(a.ask("SELECT slice_is_ancestor(0, 2), slice_is_ancestor(2, 0), time_to_ms(5000000), time_from_s(2)") ==
        "1|0|5|2000000000");
}

TEST_CASE("a regular expression counts as steps, and is cancelled between two matches") {
  Asked a(kSmallTrace);
  QueryDatabase::Options options;
  const auto run = [&](std::string_view sql, const QueryDatabase::RowSink& row) {
    return a.database->run(
        sql, options, [](std::span<const std::string>) {}, row);
  };
  // Every way to cut 4,000 letters in ones and twos: no number of steps ended that.
  constexpr std::string_view kEveryWay =
      "SELECT regexp('(a|aa)+$', replace(hex(zeroblob(2000)), '0', 'a') || name || 'b') FROM slice";
  options.most_steps = 100;
  const auto ended = run(kEveryWay, [](std::span<const Cell>) { return true; });
  REQUIRE(!ended);
  CHECK(ended.error().code == ErrorCode::kLimit);
  CHECK(ended.error().cause.find("has not ended after") != std::string::npos);

  std::atomic<bool> cancel{false};
  options = {};
  options.cancel = &cancel;
  int rows = 0;
  const auto cancelled = run(kEveryWay, [&](std::span<const Cell>) {
    cancel = true;
    ++rows;
    return true;
  });
  REQUIRE(!cancelled);
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
  CHECK(rows == 1);
}

TEST_CASE("regular expressions that could take for ever are refused in words") {
  Asked a(kSmallTrace);
  CHECK(a.ask("SELECT regexp('(a*)*\\1$', 'aaab')").find("regular expression: invalid escape sequence") !=
        std::string::npos);
  CHECK(a.ask("SELECT regexp('((a{100}){100}){100}', 'aaab')").find("regular expression: ") != std::string::npos);
  CHECK(a.ask("SELECT regexp('((\\pL{30}){5}', 'aaab')").find("missing )") != std::string::npos);
  CHECK(a.ask("SELECT regexp('(\\pL{15})', replace(hex(zeroblob(500000)), '0', 'a'))").find("too large for so long") !=
        std::string::npos);
  CHECK(a.ask("SELECT regexp_extract('ab', '(x)?b'), regexp_extract('ab', '(x?)b') = '', regexp('[[:digit:]]{2}$', "
              "'a12'), regexp_extract('a<b><c>', '<.*?>')") == "NULL|1|1|<b>");
}

}  // namespace
}  // namespace lacuna

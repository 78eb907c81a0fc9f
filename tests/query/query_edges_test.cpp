// What lies just within and just beyond: ids that are not there, pieces of texts, depths, lengths, equal times.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/query/query_support.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

TEST_CASE("an arg of a set that is not there is NULL, of the first and last it is its value") {
  Asked a(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,"args":{"k":1}},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":1,"args":{"k":2}}])");
  const std::string last = a.ask("SELECT MAX(arg_set_id) FROM args");
  REQUIRE(a.ask("SELECT key FROM args WHERE arg_set_id = " + last) == "utid");
  CHECK(a.ask("SELECT extract_arg(0, 'args.k'), extract_arg(1, 'args.k'), extract_arg(" + last + ", 'utid')") ==
        "1|2|1");
  const auto count = std::stoll(last) + 1;
  for (const long long beyond : {-1LL, count, 1LL << 40})
    CHECK(a.ask("SELECT extract_arg(" + std::to_string(beyond) + ", 'args.k')") == "NULL");
  CHECK(a.ask("SELECT extract_arg(NULL, 'args.k')") == "NULL");
}

TEST_CASE("times are those of the nearest double, however they are written") {
  std::mt19937_64 random(7);
  std::string json, expected;
  std::vector<std::string> times{
      "0.001", "0.5", "0.000", "9007199254740.991", "9007199254740.993", "4503599627370.497"};
  // Up to 2^53 ns and beyond; with three digits behind the point, as Kineto writes them, and with others.
  for (int i = 0; i < 3000; ++i) {
    const std::string digits = std::to_string(random() >> (random() % 10 + 10) | 1024);
    const std::size_t decimals = i % 4 == 0 ? random() % 2 + 1 : 3;
    times.push_back(digits.substr(0, digits.size() - decimals) + "." + digits.substr(digits.size() - decimals));
  }
  std::vector<long long> nanos;
  for (const std::string& text : times) {
    json.append(json.empty() ? "[" : ",").append(R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":0,"ts":)" + text + "}");
    const double micros = std::strtod(text.c_str(), nullptr);
    nanos.push_back(micros == std::trunc(micros) ? static_cast<long long>(micros) * 1000 : std::llround(micros * 1000));
  }
  std::ranges::sort(nanos);
  for (const long long time : nanos) expected.append(expected.empty() ? "" : "; ").append(std::to_string(time));
  Asked a(json + "]");
  CHECK(a.ask("SELECT ts FROM slice") == expected);
}

TEST_CASE("ids are the same, however many threads read the events") {
  std::string json;
  for (int i = 0; json.size() < 2'000'000; ++i)
    json.append(json.empty() ? "[" : ",\n")
        .append(fmt::format(
            R"({{"ph":"X","name":"n{}","cat":"c{}","pid":"p{}","tid":{},"ts":{},"dur":3,"args":{{"k":{}}}}})", i % 977,
            i % 5, i % 3, i % 7, (i * 7919) % 100'003, i % 1009));
  const Trace trace = std::move(*import_json(json + "]"));
  std::vector<std::string> answers;
  for (const unsigned threads : {1u, 5u}) {
    QuerySource source(trace, threads);
    const auto tables = source.make_tables();
    REQUIRE(tables.has_value());
    const TraceTables::Slices& s = source.tables().slices;
    std::string& answer = answers.emplace_back();
    for (std::uint32_t i = 0; i < s.size(); ++i)
      answer +=
          fmt::format("{} {} {} {} {} {};", s.ts[i], s.track[i], s.name[i], s.category[i], s.arg_set[i], s.offset[i]);
    for (const auto& thread : source.tables().threads) answer += fmt::format("{} ", thread.tid);
  }
  CHECK(answers[0].size() > 100'000);
  CHECK((answers[0] == answers[1]));
}

TEST_CASE("tables of our own read the file again for ids of slices alone") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.json", std::string(kSmallTrace));
  Asked a(import_files(std::span(&path, 1)));
  std::ofstream(path, std::ios::app) << " ";  // refused from now on
  for (const char* sql :
       {"SELECT COUNT(*) FROM operator", "SELECT name, dur, tid FROM operator ORDER BY ts", "SELECT busy FROM stream",
        "SELECT dur, cause FROM gap", "SELECT correlation, delay FROM launch WHERE dur > 0", "SELECT * FROM gpu",
        "SELECT o.name FROM (SELECT * FROM operator) AS o WHERE o.self_dur > 1"})
    CHECK_MESSAGE(a.ask(sql) == Asked(kSmallTrace).ask(sql), sql);
  for (const char* sql :
       {"SELECT id FROM operator", "SELECT * FROM operator", "SELECT COUNT(*) FROM operator WHERE id = 0",
        "SELECT COUNT(parent_id) FROM operator", "SELECT name FROM operator ORDER BY parent_id",
        "SELECT launch_id FROM launch", "SELECT COUNT(*) FROM launch AS l JOIN launch AS k USING (gpu_id)",
        "SELECT blamed_id FROM gap", "SELECT COUNT(*) FROM slice"})
    CHECK_MESSAGE(a.ask(sql).find("the file changed since it was opened") != std::string::npos, sql);
}

TEST_CASE("args: a key that comes again, null, escapes and two events of one slice") {
  Asked a(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,
  "args":{"a":1,"b":{"c":2},"b.c":true,"a":"again","l":[7,null,[8.5,{"x":"y"}],[]],"n":null,"\u0065":"\u00e9\""}},
{"ph":"B","name":"b","pid":1,"tid":1,"ts":2,"args":{"k":1,"same":1}},
{"ph":"E","pid":1,"tid":1,"ts":3,"args":{"same":-2,"e":3e2}}])");
  CHECK(a.ask("SELECT flat_key, key, int_value, string_value, real_value, value_type, display_value FROM args "
              "WHERE arg_set_id = (SELECT arg_set_id FROM slice WHERE name = 'a')") ==
        "args.a|args.a|NULL|again|NULL|string|again; args.b.c|args.b.c|1|NULL|NULL|bool|true; "
        "args.l|args.l[0]|7|NULL|NULL|int|7; args.l|args.l[1][0]|NULL|NULL|8.5|real|8.5; "
        "args.l.x|args.l[1][1].x|NULL|y|NULL|string|y; args.e|args.e|NULL|\xC3\xA9\"|NULL|string|\xC3\xA9\"");
  CHECK(
      a.ask("SELECT key, display_value FROM args WHERE arg_set_id = (SELECT arg_set_id FROM slice WHERE name = 'b')") ==
      "args.k|1; args.same|-2; args.e|300.0");
  CHECK(a.ask("SELECT COUNT(*), MIN(id), COUNT(DISTINCT id) FROM args WHERE key LIKE 'args.%'") == "11|0|11");
}

TEST_CASE("pieces of a text: the first and the last, none beyond, none without a delimiter") {
  Asked a("[]");
  CHECK(a.ask("SELECT str_split('a,b,', ',', 0), str_split('a,b,', ',', 2), str_split('a,b,', ',', 3)") == "a||NULL");
  CHECK(a.ask("SELECT str_split('ab', '', 0), str_split('ab', ',', -1), str_split(NULL, ',', 0)") == "NULL|NULL|NULL");
  CHECK(a.ask("SELECT str_split('a::b::c', '::', 1), str_split('', ',', 0)") == "b|");
}

TEST_CASE("a slice is an ancestor of slices that are there, of others nobody knows") {
  Asked a(kSmallTrace);
  const long long count = std::stoll(a.ask("SELECT COUNT(*) FROM slice"));
  const auto asked = [&](long long above, long long below) {
    return a.ask(fmt::format("SELECT slice_is_ancestor({}, {})", above, below));
  };
  CHECK(asked(0, 1) == "1");
  CHECK(asked(1, 0) == "0");
  CHECK(asked(0, 0) == "0");
  CHECK(asked(0, count - 1) == "0");
  CHECK(asked(count - 1, 0) == "0");
  for (const long long beyond : {-1LL, count, 1LL << 33}) {
    CHECK(asked(beyond, 0) == "NULL");
    CHECK(asked(0, beyond) == "NULL");
  }
}

TEST_CASE("a table of Perfetto's dialect has a name, in quotes or not") {
  Asked a("[]");
  CHECK(a.ask("CREATE PERFETTO TABLE plain AS SELECT 1 AS x; SELECT x FROM plain") == "1");
  CHECK(a.ask("CREATE PERFETTO TABLE \"two words\" AS SELECT 2 AS x; SELECT x FROM \"two words\"") == "2");
  for (const char* none : {"5", "'text'", "(", "*"})
    CHECK(a.ask(fmt::format("CREATE PERFETTO TABLE {} AS SELECT 1 AS x; SELECT 1", none)).starts_with("error"));
}

TEST_CASE("ids of flows that are texts are hexadecimal, in any case, with and without 0x") {
  const auto flows = [](const char* from, const char* to) {
    Asked a(fmt::format(R"([{{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":9}},
{{"ph":"s","id":"{}","cat":"f","name":"f","pid":1,"tid":1,"ts":1}},{{"ph":"X","name":"b","pid":1,"tid":2,"ts":20,"dur":9}},
{{"ph":"f","bp":"e","id":"{}","cat":"f","name":"f","pid":1,"tid":2,"ts":21}}])",
                        from, to));
    return a.ask("SELECT COUNT(*) FROM flow");
  };
  for (const char* same : {"1f", "1F", "0x1f", "0X1F", "0x1F"}) CHECK(flows("0x1f", same) == "1");
  for (const char* digit : {"0", "9", "a", "f", "A", "F"}) CHECK(flows(digit, digit) == "1");
  for (const char* other : {"0x2f", "0x1", "/", ":", "`", "g", "@", "G", "", "0x", "11112222333344445"})
    CHECK(flows("0x1f", other) == "0");
}

TEST_CASE("asynchronous slices: an id that is a text is another than the number") {
  // Of one id, the second would lie in the first; the two ends close what has their id.
  Asked a(R"([{"ph":"b","cat":"c","name":"n","id":"1","pid":1,"tid":1,"ts":0},
{"ph":"b","cat":"c","name":"n","id":1,"pid":1,"tid":1,"ts":10},
{"ph":"e","cat":"c","name":"n","id":"1","pid":1,"tid":1,"ts":30},
{"ph":"e","cat":"c","name":"n","id":1,"pid":1,"tid":1,"ts":20}])");
  CHECK(a.ask("SELECT COUNT(*), MAX(depth) FROM slice") == "2|0");
}

TEST_CASE("asynchronous events without a process or an id are counted, and make no slice") {
  Asked a(
      R"([{"ph":"b","cat":"c","name":"n","pid":1,"tid":1,"ts":1},{"ph":"b","cat":"c","name":"n","id":5,"tid":1,"ts":2},
{"ph":"b","cat":"c","name":"n","id":6,"pid":1,"tid":1,"ts":3}])");
  CHECK(a.ask("SELECT value FROM stats WHERE name = 'json_parser_failure'") == "2");
  CHECK(a.ask("SELECT COUNT(*) FROM slice") == "1");
}

TEST_CASE("slices are as deep as they may be, and no deeper") {
  std::string json = "[";
  for (int d = 0; d < 520; ++d)
    json += fmt::format(R"({}{{"ph":"X","name":"f{}","pid":1,"tid":1,"ts":{},"dur":{}}})", d == 0 ? "" : ",", d, d,
                        2000 - 2 * d);
  Asked a(json + "]");
  CHECK(a.ask("SELECT COUNT(*), MAX(depth) FROM slice") == "512|511");
}

TEST_CASE("open slices among those that are counted have a length below 0, which sums and counts keep") {
  Asked a(R"([{"ph":"B","name":"open","pid":1,"tid":1,"ts":0},{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":5},
{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":7}])");
  REQUIRE(a.ask("SELECT dur FROM slice WHERE name = 'open'") == "-1");
  CHECK(a.ask("SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name ORDER BY name") == "a|2|12000; open|1|-1");
  CHECK(a.ask("SELECT SUM(_sum) FROM _slice_group") == "11999");
}

TEST_CASE("a macro may make a statement as long as one may be, and no longer") {
  Asked a("[]");
  REQUIRE(a.ask("CREATE PERFETTO MACRO quoted(x Expr) RETURNS Expr AS $x; SELECT 1") == "1");
  const std::size_t longest = std::size_t{4} << 20;
  const std::string begin = "SELECT length(", end = ")";
  const auto asked = [&](std::size_t made) {  // bytes before and in the macro's body
    return a.ask(begin + "quoted!('" + std::string(made - begin.size() - 2, 'x') + "')" + end);
  };
  const std::string refused = "macros make too long a statement";
  CHECK(asked(longest).find(refused) == std::string::npos);  // SQLite takes less
  CHECK(asked(longest + 1).find(refused) != std::string::npos);
}

TEST_CASE("SPAN_JOIN: rows without a partition, times that touch, and moments") {
  Asked a("[]");
  const auto joined = [&](const char* left, const char* right) {
    return a.ask(
        fmt::format("DROP TABLE IF EXISTS l; DROP TABLE IF EXISTS r; DROP TABLE IF EXISTS j; CREATE TABLE l(ts, "
                    "dur, p, x); INSERT INTO l VALUES {}; CREATE TABLE r(ts, dur, p, y); INSERT INTO r VALUES "
                    "{}; CREATE VIRTUAL TABLE j USING SPAN_JOIN(l PARTITIONED p, r PARTITIONED p); SELECT ts, "
                    "dur, p, x, y FROM j ORDER BY p, ts, x, y",
                    left, right));
  };
  CHECK(joined("(0, 10, 1, 'a'), (0, 10, NULL, 'b')", "(0, 10, 1, 'c'), (0, 10, NULL, 'd')") == "0|10|1|a|c");
  CHECK(
      a.ask("CREATE TABLE first(p, ts, dur); INSERT INTO first VALUES (1, 0, 10), (NULL, 20, 10); CREATE TABLE "
            "second(p, ts, dur); INSERT INTO second VALUES (1, 5, 10), (NULL, 20, 10); CREATE VIRTUAL TABLE both USING "
            "SPAN_JOIN(first PARTITIONED p, second PARTITIONED p); SELECT ts, dur, p FROM both") == "5|5|1");
  CHECK(joined("(NULL, 10, 1, 'a'), (20, NULL, 1, 'b'), (30, 5, 1, 'c')", "(0, 100, 1, 'd')") == "30|5|1|c|d");
  CHECK(joined("(0, 10, 1, 'a'), (10, 10, 1, 'b')", "(5, 5, 1, 'c'), (10, 5, 1, 'd')") == "5|5|1|a|c; 10|5|1|b|d");
  CHECK(joined("(5, 0, 1, 'a')", "(0, 10, 1, 'c')") == "5|0|1|a|c");
  CHECK(joined("(0, 11, 1, 'a'), (10, 10, 1, 'b')", "(5, 5, 1, 'c')").find("overlap") != std::string::npos);
}

}  // namespace
}  // namespace lacuna

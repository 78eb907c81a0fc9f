// SPAN_JOIN against a plain join of every moment, on many small inputs: spans that touch, gaps, partitions of one side.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/query/query_support.h"

namespace lacuna {
namespace {

struct PlainSpan {
  int begin, end, partition, value;
};

/// Spans that do not overlap inside a partition, sorted by their begin.
std::vector<PlainSpan> some_spans(std::mt19937& random, int partitions) {
  std::vector<PlainSpan> spans;
  for (int p = 0; p < partitions; ++p)
    for (int at = static_cast<int>(random() % 4), n = static_cast<int>(random() % 4); n > 0; --n) {
      const int end = at + 1 + static_cast<int>(random() % 3);
      spans.push_back({at, end, p, static_cast<int>(random() % 90)});
      at = end + static_cast<int>(random() % 3);
    }
  std::ranges::sort(spans, {}, &PlainSpan::begin);
  return spans;
}

std::string table_of(const char* name, const std::vector<PlainSpan>& spans, const char* value) {
  std::string sql = fmt::format("CREATE TABLE {}(ts INT, dur INT, p INT, {} INT);", name, value);
  for (const PlainSpan& s : spans)
    sql += fmt::format("INSERT INTO {} VALUES({},{},{},{});", name, s.begin, s.end - s.begin, s.partition, s.value);
  // Rows without a time or a partition belong nowhere.
  return sql + fmt::format("INSERT INTO {0} VALUES(NULL,1,0,7),(1,NULL,0,7);", name);
}

/// What holds in each unit of time, joined to stretches where neither side changes.
std::string plain_join(const std::vector<PlainSpan>& left, const std::vector<PlainSpan>& right, int partitions,
                       bool keeps_left, bool keeps_right) {
  std::string text;
  const auto at = [](const std::vector<PlainSpan>& spans, int p, int t) {
    const auto found =
        std::ranges::find_if(spans, [&](const PlainSpan& s) { return s.partition == p && s.begin <= t && t < s.end; });
    return found == spans.end() ? -1 : static_cast<int>(found - spans.begin());
  };
  const auto shown = [](const std::vector<PlainSpan>& spans, int i) {
    return i < 0 ? std::string("NULL") : std::to_string(spans[static_cast<std::size_t>(i)].value);
  };
  for (int p = 0; p < partitions; ++p)
    for (int t = 0; t < 40;) {
      const int a = at(left, p, t), b = at(right, p, t), from = t;
      while (t < 40 && at(left, p, t) == a && at(right, p, t) == b) ++t;
      const bool is_wanted = (a >= 0 && b >= 0) || (a >= 0 && keeps_left) || (b >= 0 && keeps_right);
      if (!is_wanted) continue;
      text +=
          fmt::format("{}{}|{}|{}|{}|{}", text.empty() ? "" : "; ", from, t - from, p, shown(left, a), shown(right, b));
    }
  return text;
}

TEST_CASE("SPAN_JOIN is the plain join of every moment") {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const int partitions = 1 + round % 3;
    const auto left = some_spans(random, partitions), right = some_spans(random, partitions);
    Asked a("[]");
    const std::string tables = table_of("l", left, "x") + table_of("r", right, "y");
    REQUIRE(a.ask(tables).empty());
    struct Join {
      const char* kind;
      bool keeps_left, keeps_right;
    };
    for (const Join& join :
         {Join{"SPAN_JOIN", false, false}, Join{"SPAN_LEFT_JOIN", true, false}, Join{"SPAN_OUTER_JOIN", true, true}}) {
      const std::string made =
          fmt::format("CREATE VIRTUAL TABLE j{} USING {}(l PARTITIONED p, r PARTITIONED p); ", join.kind, join.kind);
      CAPTURE(tables);
      CAPTURE(join.kind);
      CHECK(a.ask(made + fmt::format("SELECT ts, dur, p, x, y FROM j{} ORDER BY p, ts", join.kind)) ==
            plain_join(left, right, partitions, join.keeps_left, join.keeps_right));
    }
  }
}

TEST_CASE("SPAN_JOIN: an empty row does not overlap with a longer one of the same moment") {
  Asked a("[]");
  CHECK(a.ask("CREATE TABLE l(ts INT, dur INT, x INT); INSERT INTO l VALUES(5,2,1),(5,0,2); "
              "CREATE TABLE r(ts INT, dur INT, y INT); INSERT INTO r VALUES(0,9,3); "
              "CREATE VIRTUAL TABLE j USING SPAN_JOIN(l, r); SELECT ts, dur, x, y FROM j WHERE dur > 0") == "5|2|1|3");
}

}  // namespace
}  // namespace lacuna

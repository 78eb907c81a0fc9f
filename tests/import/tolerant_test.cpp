// Damaged JSON: what is repaired, what is lost, and that it is counted where it is.
#include <algorithm>

#include <fmt/format.h>

#include "import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

constexpr std::string_view kBefore = R"({"ph":"i","name":"before","pid":1,"tid":1,"ts":1})";
constexpr std::string_view kAfter = R"({"ph":"i","name":"after","pid":1,"tid":1,"ts":9})";

/// Reads `damaged` between two sound events, whole and cut; the sound ones must always be there.
struct Damaged {
  ReadResult read;
  std::size_t at;  // where `damaged` begins

  explicit Damaged(std::string_view damaged, std::string_view separator = ",") {
    const std::string head = "[" + std::string(kBefore) + ",";
    const std::string json = head + std::string(damaged) + std::string(separator) + std::string(kAfter) + "]";
    at = head.size();
    read = read_text(json);
    CHECK(read.result.has_value());
    const ReadResult cut = read_text(json, cut_every(std::max<std::size_t>(16, json.size() / 5000)));
    CHECK(lines(cut) == lines(read));
    CHECK(report_lines(cut) == report_lines(read));
    CHECK(records().front() == "@1 i 0:1/1 / 1000 'before' (none) t");
    CHECK(records().back() == fmt::format("@{} i 0:1/1 / 9000 'after' (none) t", json.size() - 1 - kAfter.size()));
  }

  std::vector<std::string> records() const {
    std::vector<std::string> result;
    for (const std::string& line : lines(read))
      if (line.starts_with("@")) result.push_back(line);
    return result;
  }
  /// The damaged event's record without its offset, if it has one.
  std::string record() const {
    const auto all = records();
    if (all.size() < 3) return "";
    return all[1].substr(all[1].find(' ') + 1);
  }
  bool is(Finding finding, std::uint64_t count, std::string_view where, std::string_view damaged) const {
    const std::size_t expected = at + (where.empty() ? 0 : damaged.find(where));
    INFO(fmt::format("{} at {}, expected {}", info(finding).key, read.offset(finding), expected));
    CHECK(read.offset(finding) == expected);
    return read.count(finding) == count;
  }
};

std::string slice_text(std::string_view name) {
  return fmt::format("X 0:1/1 / 2000+3000 '{}' (none) c0 e0 f0", name);
}

std::string with_name(std::string_view name) {
  return fmt::format(R"({{"ph":"X","name":"{}","pid":1,"tid":1,"ts":2,"dur":3}})", name);
}

}  // namespace

TEST_CASE("raw quotes in a name") {
  struct Case {
    std::string_view name;
    std::uint64_t quotes;
  };
  for (const Case& c : {Case{R"(f<"x">)", 2},
                        {R"(one " quote)", 1},
                        {R"(", ")", 2},
                        {R"(a, "b", c)", 2},
                        {R"(a "b": c)", 2},
                        {R"({"a", "b"})", 4},
                        {R"("starts)", 1},
                        {R"(x"} more)", 1},
                        {R"(" , b " , c)", 2}}) {
    CAPTURE(c.name);
    const std::string text = with_name(c.name);
    const Damaged d(text);
    CHECK(d.record() == slice_text(c.name));
    CHECK(d.read.count(Finding::kRawQuote) == c.quotes);
    CHECK(d.read.offset(Finding::kRawQuote) == d.at + text.find(c.name) + c.name.find('"'));
    CHECK(d.read.report.total(Severity::kDataLoss) == 0);
  }
}

TEST_CASE("raw quotes in args, also in lists") {
  const std::string text =
      R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"External id":4,"cmd":"run "x" y","list":["a","b"c","d"],"correlation":5}})";
  const Damaged d(text);
  CHECK(d.record() == "X 0:1/1 / 2000+3000 'n' (none) c5 e4 f0");
  CHECK(d.is(Finding::kRawQuote, 3, R"("x")", text));
}

TEST_CASE("control characters in strings are kept") {
  const std::string text = with_name("tab\there, line\nthere, \x01");
  const Damaged d(text);
  CHECK(d.record() == slice_text("tab\there, line\nthere, \x01"));
  CHECK(d.is(Finding::kControlCharacter, 3, "\t", text));
}

TEST_CASE("bad escapes stay as they stand") {
  const std::string text = with_name("C:\\kernels\\x41 \\u12 and \n");  // the line feed makes it tolerant
  const Damaged d(text);
  CHECK(d.record() == slice_text("C:\\kernels\\x41 \\u12 and \n"));
  CHECK(d.read.count(Finding::kBadEscape) == 3);
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD") {
  const std::string text = with_name("na\xEFve \xC3\xA9 \xF0\x9F\x98 end");
  const Damaged d(text);
  CHECK(d.record() == slice_text("na\xEF\xBF\xBDve \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD end"));
  CHECK(d.is(Finding::kInvalidUtf8, 4, "\xEFve", text));
}

TEST_CASE("NaN and its relatives") {
  for (const std::string word : {"NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "-inf", "nan(ind)"}) {
    CAPTURE(word);
    const std::string text = fmt::format(R"({{"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":{}}})", word);
    const Damaged d(text);
    CHECK(d.record() == "X 0:1/1 / 2000+0 'n' (none) c0 e0 f2");
    CHECK(d.is(Finding::kNonFiniteNumber, 1, word, text));
    CHECK(d.read.count(Finding::kDurationInvalid) == 1);
  }
  const std::string text = R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":NaN,"dur":3,"args":{"a":[NaN,-Infinity]}})";
  const Damaged d(text);
  CHECK(d.record().empty());
  CHECK(d.is(Finding::kNonFiniteNumber, 3, "NaN", text));
  CHECK(d.read.count(Finding::kTimestampInvalid) == 1);
}

TEST_CASE("commas") {
  Damaged trailing(R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":[1,],},})");
  CHECK(trailing.record() == slice_text("n"));
  CHECK(trailing.read.count(Finding::kTrailingComma) == 3);
  CHECK(trailing.read.report.total(Severity::kRepaired) == 0);

  Damaged missing(R"({"ph":"X" "name":"n","pid":1 "tid":1,"ts":2,"dur":3})");
  // A string before the gap: the quote behind "X" does not look like its end.
  CHECK(missing.read.events() == 3);
  Damaged between_numbers(R"({"ph":"X","name":"n","pid":1 "tid":1,"ts":2 "dur":3,"args":{"a":[1 2]}})");
  CHECK(between_numbers.record() == slice_text("n"));
  CHECK(between_numbers.read.count(Finding::kSyntaxRepaired) == 1);  // once per event

  Damaged doubled(R"({"ph":"X",,"name":"n","pid":1,"tid":1,"ts":2,"dur":3})");
  CHECK(doubled.record() == slice_text("n"));
  CHECK(doubled.read.count(Finding::kSyntaxRepaired) == 1);

  Damaged between_events(with_name("n"), " ");
  CHECK(between_events.record() == slice_text("n"));
  CHECK(between_events.read.count(Finding::kSyntaxRepaired) == 1);

  Damaged extra(with_name("n"), ",,,");
  CHECK(extra.record() == slice_text("n"));
  CHECK(extra.read.count(Finding::kSyntaxRepaired) == 2);
}

TEST_CASE("missing values, colons and quotes") {
  for (const std::string text :
       {R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":})",
        R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":,"x":1})",
        R"({"ph":"X","name":"n","pid"::1,"tid":1,"ts":2,"dur":3})",
        R"({"ph":"X","name":"n","pid":1,tid:1,"ts":2,dur:3})",
        R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":True,"b":None,"c":undefined,"d":word}})",
        R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":+2,"dur":3.})",
        R"({"ph":"X","name":"n","pid":1,[,"tid":1,"ts":2,"dur":3})"}) {
    CAPTURE(text);
    const Damaged d(text);
    CHECK(d.record() == slice_text("n"));
    CHECK(d.read.count(Finding::kSyntaxRepaired) >= 1);
    CHECK(d.read.report.total(Severity::kDataLoss) == 0);
  }
}

TEST_CASE("brackets that do not match") {
  for (const std::string text : {R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":[1,{"b":2]}})",
                                 R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":[1,[2}})",
                                 R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":1})",
                                 R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3)"}) {
    CAPTURE(text);
    const Damaged d(text);
    CHECK(d.record() == slice_text("n"));
    CHECK(d.read.count(Finding::kSyntaxRepaired) >= 1);
  }
  const Damaged extra(with_name("n") + "}");
  CHECK(extra.record() == slice_text("n"));
  CHECK(extra.read.count(Finding::kJunkSkipped) == 1);
}

TEST_CASE("a string without its closing quote ends before the next event") {
  const std::string text = R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"a":"open}})";
  const Damaged d(text);
  CHECK(d.record() == slice_text("n"));
  CHECK(d.read.count(Finding::kSyntaxRepaired) == 1);
  const Damaged early(R"({"ph":"X","name":"open,"pid":1,"tid":1,"ts":2,"dur":3})");
  CHECK(early.read.events() == 3);
  CHECK(early.read.count(Finding::kTimestampMissing) == 1);
}

TEST_CASE("junk between events") {
  for (const std::string junk : {"garbage", "}}", "\x01\x02", "=== log line ===", "{{{{", "<xml>", "} ] , ["}) {
    CAPTURE(junk);
    const ReadResult read = read_text("[" + std::string(kBefore) + "," + junk + " " + std::string(kAfter) + "]");
    CHECK(read.phase('i') >= 1);
    CHECK(read.report.total(Severity::kDataLoss) > 0);
  }
  const Damaged d("garbage " + with_name("n"));
  CHECK(d.record() == slice_text("n"));
  CHECK(d.read.count(Finding::kJunkSkipped) == 7);
  CHECK(d.read.offset(Finding::kJunkSkipped) == d.at);
}

TEST_CASE("a damaged comma between two events costs neither of them") {
  for (const std::string comma : {"n ", "}n ", "x", ";\n", " 123 "}) {
    CAPTURE(comma);
    const Damaged d(R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"n"})", comma);
    CHECK(d.record() == slice_text("n"));
    CHECK(d.read.events() == 3);
  }
}

TEST_CASE("depth has a limit, the event is still shown") {
  for (const std::size_t depth : {100u, 1000u, 1030u, 5000u, 200000u}) {
    CAPTURE(depth);
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    const std::string event = R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":3,"args":{"deep":)";
    const Damaged d(event + deep + "}}");
    CHECK(d.record() == slice_text("n"));
    CHECK(d.read.report.total(Severity::kDataLoss) == 0);
    const std::string objects = [&] {
      std::string text;
      for (std::size_t i = 0; i < depth; ++i) text += R"({"b":["}",2],"a":)";
      return text + "1" + std::string(depth, '}');
    }();
    const Damaged o(event + objects + "}}");
    CHECK(o.record() == slice_text("n"));
    CHECK(o.read.report.total(Severity::kDataLoss) == 0);
    CHECK(o.read.report.total(Severity::kRepaired) == (depth > 1024 ? 1 : 0));
    // Alone in its file, too: nothing behind it says where it ends.
    const ReadResult alone = read_text("[" + event + objects + "}}]");
    CHECK(alone.events() == 1);
  }
}

TEST_CASE("only the damaged part of a large file is read tolerantly, and nothing else changes") {
  std::string events;
  for (int i = 0; i < 20000; ++i) {
    if (i > 0) events += ",\n";
    events += i % 5000 == 777 ? with_name("a \"b\" c") : with_name(fmt::format("op {}", i));
  }
  const ReadResult read = read_text(in_object(events));
  CHECK(read.events() == 20000);
  CHECK(read.count(Finding::kRawQuote) == 8);
  CHECK(lines(read) == lines(read_text(in_object(events), tolerant())));
}

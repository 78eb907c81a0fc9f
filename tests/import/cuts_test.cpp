// The result never depends on where the data are cut: for every chunk size the same events, at the
// same places, with the same findings, as in one piece.
#include <string>

#include "import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

void check_all_cuts(const std::string& json, std::size_t most = 70) {
  ImportOptions whole;
  whole.threads = 1;
  const ReadResult expected = read_text(json, whole);
  const auto expected_lines = lines(expected);
  const auto expected_report = report_lines(expected);
  for (std::size_t bytes = 1; bytes <= json.size() + 1; bytes += bytes < most ? 1 : 1 + json.size() / 20) {
    CAPTURE(bytes);
    const ReadResult read = read_text(json, cut_every(bytes));
    REQUIRE(read.result.has_value() == expected.result.has_value());
    REQUIRE(lines(read) == expected_lines);
    REQUIRE(report_lines(read) == expected_report);
    REQUIRE(read.facts.metadata == expected.facts.metadata);
  }
}

std::string event(int i, std::string_view args) {
  const std::string n = std::to_string(i);
  return R"({"ph":"X","cat":"cpu_op","name":"op )" + n + R"(","pid":1,"tid":)" + std::to_string(i % 3) + R"(,"ts":)" +
         n + R"(.125,"dur":0.5,"args":{)" + std::string(args) + "}}";
}

}  // namespace

TEST_CASE("compact and pretty events") {
  std::string compact;
  std::string pretty;
  for (int i = 0; i < 12; ++i) {
    compact += (i > 0 ? "," : "") + event(i, R"("External id": 5, "dims": [[1,2],[]])");
    pretty += (i > 0 ? ",\n  " : "\n  ") + event(i, "\n \"External id\": 5\n");
  }
  check_all_cuts(in_object(compact));
  check_all_cuts("[" + pretty + "\n]");
  check_all_cuts("[" + pretty);
}

TEST_CASE("strings that contain what looks like the border of two events") {
  std::string events;
  for (int i = 0; i < 6; ++i) {
    if (i > 0) events += ",";
    events +=
        event(i, R"("a":"x},{","ph":"y\"},{\"ph\":\"X\"},","b":"},","c":"{","list":["},{","ph","},","{"],"d":"},{")");
  }
  check_all_cuts(in_object(events));
}

TEST_CASE("nested lists of objects that look like events") {
  const std::string nested =
      R"("list":[{"ph":"X","name":"fake","pid":9,"tid":9,"ts":9,"dur":9},{"ph":"X","name":"fake","pid":9,"tid":9,"ts":9,"dur":9},{"ph":"B"}],"deep":[[{"a":1},{"ph":"E"}],[{"ph":"i"},{"b":[{"c":1},{"ph":"M"}]}]])";
  std::string events;
  for (int i = 0; i < 5; ++i) events += (i > 0 ? ", " : "") + event(i, nested);
  check_all_cuts(in_object(events));
}

TEST_CASE("an event much larger than the rest") {
  std::string list = R"("list":[)";
  for (int i = 0; i < 300; ++i) list += R"({"ph":"X","name":"fake","pid":1,"tid":1,"ts":1,"dur":1},)";
  list += "{}]";
  const std::string json = in_object(event(0, "") + "," + event(1, list) + "," + event(2, "") + "," + event(3, ""));
  check_all_cuts(json, 8);
}

TEST_CASE("events that no cut can see, and odd entries") {
  check_all_cuts(
      R"([{},{ },{"ph":"X","name":"a","pid":1,"tid":1,"ts":1},null,{"ph":"i","name":"b","pid":1,"tid":1,"ts":2},[{"ph":"X"},{"ph":"X"}],{}])");
}

TEST_CASE("damaged events") {
  std::string events;
  for (int i = 0; i < 9; ++i) {
    if (i > 0) events += ",\n";
    if (i == 3) {
      events += R"({"ph":"X","name":"raw "quote" here","pid":1,"tid":1,"ts":3,"dur":NaN})";
    } else if (i == 5) {
      events += "{\"ph\":\"X\",\"name\":\"control \x01 and bad \xFF\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1}";
    } else if (i == 6) {
      events += R"({"ph":"X","name":"no comma" "pid":1})";
    } else {
      events += event(i, R"("k":"v")");
    }
  }
  check_all_cuts(in_object(events));
  check_all_cuts("[" + events + ",,junk");
}

TEST_CASE("behind the events come other lists") {
  const std::string json =
      R"({"traceEvents":[)" + event(1, "") + "," + event(2, "") +
      R"(],"a":[{"ph":"X"},{"ph":"X"},{"ph":"X"}],"b":{"traceEvents":[{"ph":"X"},{"ph":"X"}]},"c":"},{"})";
  check_all_cuts(json);
}

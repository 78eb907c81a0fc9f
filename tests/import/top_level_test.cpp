// What lies around the events.
#include <algorithm>

#include "import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

constexpr std::string_view kTwoEvents =
    R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":2}])";

using Metadata = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("the keys around traceEvents may come in any order") {
  std::vector<std::string> members{
      R"("schemaVersion": 1)",
      R"("deviceProperties": [{"id": 0, "name": "NVIDIA \"H100\"", "totalGlobalMem": 84942979072, "computeMajor": 9, "computeMinor": 0, "numSms": 132, "more": {"a": [1]}}, {"id": "1", "name": ""}])",
      R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"rank": 77}]})",
      R"("baseTimeNanoseconds": 1727306856000000000)",
      R"("displayTimeUnit": "ms")",
      R"("traceEvents": )" + std::string(kTwoEvents),
  };
  std::ranges::sort(members);
  int orders = 0;
  do {
    std::string json = "{";
    for (const std::string& member : members) json += (json.size() > 1 ? ", " : "") + member;
    const ReadResult read = read_text(json + "}", cut_every(orders % 2 == 0 ? 16 : 1 << 20));
    REQUIRE(read.result.has_value());
    REQUIRE(read.events() == 2);
    REQUIRE(read.report.empty());
    const TraceSource& facts = read.facts;
    REQUIRE(facts.base_time_ns == 1727306856000000000);
    REQUIRE(facts.has_base_time);
    REQUIRE(facts.rank == 3);
    REQUIRE(facts.world_size == 8);
    REQUIRE(facts.display_time_unit == "ms");
    REQUIRE(facts.devices.size() == 2);
    REQUIRE(facts.devices[0].name == "NVIDIA \"H100\"");
    REQUIRE(facts.devices[0].total_memory_bytes == 84942979072);
    REQUIRE(facts.devices[0].compute_major == 9);
    REQUIRE(facts.devices[0].multiprocessors == 132);
    REQUIRE(facts.devices[1].id == "1");
    REQUIRE(facts.metadata.size() == 2);
    REQUIRE(facts.json_bytes == json.size() + 1);
  } while (std::ranges::next_permutation(members).found && ++orders < 720);
}

TEST_CASE("other keys are kept as text, in order, long ones cut") {
  const ReadResult read = read_text(R"({"trace_id": "AB", "n": [1, {"a": null}], "traceEvents": [], "long": ")" +
                                    std::string(10000, 'x') + R"(", "empty": {}, "\u0041": true})");
  CHECK(read.report.empty());
  REQUIRE(read.facts.metadata.size() == 5);
  CHECK(read.facts.metadata[0] == std::pair<std::string, std::string>("trace_id", "\"AB\""));
  CHECK(read.facts.metadata[1] == std::pair<std::string, std::string>("n", R"([1,{"a":null}])"));
  CHECK(read.facts.metadata[2].second.size() == 4096);
  CHECK(read.facts.metadata[3] == std::pair<std::string, std::string>("empty", "{}"));
  CHECK(read.facts.metadata[4] == std::pair<std::string, std::string>("A", "true"));
}

TEST_CASE("base time: a string, an epoch, nonsense") {
  CHECK(read_text(R"({"baseTimeNanoseconds": "17", "traceEvents": []})").facts.base_time_ns == 17);
  const ReadResult bad = read_text(R"({"baseTimeNanoseconds": "noon", "traceEvents": []})");
  CHECK_FALSE(bad.facts.has_base_time);
  CHECK(bad.facts.metadata == Metadata{{"baseTimeNanoseconds", "\"noon\""}});
}

TEST_CASE("a bare list; its bracket and a comma at the end are optional") {
  const std::string list(kTwoEvents);
  const std::string open = list.substr(0, list.size() - 1);
  const auto expected = lines(read_text(list));
  for (const ImportOptions& options : {ImportOptions(), tolerant(), cut_every(7)}) {
    for (const std::string& text : {list, open, open + "\n \n", " \r\n\t" + open}) {
      const ReadResult read = read_text(text, options);
      CHECK(read.result.has_value());
      CHECK(read.report.empty());
      CHECK(read.events() == 2);
    }
    for (const std::string& text : {open + ",", open + ",\n", open + ",]"}) {
      const ReadResult read = read_text(text, options);
      CHECK(read.result.has_value());
      CHECK(lines(read) == expected);
      CHECK(read.report.total(Severity::kRepaired) == 0);
      CHECK(read.report.total(Severity::kDataLoss) == 0);
      CHECK(read.count(Finding::kTrailingComma) == 1);
    }
  }
}

TEST_CASE("events without a list around them") {
  const std::string lines_of_json =
      "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}\n"
      "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2}\n";
  const ReadResult read = read_text(lines_of_json);
  CHECK(read.result.has_value());
  CHECK(read.events() == 2);
  CHECK(read.count(Finding::kSyntaxRepaired) == 1);
}

TEST_CASE("empty traces load") {
  for (const char* json : {"[]", " [ ] ", R"({"traceEvents":[]})", R"({"traceEvents": [
  ], "a": 1})"}) {
    CAPTURE(json);
    const ReadResult read = read_text(json);
    CHECK(read.result.has_value());
    CHECK(read.events() == 0);
    CHECK(read.report.empty());
  }
}

TEST_CASE("a byte order mark is skipped and counted") {
  const ReadResult read = read_text("\xEF\xBB\xBF" + std::string(kTwoEvents));
  CHECK(read.events() == 2);
  CHECK(read.count(Finding::kByteOrderMark) == 1);
  CHECK(lines(read)[0].starts_with("@4 "));
}

TEST_CASE("unescaped quotes in Kineto's INFO strings do not stop the load") {
  const std::string before = R"({"INFO": "cmd="python train.py --name "x", y" ran", "traceEvents": )";
  const std::string after = R"(, "INFO2": "said "no", and "yes": twice", "displayTimeUnit": "ns"})";
  const ReadResult read = read_text(before + std::string(kTwoEvents) + after);
  CHECK(read.result.has_value());
  CHECK(read.events() == 2);
  CHECK(read.count(Finding::kRawQuote) > 0);
  CHECK(read.facts.display_time_unit == "ns");
}

TEST_CASE("what follows the end of the JSON is counted") {
  const ReadResult read = read_text(std::string(kTwoEvents) + "\nfinished");
  CHECK(read.events() == 2);
  CHECK(read.count(Finding::kTrailingGarbage) == 8);
  CHECK(read.offset(Finding::kTrailingGarbage) == kTwoEvents.size() + 1);
  CHECK(read_text(R"({"traceEvents": [], "n": 1}xx)").count(Finding::kTrailingGarbage) == 2);
}

TEST_CASE("another document behind the first is lost, and that is said") {
  for (const std::string& second : {std::string(kTwoEvents), R"({"traceEvents": )" + std::string(kTwoEvents) + "}"})
    for (const std::string& first : {std::string(kTwoEvents), R"({"traceEvents": )" + std::string(kTwoEvents) + "}"}) {
      const ReadResult read = read_text(first + "\n" + second);
      CHECK(read.events() == 2);
      CHECK(read.count(Finding::kTrailingGarbage) == 0);
      CHECK(read.count(Finding::kEventsAfterEnd) == second.size());
      CHECK(read.offset(Finding::kEventsAfterEnd) == first.size() + 1);
      CHECK(info(Finding::kEventsAfterEnd).severity == Severity::kDataLoss);
    }
  // The rest of a longer file over which this one was written.
  const std::string torn = R"(  "ph": "X", "name": "mm", "ts": 3}]})";
  CHECK(read_text(std::string(kTwoEvents) + torn).count(Finding::kEventsAfterEnd) == torn.size() - 2);
}

TEST_CASE("a trace in the place of its list of events is read") {
  const std::string inner = R"({"traceEvents": )" + std::string(kTwoEvents) + R"(, "displayTimeUnit": "ns"})";
  const ReadResult read = read_text(R"({"traceEvents": )" + inner + R"(, "device": "x"})");
  CHECK(read.result.has_value());
  CHECK(read.events() == 2);
  CHECK(read.facts.display_time_unit == "ns");
  CHECK(read.count(Finding::kSyntaxRepaired) == 1);
  CHECK(read.count(Finding::kUnterminated) == 0);
  CHECK(read.count(Finding::kTrailingGarbage) == 0);
  // Without a list in it, it is no trace.
  CHECK(!read_text(R"({"traceEvents": {"traceEvents": {}}})").result.has_value());
  CHECK(!read_text(R"({"traceEvents": {}})").result.has_value());
}

TEST_CASE("an empty object among the events is nothing") {
  const ReadResult read = read_text(R"([{"ph": "X", "name": "a", "ts": 1, "dur": 1}, {}, { }])");
  CHECK(read.events() == 1);
  CHECK(read.count(Finding::kNotAnEvent) == 0);
  CHECK(read.count(Finding::kEmptyEvent) == 2);
  CHECK(info(Finding::kEmptyEvent).severity == Severity::kInfo);
}

TEST_CASE("samples of stacks that are not read are told of") {
  const auto count = [](const std::string& samples) {
    return read_text(R"({"traceEvents": )" + std::string(kTwoEvents) + R"(, "samples": )" + samples + "}")
        .count(Finding::kSamplesNotRead);
  };
  CHECK(count(R"([{"cpu": 0, "sf": 1}])") == 1);
  CHECK(count("[ ]") == 0);
  CHECK(count("[]") == 0);
  CHECK(count("[1]") == 0);
  CHECK(count("null") == 0);
}

TEST_CASE("lists of other objects behind the events are not events") {
  std::string frames = "[";
  for (int i = 0; i < 200; ++i) frames += R"({"ph": "X", "name": "not an event", "id": 1}, )";
  frames += "{}]";
  const std::string json = R"({"traceEvents": )" + std::string(kTwoEvents) + R"(, "stackFrames": )" + frames + "}";
  for (const std::size_t bytes : {1u, 64u, 300u, 1u << 20}) {
    const ReadResult read = read_text(json, cut_every(bytes));
    CHECK(read.events() == 2);
    CHECK(read.report.empty());
    CHECK(lines(read) == lines(read_text(json)));
  }
}

TEST_CASE("a bracket too many does not end the events") {
  const ReadResult read = read_text(
      R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}], {"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":2}]})");
  CHECK(read.events() == 2);
  CHECK(read.count(Finding::kJunkSkipped) == 1);
}

TEST_CASE("two lists of events are both read") {
  const ReadResult read = read_text(R"({"traceEvents": )" + std::string(kTwoEvents) + R"(, "traceEvents": )" +
                                    std::string(kTwoEvents) + "}");
  CHECK(read.events() == 4);
  CHECK(read.count(Finding::kSyntaxRepaired) == 1);
}

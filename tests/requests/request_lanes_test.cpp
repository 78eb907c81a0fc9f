// Requests beside a trace become lanes where they were, or are said to have no place.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "model/cache/trace_cache.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/import/request_files.h"
#include "model/report/report_parts.h"
#include "model/trace/import_finding.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string contents(const std::string& name) {
  std::stringstream all;
  all << std::ifstream(source_folder() + "/tests/fixtures/requests/" + name).rdbuf();
  return all.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

const std::string kBaseMember = R"("baseTimeNanoseconds":1700000000000000000,)";

Result<Trace> opened(const std::vector<std::string>& paths, const std::string& requests = "") {
  ImportOptions options;
  options.requests = requests;
  return import_files(paths, options);
}

/// "name begin end" of each slice of the requests, in us, sorted.
std::vector<std::string> lanes_of_requests(const Trace& trace) {
  std::vector<std::string> slices;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kAsync) continue;
    CHECK(trace.text(track.name).starts_with("request row "));
    CHECK(track.lane_count == 2);
    CHECK(trace.text(trace.process(track.process).name).ends_with("Requests"));
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        slices.push_back(std::string(trace.text(lane.name(i))) + " " + std::to_string(lane.start(i) / 1000) + " " +
                         std::to_string(lane.end(i) / 1000));
  }
  std::ranges::sort(slices);
  return slices;
}

const std::vector<std::string> kBothRequests{"decode 2000 5400",         "decode 5100 7100",      "prefill -2200 2000",
                                             "prefill 1950 5100",        "queue -3000 -2200",     "queue 750 1950",
                                             "request row 1 -3000 5500", "request row 2 500 7200"};

std::uint64_t count(const Trace& trace, Finding finding) {
  return trace.report().count(finding);
}

}  // namespace

TEST_CASE("Requests beside a trace are lanes on its clock") {
  const TemporaryFolder folder;
  const std::string trace_path = folder.write("run.json", contents("vllm.trace.json"));
  const std::string spans = contents("vllm.trace.otel.json");
  std::string name;
  for (const std::string each : {"run.otel.json", "run.json.otel.jsonl", "requests.json"}) {
    CAPTURE(each);
    const std::string path = folder.write(each, spans);
    CHECK(find_request_files(std::span(&trace_path, 1)) == std::vector{path});
    const auto trace = opened({trace_path});
    REQUIRE(trace.has_value());
    CHECK(lanes_of_requests(*trace) == kBothRequests);
    CHECK(count(*trace, Finding::kRequestsRead) == 2);
    CHECK(trace->sources().size() == 2);
    CHECK(reported_sources(*trace).size() == 1);
    CHECK(TraceCache::look_at(std::span(&trace_path, 1), {}).paths == std::vector{trace_path, path});
    std::filesystem::remove(path);
  }
  const auto without = opened({trace_path});
  REQUIRE(without.has_value());
  CHECK(without->sources().size() == 1);
}

TEST_CASE("Requests are shown that were asked for, or named as a file, or lie in the folder") {
  const TemporaryFolder folder;
  const std::string trace_path = folder.write("run.json", contents("vllm.trace.json"));
  const std::string spans = folder.write("spans.json", contents("vllm.trace.otel.json"));
  for (const auto& trace : {opened({trace_path}, spans), opened({trace_path, spans}), opened({spans, trace_path}),
                            opened({folder.path}), opened({folder.path}, folder.path + "/./spans.json")}) {
    REQUIRE(trace.has_value());
    CHECK(lanes_of_requests(*trace) == kBothRequests);
    CHECK(reported_sources(*trace).size() == 1);
  }
}

TEST_CASE("Requests without a place are said to have none") {
  const TemporaryFolder folder;
  const std::string spans = folder.write("spans.json", contents("vllm.trace.otel.json"));
  const std::string text = contents("vllm.trace.json");
  SUBCASE("the trace does not know when it was") {
    const auto trace = opened({folder.write("run.json", replaced(text, kBaseMember, ""))}, spans);
    REQUIRE(trace.has_value());
    CHECK(lanes_of_requests(*trace).empty());
    CHECK(count(*trace, Finding::kRequestsWithoutClock) == 2);
    CHECK(count(*trace, Finding::kRequestsRead) == 0);
  }
  SUBCASE("another day") {
    const auto trace = opened({folder.write("run.json", replaced(text, "17000", "17001"))}, spans);
    REQUIRE(trace.has_value());
    CHECK(lanes_of_requests(*trace).empty());
    CHECK(count(*trace, Finding::kRequestsOutside) == 2);
    CHECK(trace->sources().size() == 1);
  }
  SUBCASE("one of them is of the trace") {
    const auto trace =
        opened({folder.write("run.json", contents("vllm.trace.json"))},
               folder.write("one.json", replaced(contents("vllm.trace.otel.json"), R"("1699999999997000000")",
                                                 R"("1600000000000000000")")));
    REQUIRE(trace.has_value());
    CHECK(count(*trace, Finding::kRequestsRead) + count(*trace, Finding::kRequestsOutside) == 2);
  }
}

TEST_CASE("Requests beside several files are where the clock of the first that has one puts them") {
  const TemporaryFolder folder;
  const std::string text = contents("vllm.trace.json");
  const std::string later = replaced(text, kBaseMember, R"("baseTimeNanoseconds":1700000000005000000,)");
  const auto trace = opened({folder.write("a.json", later), folder.write("b.json", text)},
                            folder.write("spans.json", contents("vllm.trace.otel.json")));
  REQUIRE(trace.has_value());
  const auto slices = lanes_of_requests(*trace);
  REQUIRE(slices.size() == 8);
  CHECK(slices[7] == "request row 2 -4500 2200");  // 5 ms less than by the clock of b
}

TEST_CASE("Requests go with the file that knows when it was, wherever that file was put") {
  const TemporaryFolder folder;
  const std::string text = contents("vllm.trace.json");
  // By their first events, as the first file does not know: 600 us earlier.
  const std::string other = replaced(replaced(text, kBaseMember, ""), R"("ts": 1000,)", R"("ts": 400,)");
  const auto trace = opened({folder.write("a.json", other), folder.write("b.json", text)},
                            folder.write("spans.json", contents("vllm.trace.otel.json")));
  REQUIRE(trace.has_value());
  CHECK(trace->sources()[1].shift_ns == -600'000);
  const auto slices = lanes_of_requests(*trace);
  REQUIRE(slices.size() == 8);
  CHECK(slices[7] == "request row 2 -100 6600");
}

TEST_CASE("Requests that cannot be read: an error where they were asked for, else a file left out") {
  const TemporaryFolder folder;
  const std::string trace_path = folder.write("run.json", contents("vllm.trace.json"));
  const auto missing = opened({trace_path}, folder.path + "/none.json");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().file == folder.path + "/none.json");
  const auto other = opened({trace_path}, trace_path);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().message() ==
        trace_path + ": it is not OpenTelemetry JSON (resourceSpans), which --requests needs");
  const std::string broken = folder.write("requests.json", "{\"resourceSpans\":[{");
  const auto error = opened({trace_path}, broken);
  REQUIRE_FALSE(error.has_value());
  CHECK(error.error().message() == broken + ": byte 19: the JSON of OpenTelemetry breaks off here");
  const auto beside = opened({trace_path});
  REQUIRE(beside.has_value());
  CHECK(count(*beside, Finding::kNotATraceFile) == 1);
}

TEST_CASE("Requests alone take others only where these were asked for") {
  const TemporaryFolder folder;
  const std::string first = folder.write("requests.json", contents("vllm.trace.otel.json"));
  const std::string other = folder.write("requests.jsonl", contents("sglang.otel.jsonl"));
  CHECK(opened({first})->sources().size() == 1);
  CHECK(opened({other})->sources().size() == 1);
  CHECK(opened({first}, other)->sources().size() == 2);
}

TEST_CASE("Rows of requests have names that sort in their order") {
  const TemporaryFolder folder;
  std::string text;
  for (int r = 10; r < 22; ++r)
    text += R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":")" + std::to_string(r) +
            R"(","startTimeUnixNano":")" + std::to_string(r) +
            R"(","endTimeUnixNano":"100","attributes":[{"key":"gen_ai.latency.e2e"}]}]}]}]})";
  const auto trace = opened({folder.write("r.json", text)});
  REQUIRE(trace.has_value());
  REQUIRE(trace->lanes().size() == 12);
  CHECK(trace->strings().find("request row 01").valid());
  CHECK(trace->strings().find("request row 12").valid());
}

TEST_CASE("Requests at the same time are in rows of their own, and the next takes the first that is free") {
  const TemporaryFolder folder;
  std::string spans;
  const int times[][2] = {{100, 900}, {200, 300}, {250, 400}, {310, 500}, {400, 450}, {900, 950}};
  for (const auto& [begin, end] : times)
    spans += std::string(spans.empty() ? "" : ",") + R"({"spanId":")" + std::to_string(begin) +
             R"(","startTimeUnixNano":")" + std::to_string(begin) + R"(000","endTimeUnixNano":")" +
             std::to_string(end) + R"(000","attributes":[{"key":"gen_ai.latency.e2e","value":{"doubleValue":1}}]})";
  const auto trace =
      opened({folder.write("r.json", R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}")});
  REQUIRE(trace.has_value());
  CHECK(trace->lanes().size() == 3);
  std::vector<std::string> slices;
  for (const Lane& lane : trace->lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      slices.push_back(std::string(trace->text(lane.name(i))) + " " + std::to_string(lane.start(i) / 1000));
  std::ranges::sort(slices);
  CHECK(slices == std::vector<std::string>{"request row 1 100", "request row 1 900", "request row 2 200",
                                           "request row 2 310", "request row 3 250", "request row 3 400"});
}

TEST_CASE("Requests alone are a trace, whose args say what the server said") {
  const std::string path = source_folder() + "/tests/fixtures/requests/sglang.otel.jsonl";
  const auto trace = opened({path});
  REQUIRE(trace.has_value());
  CHECK(trace->span().begin == 1'700'000'000'000'500'000);
  CHECK(trace->sources()[0].format == "OpenTelemetry JSON");
  CHECK(reported_sources(*trace).empty());
  const auto arguments = read_arguments(*trace, SliceId{LaneId{0}, 0});
  REQUIRE(arguments.has_value());
  std::string all;
  for (const Argument& argument : *arguments) all += argument.key + "=" + argument.value + " ";
  CHECK(all.find("0123abcdef") != std::string::npos);
  CHECK(all.find("queue_ns=1200000 ") != std::string::npos);
}

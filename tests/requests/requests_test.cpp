#include "model/formats/requests/requests.h"

#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "model/input/bytes.h"
#include "tests/support/paths.h"

using namespace lacuna;

namespace {

constexpr Nanos kBase = 1'700'000'000'000'000'000;
constexpr std::uint64_t kMost = 1 << 20;

TimeSpan micros(Nanos begin, Nanos end) {
  return {kBase + begin * 1000, kBase + end * 1000};
}

std::string fixture(const std::string& name) {
  return source_folder() + "/tests/fixtures/requests/" + name;
}

Result<RequestFile> read_text(const std::string& text) {
  return read_requests(*make_memory_bytes(text), "r.json");
}

/// One span, with these further members.
Result<RequestFile> read_span(const std::string& members) {
  return read_text(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1",)" + members + "}]}]}]}");
}

const std::string kTimes = R"("startTimeUnixNano":"1000","endTimeUnixNano":"5000")";

std::string attribute(const std::string& key, const std::string& value) {
  return R"({"key":"gen_ai.)" + key + R"(","value":{)" + value + "}}";
}

}  // namespace

TEST_CASE("Requests of vLLM: lengths as said, put where they must have been") {
  const auto file = read_request_file(fixture("vllm.trace.otel.json"), kMost);
  REQUIRE(file.has_value());
  CHECK(file->other_spans == 1);
  CHECK(file->bad_spans == 0);
  REQUIRE(file->requests.size() == 2);
  CHECK(file->requests[0].id == "cmpl-2");  // by arrival
  const Request& r = file->requests[1];
  CHECK(r.id == "cmpl-1");
  CHECK(r.span == micros(500, 7200));
  CHECK(r.time_to_first_token == 4'600'000);
  CHECK(r.end_to_end == 6'700'000);
  CHECK(r.queue_time == 1'200'000);
  CHECK(r.prefill_time == 3'150'000);
  CHECK(r.decode_time == 2'000'000);
  CHECK(r.queue == micros(750, 1950));
  CHECK(r.prefill == micros(1950, 5100));
  CHECK(r.decode == micros(5100, 7100));
  CHECK_FALSE(r.has_stages);
  CHECK(r.prompt_tokens == 512);
  CHECK(r.completion_tokens == 4);
}

TEST_CASE("Requests of SGLang: the spans of their stages count, whatever the order and the lines") {
  const auto file = read_request_file(fixture("sglang.otel.jsonl"), kMost);
  REQUIRE(file.has_value());
  CHECK(file->stage_spans == 5);
  CHECK(file->other_spans == 0);
  REQUIRE(file->requests.size() == 2);
  const Request& r = file->requests[0];
  CHECK(r.id == "0123abcdef");
  CHECK(r.has_stages);
  CHECK(r.queue == micros(750, 1950));
  CHECK(r.prefill == micros(1950, 5050));
  CHECK(r.decode == micros(5080, 7000));
  CHECK(r.queue_time == 1'200'000);
  CHECK(r.prefill_time == 3'100'000);
  CHECK(r.decode_time == 1'920'000);
  // Without stages its "time in prefill" has the queue in it: neither is known.
  CHECK(file->requests[1].time_to_first_token == 1'000'000);
  CHECK_FALSE(file->requests[1].prefill_time.has_value());
  CHECK_FALSE(file->requests[1].prefill.has_value());
  CHECK_FALSE(file->requests[1].queue.has_value());
  CHECK(file->requests[1].end_to_end == 2'400'000);  // of the span
}

TEST_CASE("Requests: what is bad has no value, is counted, or is an error with file and byte") {
  SUBCASE("values that are no latencies") {
    for (const std::string value : {R"("doubleValue":-1)", R"("doubleValue":1e300)", R"("doubleValue":"NaN")",
                                    R"("stringValue":"1")", R"("boolValue":true)", R"("doubleValue":null)"}) {
      CAPTURE(value);
      const auto file = read_span(kTimes + R"(,"attributes":[)" + attribute("latency.e2e", R"("doubleValue":1)") + "," +
                                  attribute("latency.time_to_first_token", value) + "]");
      REQUIRE(file.has_value());
      REQUIRE(file->requests.size() == 1);
      CHECK_FALSE(file->requests[0].time_to_first_token.has_value());
      CHECK(file->requests[0].end_to_end == 1'000'000'000);
    }
  }
  SUBCASE("a whole number of seconds") {
    const auto file = read_span(kTimes + R"(,"attributes":[)" + attribute("latency.e2e", R"("intValue":"2")") + "]");
    REQUIRE(file.has_value());
    CHECK(file->requests.at(0).end_to_end == 2'000'000'000);
  }
  SUBCASE("times that are none") {
    for (const std::string times :
         {R"("startTimeUnixNano":"x","endTimeUnixNano":"5")", R"("startTimeUnixNano":"5")",
          R"("startTimeUnixNano":"9","endTimeUnixNano":"5")", R"("startTimeUnixNano":"-9","endTimeUnixNano":"5")",
          R"("startTimeUnixNano":"99999999999999999999","endTimeUnixNano":"5")"}) {
      CAPTURE(times);
      const auto file = read_span(times + R"(,"attributes":[)" + attribute("latency.e2e", R"("doubleValue":1)") + "]");
      REQUIRE(file.has_value());
      CHECK(file->requests.empty());
      CHECK(file->bad_spans == 1);
    }
  }
  SUBCASE("longer than from its arrival on") {
    const auto file = read_span(kTimes + R"(,"attributes":[)" +
                                attribute("latency.time_to_first_token", R"("doubleValue":0.000003)") + "," +
                                attribute("latency.time_in_model_prefill", R"("doubleValue":0.000002)") + "," +
                                attribute("latency.time_in_queue", R"("doubleValue":0.000002)") + "]");
    REQUIRE(file.has_value());
    CHECK(file->requests.at(0).prefill == TimeSpan{2000, 4000});
    CHECK(file->requests.at(0).queue == TimeSpan{1000, 2000});
  }
  SUBCASE("written twice") {
    const std::string line = R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"7","spanId":"1",)" + kTimes +
                             R"(,"attributes":[)" + attribute("latency.e2e", R"("doubleValue":1)") + "]}]}]}]}\n";
    const auto file = read_text(line + line);
    REQUIRE(file.has_value());
    CHECK(file->requests.size() == 1);
    CHECK(file->other_spans == 1);
  }
  SUBCASE("stages that lie around each other") {
    const auto file =
        read_text(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"a","parentSpanId":"b"},)"
                  R"({"traceId":"1","spanId":"b","parentSpanId":"a"}]}]}]})");
    REQUIRE(file.has_value());
    CHECK(file->other_spans == 2);
  }
  SUBCASE("no file of this kind") {
    const auto chrome = read_text(R"({"traceEvents":[]})");
    REQUIRE_FALSE(chrome.has_value());
    CHECK(chrome.error().message() == "r.json: byte 0: it has no resourceSpans, so it is no JSON of OpenTelemetry");
    const auto more = read_text("{\"resourceSpans\":[]}\nhello");
    REQUIRE_FALSE(more.has_value());
    CHECK(more.error().message() == "r.json: byte 21: the JSON of OpenTelemetry breaks off here");
    const auto missing = read_request_file(fixture("none.json"), kMost);
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().file == fixture("none.json"));
  }
  SUBCASE("cut off anywhere") {
    std::ifstream file(fixture("vllm.trace.otel.json"));
    std::stringstream all;
    all << file.rdbuf();
    const std::string text = all.str();
    for (std::size_t size = 0; size < text.size(); ++size) {
      CAPTURE(size);
      const auto cut = read_text(text.substr(0, size));
      REQUIRE_FALSE(cut.has_value());
      CHECK(cut.error().offset.value_or(size + 1) <= size);
    }
  }
}

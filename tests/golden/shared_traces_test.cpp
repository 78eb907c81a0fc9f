// Every real trace of the shared folder against the reference answers that lie beside it.

#include <cmath>

#include <doctest/doctest.h>

#include "tests/golden/check_reference.h"
#include "tests/golden/golden_support.h"
#include "tests/support/skip.h"

using namespace lacuna;

TEST_CASE("sha256 of the examples of FIPS 180") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("event offsets are found by counting brackets") {
  const std::string json = R"( {"a": [{}, "]"], "traceEvents" : [{"x": [1]}, {"y": "}\"]"}] , "b": [{}]})";
  const auto offsets = event_offsets(json);
  REQUIRE(offsets.size() == 2);
  CHECK(json.substr(offsets[0], 5) == R"({"x":)");
  CHECK(json.substr(offsets[1], 5) == R"({"y":)");
  CHECK(event_offsets(R"([{"a":1},{"b":[{}]}])").size() == 2);
}

TEST_CASE("every trace agrees with its .ref.json, exactly") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  constexpr const char* kSuffix = ".ref.json";
  const auto references = files_ending_in(folder, kSuffix);
  CHECK(references.size() >= 15);
  for (const auto& path : references) {
    CAPTURE(path.string());
    const Trace trace = load_golden(without_suffix(path, kSuffix));
    CHECK(check_reference(trace, read_json(path)) == 10);
  }
}

TEST_CASE("every trace agrees with its .facts.json: phases, categories, span") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  constexpr const char* kSuffix = ".facts.json";
  for (const auto& path : files_ending_in(folder, kSuffix)) {
    CAPTURE(path.string());
    const nlohmann::json facts = read_json(path);
    const Trace trace = load_golden(without_suffix(path, kSuffix));
    CHECK(check_reference(trace, facts) == 3);
    CHECK(trace.span().duration() == std::llround(facts["span_ms"].get<double>() * 1e6));
    const TraceSource& source = trace.sources().front();
    CHECK(source.json_bytes == facts["raw_bytes"].get<std::uint64_t>());
    CHECK(sha256(json_of(trace)) == facts["sha256_raw"].get<std::string>());
  }
}

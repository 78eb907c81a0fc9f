// Numbers of events at their edges: times and ids of raw events, and ids of flows.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "import_support.h"
#include "model/build/raw_event.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

using IdKind = RawEvent::IdKind;

/// What is read of a list with one event that has `fields`.
RawEventList raw_list(const std::string& fields) {
  ImportOptions options;
  options.raw_events = true;
  ReadResult read = read_text(R"([{"ph":"X","name":"a",)" + fields + "}]", options);
  REQUIRE(read.result.has_value());
  REQUIRE(read.batches.size() == 1);
  return std::move(read.batches.front().raw);
}

/// As "ts" and as "dur" of an event; without a value the event counts as one without time.
void check_time(const std::string& written, std::optional<Nanos> expected) {
  CAPTURE(written);
  for (const bool is_duration : {false, true}) {
    CAPTURE(is_duration);
    const RawEventList list = raw_list(is_duration ? R"("pid":1,"tid":1,"ts":5,"dur":)" + written
                                                   : R"("pid":1,"tid":1,"dur":5,"ts":)" + written);
    CHECK(list.without_time == (expected ? 0 : 1));
    REQUIRE(list.events.size() == (expected ? 1 : 0));
    if (!expected) continue;
    CHECK((is_duration ? list.events.front().dur : list.events.front().ts) == *expected);
    CHECK((is_duration ? list.events.front().ts : list.events.front().dur) == 5000);
  }
}

/// As "id", "bind_id" and both of "id2": a text, a number, or neither.
void check_raw_id(const std::string& written, IdKind kind, std::uint64_t number = 0, std::string_view text = {}) {
  CAPTURE(written);
  for (const std::string field : {"id", "bind_id", "local", "global"}) {
    CAPTURE(field);
    const bool is_nested = field == "local" || field == "global";
    const std::string member = '"' + field + "\":" + written;
    const RawEventList list =
        raw_list((is_nested ? R"("id2":{)" + member + "}" : member) + R"(,"pid":1,"tid":1,"ts":1,"dur":1)");
    REQUIRE(list.events.size() == 1);
    const RawEvent& event = list.events.front();
    const bool is_bound = field == "bind_id";
    CHECK((is_bound ? event.bind_id_kind : event.id_kind) == kind);
    CHECK((is_bound ? event.id_kind : event.bind_id_kind) == IdKind::kNone);
    const std::uint64_t value = is_bound ? event.bind_id : event.id;
    if (kind == IdKind::kText) {
      CHECK(list.strings.get(StringId{static_cast<std::uint32_t>(value)}) == text);
    } else {
      CHECK(value == number);
    }
  }
}

/// As "pid" and "tid".
void check_raw_thread(const std::string& written, std::uint32_t expected, IdKind kind = IdKind::kNumber) {
  CAPTURE(written);
  const RawEventList list = raw_list(R"("pid":)" + written + R"(,"tid":)" + written + R"(,"ts":1,"dur":1)");
  REQUIRE(list.events.size() == 1);
  CHECK(list.events.front().pid == expected);
  CHECK(list.events.front().tid == expected);
  CHECK(list.events.front().pid_kind == kind);
  CHECK(list.events.front().tid_kind == kind);
}

/// The id of a flow, `written` so: "7", or in quotes where it stays text.
std::string flow_id(const std::string& written, const std::string& more = {}) {
  const ReadResult read =
      read_text(R"([{"ph":"s","pid":1,"tid":1,"cat":"c","name":"f","ts":1,"id":)" + written + more + "}]");
  REQUIRE(read.result.has_value());
  REQUIRE(read.batches.size() == 1);
  REQUIRE(read.batches[0].flows.size() == 1);
  REQUIRE(read.batches[0].flows[0].sealed_events.size() == 1);
  const FlowId id = read.batches[0].flows[0].sealed_events[0].id;
  return id.is_text() ? "'" + std::string(read.batches[0].strings.get(id.as_text())) + "'" : std::to_string(id.value());
}

}  // namespace

TEST_CASE("raw times: whole microseconds are exact, up to the largest time") {
  check_time("0", 0);
  check_time("-0", 0);
  check_time("1", 1000);
  check_time("-1", -1000);
  check_time("1712195495406753", 1'712'195'495'406'753'000);
  check_time("4503599627370497", 4'503'599'627'370'497'000);  // more than 2^62 / 1000 would be too late
  check_time("4611686018427387", 4'611'686'018'427'387'000);
  check_time("-4611686018427387", -4'611'686'018'427'387'000);
  check_time("4611686018427388", {});
  check_time("-4611686018427388", {});
  // A thousand times as much does not fit 64 bits; what is left of it would be a small number.
  check_time("18446744073709552", {});  // 384 ns
  check_time("-18446744073709552", {});
  check_time("999999999999999999", {});
  check_time("-999999999999999999", {});
  check_time("1000000000000000000", {});
  check_time("9223372036854775807", {});
  check_time("9223372036854775808", {});
  check_time("-9223372036854775808", {});
  check_time("18446744073709551615", {});
  check_time("18446744073709551616", {});
  check_time("18446744073709551617", {});  // 2^64 + 1
  check_time("1" + std::string(400, '0'), {});
}

TEST_CASE("raw times: fractions and exponents are doubles, rounded to the nanosecond") {
  check_time("1.0", 1000);
  check_time("1.5", 1500);
  check_time("-1.5", -1500);
  check_time("0.001", 1);
  check_time("-0.001", -1);
  check_time("1.9999", 2000);
  check_time("0.0004", 0);
  check_time("0.0005", 1);
  check_time("0.0006", 1);
  check_time("0.0025", 3);  // half goes away from zero
  check_time("-0.0005", -1);
  check_time("-0.0004", 0);
  check_time("0.0005000000000000000000000000000001", 1);
  check_time("1e3", 1'000'000);
  check_time("1E+3", 1'000'000);
  check_time("-25e-1", -2500);
  check_time("1e-3", 1);
  check_time("1e-9", 0);
  check_time("0e0", 0);
  check_time("4883523171890.123", 4'883'523'171'890'123);
  // Microseconds since 1970 are coarse, as a double times 1000 is; whole ones are not.
  check_time("1712195495406752.797", 1'712'195'495'406'752'768);
  check_time("1712195495406753.0", 1'712'195'495'406'753'000);
  check_time("1.712195495406753e15", 1'712'195'495'406'753'000);
  check_time("4e15", 4'000'000'000'000'000'000);
  check_time("-4e15", -4'000'000'000'000'000'000);
  check_time("4000000000000000.5", {});
  check_time("-4000000000000000.5", {});
  check_time("4.7e15", {});
  check_time("1e18", {});
  check_time("1e19", {});
  check_time("-1e19", {});
  check_time("1e308", {});
  check_time("1e309", {});
  check_time("-1e309", {});
}

TEST_CASE("raw times: strings hold JSON numbers and nothing else") {
  check_time("\"5\"", 5000);
  check_time("\"-5\"", -5000);
  check_time("\"5.25\"", 5250);
  check_time("\"1e3\"", 1'000'000);
  check_time("\"4611686018427388\"", {});
  for (const std::string no_number :
       {"",    " ",    " 5",       "5 ",  "+5",   "-",    "--5",   "05",  "-05",     "00",
        "5.",  ".5",   "-.5",      "1e",  "1e+",  "e5",   "1.5.5", "5us", "0x5",     "NaN",
        "nan", "-nan", "Infinity", "inf", "-inf", "null", "true",  "1,5", "5\\u0030"})
    check_time('"' + no_number + '"', {});
  for (const std::string no_number : {"null", "true", "false", "[]", "[5]", "{}", R"({"a":5})"})
    check_time(no_number, {});
}

TEST_CASE("raw ids: up to 18 digits are a number, strings stay text") {
  check_raw_id("0", IdKind::kNumber, 0);
  check_raw_id("-0", IdKind::kNumber, 0);
  check_raw_id("7", IdKind::kNumber, 7);
  check_raw_id("-7", IdKind::kNumber, std::uint64_t{0} - 7);
  check_raw_id("4294967296", IdKind::kNumber, 4'294'967'296);
  check_raw_id("999999999999999999", IdKind::kNumber, 999'999'999'999'999'999);
  check_raw_id("-999999999999999999", IdKind::kNumber, std::uint64_t{0} - 999'999'999'999'999'999);
  check_raw_id("1000000000000000000", IdKind::kNumber, 1'000'000'000'000'000'000);
  check_raw_id("9223372036854775807", IdKind::kNumber, 9'223'372'036'854'775'807);
  check_raw_id("9223372036854775808", IdKind::kNumber, 9'223'372'036'854'775'808u);
  check_raw_id("-9223372036854775808", IdKind::kNumber, 9'223'372'036'854'775'808u);
  check_raw_id("18446744073709551615", IdKind::kNumber, 18'446'744'073'709'551'615u);
  for (const std::string no_number :
       {"-9223372036854775809", "18446744073709551616", "7.0", "7.5", "7e0", "-7E2", "null", "true", "[]", "[7]", "{}"})
    check_raw_id(no_number, IdKind::kNone);
  // JSON has no such numbers; files do.
  check_raw_id("007", IdKind::kNumber, 7);
  check_raw_id("-07", IdKind::kNumber, std::uint64_t{0} - 7);
  check_raw_id("-", IdKind::kText, 0, "-");
  check_raw_id("+7", IdKind::kText, 0, "+7");
  check_raw_id("NaN", IdKind::kNone);
  check_raw_id("\"7\"", IdKind::kText, 0, "7");
  check_raw_id("\"007\"", IdKind::kText, 0, "007");
  check_raw_id("\"-7\"", IdKind::kText, 0, "-7");
  check_raw_id("\"0x7f\"", IdKind::kText, 0, "0x7f");
  check_raw_id("\"\"", IdKind::kText, 0, "");
  check_raw_id("\"\\u0037\"", IdKind::kText, 0, "7");
}

TEST_CASE("raw ids: of id2 the global one counts, and of all the one of the event itself") {
  const auto id_of = [](const std::string& fields) {
    const RawEventList list = raw_list(fields + R"(,"pid":1,"tid":1,"ts":1,"dur":1)");
    REQUIRE(list.events.size() == 1);
    return std::pair(list.events.front().id, list.events.front().is_local_id);
  };
  CHECK(id_of(R"("id2":{"local":7})") == std::pair<std::uint64_t, bool>(7, true));
  CHECK(id_of(R"("id2":{"global":8})") == std::pair<std::uint64_t, bool>(8, false));
  CHECK(id_of(R"("id2":{"local":7,"global":8})") == std::pair<std::uint64_t, bool>(8, false));
  CHECK(id_of(R"("id2":{"global":8,"local":7})") == std::pair<std::uint64_t, bool>(8, false));
  CHECK(id_of(R"("id2":{"other":9})") == std::pair<std::uint64_t, bool>(0, false));
  CHECK(id_of(R"("id2":{"local":7,"global":8},"id":6)") == std::pair<std::uint64_t, bool>(6, false));
}

TEST_CASE("raw thread numbers have 32 bits, and others count as 0") {
  check_raw_thread("0", 0);
  check_raw_thread("-0", 0);
  check_raw_thread("7", 7);
  check_raw_thread("4294967295", 4'294'967'295);
  check_raw_thread("4294967296", 0);
  check_raw_thread("4294967303", 0);  // 2^32 + 7
  check_raw_thread("-1", 0);
  check_raw_thread("-4294967289", 0);  // 7 - 2^32
  check_raw_thread("7.0", 7);
  check_raw_thread("7.9", 7);
  check_raw_thread("7e2", 700);
  check_raw_thread("4294967295.0", 4'294'967'295);
  check_raw_thread("4294967295.5", 0);
  check_raw_thread("4.3e9", 0);
  check_raw_thread("-7.5", 0);
  check_raw_thread("1e309", 0);
  check_raw_thread("18446744073709551615", 0);
  check_raw_thread("18446744073709551623", 0);  // 2^64 + 7
  check_raw_thread("null", 0, IdKind::kNone);
  check_raw_thread("true", 0, IdKind::kNone);
  check_raw_thread("[7]", 0, IdKind::kNone);
}

TEST_CASE("flow ids: what has one spelling alone is a number, all else stays as it is written") {
  for (int size = 1; size <= 18; ++size) {
    const std::string digits = std::string("987654321987654321").substr(0, static_cast<std::size_t>(size));
    CHECK(flow_id(digits) == digits);
    CHECK(flow_id('"' + digits + '"') == digits);  // as without quotes
    CHECK(flow_id('"' + std::string(static_cast<std::size_t>(size - 1), '9') + "x\"") ==
          "'" + std::string(static_cast<std::size_t>(size - 1), '9') + "x'");
    CHECK(flow_id("\"x" + std::string(static_cast<std::size_t>(size - 1), '9') + '"') ==
          "'x" + std::string(static_cast<std::size_t>(size - 1), '9') + "'");
    CHECK(flow_id("\"0" + std::string(static_cast<std::size_t>(size), '0') + '"') ==
          "'0" + std::string(static_cast<std::size_t>(size), '0') + "'");
  }
  CHECK(flow_id("0") == "0");
  CHECK(flow_id("\"0\"") == "0");
  CHECK(flow_id("100000000000000000") == "100000000000000000");
  CHECK(flow_id("999999999999999999") == "999999999999999999");
  for (const std::string written :
       {"1000000000000000000", "9223372036854775807", "9223372036854775808", "9223372036854775815",
        "18446744073709551615", "18446744073709551616", "-0", "-7", "7.0", "7.5", "7e0", "0.7"})
    CHECK(flow_id(written) == "'" + written + "'");
  for (const std::string written : {"007", "01", "+7", " 7", "7 ", "0x7f", "NaN", "-1", "", "1/2", "1:2", "٣",
                                    "123456789012345 ", "1234567890123456/", "12345678901234567:"})
    CHECK(flow_id('"' + written + '"') == "'" + written + "'");
  // A scope tells equal numbers apart.
  CHECK(flow_id("7", R"(,"scope":"a")") == "'a:7'");
  CHECK(flow_id("7", R"(,"bind_id":8)") == "7");
}

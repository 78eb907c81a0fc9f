// Limits: long texts, deep nesting, large events, memory.
#include "import_support.h"
#include "model/import/arguments.h"
#include "model/input/memory_room.h"
#include "model/trace/import_finding.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string slice(const std::string& name, const std::string& args = "{}") {
  return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":1,"ts":1,"dur":2,"args":)" + args + "}";
}

const std::string kLast = R"({"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":2,"ts":1,"dur":2})";

Trace load_events(const std::string& events) {
  auto trace = import_json("[" + events + "," + kLast + "]");
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() >= 1);
  return std::move(*trace);
}

std::string first_name(const Trace& trace) {
  return std::string(trace.name({LaneId{0}, 0}));
}

}  // namespace

TEST_CASE("names up to 64 KiB are kept, longer ones cut between characters and counted") {
  const std::string most(65'536, 'n');
  CHECK(first_name(load_events(slice(most))) == most);
  CHECK(load_events(slice(most)).report().count(Finding::kNameCut) == 0);
  const Trace cut = load_events(slice(most + "x"));
  CHECK(first_name(cut) == most);
  CHECK(cut.report().count(Finding::kNameCut) == 1);
  // A character of two bytes, an escape and an escaped surrogate pair across the border.
  const std::string head(65'535, 'n');
  CHECK(first_name(load_events(slice(head + "é" + most))) == head);
  for (const std::string& escape :
       {std::string(R"(\n)"), std::string(R"(\u00e9)"), std::string(R"(\ud83d\ude00)"), std::string(R"(\\\\\\)")}) {
    const Trace trace = load_events(slice(std::string(65'533, 'n') + escape + most));
    CHECK(first_name(trace) == std::string(65'533, 'n'));
    CHECK(trace.report().count(Finding::kBadEscape) == 0);
  }
}

TEST_CASE("an event larger than any window is read, with its args") {
  // 40 MB of text in the args, then what the window shows of it: the event's own fields behind it.
  const std::string large(40'000'000, 'x');
  const std::string event =
      R"({"args":{"text":")" + large + R"(","n":5},"ph":"X","name":"large","pid":1,"tid":1,"ts":1,"dur":2})";
  for (const ImportOptions& options : {ImportOptions(), tolerant()}) {
    const auto trace = import_json("[" + event + "," + kLast + "]", "literal", options);
    REQUIRE(trace.has_value());
    CHECK(trace->slice_count() == 2);
    CHECK(first_name(*trace) == "large");
    CHECK(trace->report().total(Severity::kDataLoss) == 0);
    CHECK(trace->report().total(Severity::kRepaired) == 0);
    const auto arguments = read_arguments(*trace, {LaneId{0}, 0});
    REQUIRE(arguments.has_value());
    CHECK(arguments->front().value.size() == large.size());
    CHECK(arguments->back().value == "5");
  }
}

TEST_CASE("an event with more text than is ever kept still has its place") {
  const std::string event = R"({"args":{"text":")" + std::string(80'000'000, 'x') +
                            R"("},"ph":"X","name":"huge","pid":1,"tid":1,"ts":1,"dur":2})";
  const Trace trace = load_events(event);
  CHECK(trace.slice_count() == 2);
  CHECK(trace.report().total(Severity::kDataLoss) == 0);
  CHECK_FALSE(read_arguments(trace, {LaneId{0}, 0}).has_value());
}

TEST_CASE("nesting of any depth ends") {
  for (const std::size_t depth : {1000u, 1100u, 300'000u}) {
    CAPTURE(depth);
    const Trace trace =
        load_events(slice("deep", R"({"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}"));
    CHECK(trace.slice_count() == 2);
    (void)read_arguments(trace, {LaneId{0}, 0});
  }
  const Trace unclosed = load_events(slice("deep", R"({"x":)" + std::string(300'000, '{')));
  CHECK(unclosed.report().total(Severity::kDataLoss) > 0);
}

TEST_CASE("memory: what there is, and a message when it cannot be enough") {
  const auto free = free_memory();
  REQUIRE(free.has_value());
  CHECK(*free > std::uint64_t{1} << 20);
  CHECK(make_room_for_json(1000).has_value());
  const auto refused = make_room_for_json(std::uint64_t{1} << 50);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kLimit);
  CHECK(refused.error().cause.find("1024.0 TiB of JSON need") != std::string::npos);
  CHECK(describe_bytes(999) == "999 bytes");
  CHECK(describe_bytes(3 << 19) == "1.5 MiB");
}

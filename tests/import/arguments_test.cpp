// The args of one slice, read back from the file.
#include "model/import/arguments.h"

#include <algorithm>
#include <fstream>

#include "import_support.h"
#include "model/import/argument_reader.h"
#include "tests/support/skip.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

SliceId slice_named(const Trace& trace, std::string_view name) {
  for (std::uint32_t lane = 0; lane < trace.lanes().size(); ++lane)
    for (std::uint32_t i = 0; i < trace.lanes()[lane].size(); ++i)
      if (trace.name({LaneId{lane}, i}) == name) return {LaneId{lane}, i};
  FAIL("no such slice");
  return {};
}

std::vector<std::string> arguments(const Trace& trace, std::string_view name) {
  const auto read = read_arguments(trace, slice_named(trace, name));
  REQUIRE(read.has_value());
  std::vector<std::string> result;
  for (const Argument& a : *read) result.push_back(a.key + (a.is_string ? " ~ " : " = ") + a.value);
  return result;
}

using ArgumentLines = std::vector<std::string>;

/// Says how many bytes were read of it, and that it changed when it is told to.
class CountedBytes final : public ByteSource {
 public:
  explicit CountedBytes(std::shared_ptr<const ByteSource> of) : of_(std::move(of)) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    const std::size_t got = of_->read_at(offset, out);
    bytes += got;
    return got;
  }
  std::uint64_t size() const override { return of_->size(); }
  bool has_changed() const override { return is_other; }

  mutable std::uint64_t bytes = 0;
  bool is_other = false;

 private:
  std::shared_ptr<const ByteSource> of_;
};

std::vector<std::uint64_t> offsets_of(const Trace& trace) {
  std::vector<std::uint64_t> offsets;
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i) offsets.push_back(lane.file_offset(i));
  return offsets;
}

const std::string kJson = in_object(
    R"({"ph":"X","name":"plain","pid":1,"tid":1,"ts":1,"dur":1,"args":{"n": 5, "s": "a \"b\"\n", "list": [[1, 2], {"x": []}], "t": true, "z": null, "f": 1.50, "o": {"inner": {"deep": 1}, "e": {}, "s": "x"}}},
  {"name":"first","args":{"a":1},"ph":"X","pid":1,"tid":1,"ts":3,"dur":1},
  {"ph":"X","name":"none","pid":1,"tid":1,"ts":5,"dur":1},
  {"ph":"X","name":"odd","pid":1,"tid":1,"ts":7,"dur":1,"args":"text"},
  {"ph":"X","name":"damaged","pid":1,"tid":1,"ts":9,"dur":1,"args":{"cmd":"run "x" now","v":NaN, "l": [1,2,],}},
  {"ph":"B","name":"begun","pid":1,"tid":1,"ts":11,"args":{"b":1}}, {"ph":"E","pid":1,"tid":1,"ts":12,"args":{"e":1}})");

}  // namespace

TEST_CASE("args as written, nested objects flattened") {
  const auto trace = import_json(kJson);
  REQUIRE(trace.has_value());
  CHECK(arguments(*trace, "plain") == ArgumentLines{"n = 5", "s ~ a \"b\"\n", "list = [[1, 2], {\"x\": []}]",
                                                    "t = true", "z = null", "f = 1.50", "o.inner.deep = 1", "o.s ~ x"});
  CHECK(arguments(*trace, "first") == ArgumentLines{"a = 1"});
  CHECK(arguments(*trace, "none").empty());
  CHECK(arguments(*trace, "odd").empty());
  CHECK(arguments(*trace, "begun") == ArgumentLines{"b = 1"});
}

TEST_CASE("args of a damaged event are mended") {
  const auto trace = import_json(kJson);
  REQUIRE(trace.has_value());
  CHECK(arguments(*trace, "damaged") == ArgumentLines{"cmd ~ run \"x\" now", "v = null", "l = [1,2]"});
}

TEST_CASE("the event as text") {
  const auto trace = import_json(kJson);
  REQUIRE(trace.has_value());
  const SliceId first = slice_named(*trace, "first");
  const auto text = read_event_json(trace->sources().front(), trace->lane(first).file_offset(first.index));
  REQUIRE(text.has_value());
  CHECK(*text == R"({"name":"first","args":{"a":1},"ph":"X","pid":1,"tid":1,"ts":3,"dur":1})");
  CHECK_FALSE(read_event_json(trace->sources().front(), kJson.size() + 5).has_value());
}

TEST_CASE("events as text one after the other: the same as one by one, damaged or not") {
  const std::string sound = in_object(
      R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"s":"}{\\\"", "l":[{"x":"]"}]}},
  {"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":1}  ,{"ph":"X","name":"c","pid":1,"tid":1,"ts":5,"dur":1,"args":{"s":")" +
      std::string(600'000, 'x') + R"("}})");
  for (const std::string& json : {sound, kJson}) {
    const auto trace = import_json(json);
    REQUIRE(trace.has_value());
    const TraceSource& source = trace->sources().front();
    REQUIRE(source.report.empty() == (json == sound));
    ArgumentReader reader(source);
    std::vector<std::uint64_t> offsets = offsets_of(*trace);
    REQUIRE(offsets.size() == (json == sound ? 3 : 6));
    const std::vector<std::uint64_t> forward = offsets;
    offsets.insert(offsets.end(), forward.rbegin(), forward.rend());
    for (const std::uint64_t offset : offsets) CHECK(reader.read_text(offset) == *read_event_json(source, offset));
    CHECK(reader.read_text(json.size() + 5).empty());
  }
}

TEST_CASE("events as text: of a file in order each byte is read once, and none once it changed") {
  std::string json;
  for (int i = 0; i < 2000; ++i)
    json.append(i == 0 ? "" : ",\n")
        .append(R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1,"args":{"k":1},"ts":)" + std::to_string(2 * i) + "}");
  const auto trace = import_json(in_object(json));
  REQUIRE(trace.has_value());
  TraceSource source = trace->sources().front();
  const auto counted = std::make_shared<CountedBytes>(source.bytes);
  source.bytes = counted;
  ArgumentReader reader(source);
  const std::vector<std::uint64_t> offsets = offsets_of(*trace);
  REQUIRE(offsets.size() == 2000);
  for (const std::uint64_t offset : offsets) REQUIRE(reader.read_text(offset).ends_with("}"));
  CHECK(counted->bytes < json.size() + 10'000);
  counted->bytes = 0;
  REQUIRE(read_event_json(source, offsets[1000])->ends_with("}"));
  CHECK(counted->bytes <= 4096);
  counted->is_other = true;
  CHECK(ArgumentReader(source).read_text(offsets[5]).empty());
}

TEST_CASE("a file that changed is not misread; one that is gone can still be read") {
  const TemporaryFile file("a.json", kJson);
  const std::string path = file.path();
  const auto trace = import_files(std::span(&path, 1));
  REQUIRE(trace.has_value());
  CHECK(arguments(*trace, "first") == ArgumentLines{"a = 1"});
  std::ofstream(path, std::ios::app) << " ";
  const auto changed = read_arguments(*trace, slice_named(*trace, "first"));
  REQUIRE_FALSE(changed.has_value());
  CHECK(changed.error().code == ErrorCode::kNotReadable);
  CHECK(changed.error().file == path);

  const TemporaryFile removed("b.json", kJson);
  const std::string removed_path = removed.path();
  const auto kept = import_files(std::span(&removed_path, 1));
  REQUIRE(kept.has_value());
  std::remove(removed_path.c_str());
  CHECK(arguments(*kept, "first") == ArgumentLines{"a = 1"});
}

TEST_CASE("a source without bytes says so") {
  TraceSource source;
  const auto text = read_event_json(source, 0);
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("every slice of a real trace has its args") {
  const std::string folder = shared_traces();
  if (folder.empty()) {
    skip("the shared traces are not there");
    return;
  }
  for (const char* name :
       {"/tracelens_mi300x_sglang_decode_hipgraph.json.gz", "/quirks/kineto__after_fix_trace.json"}) {
    const std::string path = folder + name;
    const auto trace = import_files(std::span(&path, 1));
    REQUIRE(trace.has_value());
    for (std::uint32_t lane = 0; lane < trace->lanes().size(); ++lane) {
      for (std::uint32_t i = 0; i < trace->lanes()[lane].size(); ++i) {
        const auto read = read_arguments(*trace, {LaneId{lane}, i});
        REQUIRE(read.has_value());
        const std::uint64_t correlation = trace->lanes()[lane].correlation(i);
        const auto found = std::ranges::find(*read, "correlation", &Argument::key);
        if (correlation != 0) REQUIRE((found != read->end() && found->value == std::to_string(correlation)));
      }
    }
  }
}

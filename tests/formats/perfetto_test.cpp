#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include "model/formats/formats.h"
#include "model/formats/json_value.h"
#include "model/formats/perfetto/debug_annotations.h"
#include "model/formats/perfetto/perfetto_events.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/trace/import_finding.h"
#include "tests/support/perfetto_maker.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using namespace perfetto;

Result<Trace> opened(const std::string& text) {
  const TemporaryFolder folder;
  return import_files(std::vector<std::string>{folder.write("a.pftrace", text)});
}

/// How many events a trace gives, without building one of them: for many.
Result<std::uint64_t> events_of(const std::string& text) {
  const std::string path = "a.pftrace";
  const auto bytes = make_memory_bytes(text);
  TraceSource facts;
  std::uint64_t events = 0;
  const auto done = kPerfettoFormat.read({path, *bytes, {}, nullptr}, facts,
                                         [&](const EventBatch& batch) { events += batch.event_count(); });
  if (!done) return tl::make_unexpected(done.error());
  return events;
}

std::string recognised(const std::string& text) {
  return std::string(recognise_format({.bytes = make_memory_bytes(text), .is_plain = true}).title);
}

/// zlib of one stored block, by hand.
std::string stored_zlib(std::string_view text) {
  std::uint32_t a = 1, b = 0;
  for (const char c : text) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<std::uint16_t>(text.size());
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value & 0xff); };
  std::string out{"\x78\x01\x01"};
  for (const std::uint16_t word : {size, static_cast<std::uint16_t>(~size)}) {
    out += byte(word);
    out += byte(word >> 8);
  }
  out += text;
  for (const std::uint32_t word : {b, a}) {
    out += byte(word >> 8);
    out += byte(word);
  }
  return out;
}

TEST_CASE("Perfetto's traces are told from what only begins like one") {
  CHECK(recognised(pytorch_trace()) == "Perfetto protobuf");
  CHECK(recognised(rocprof_trace()) == "Perfetto protobuf");
  // A first packet that is longer than what is looked at.
  CHECK(
      recognised(TraceText().add(packet(0).message(kInternedData, Message().text(5, std::string(5000, 'x')))).text()) ==
      "Perfetto protobuf");
  CHECK(recognised("\n") == "Chrome JSON");
  CHECK(recognised("\n{\"traceEvents\": []}") == "Chrome JSON");
  CHECK(recognised("\n\n\n\n") == "Chrome JSON");
  CHECK(recognised("\n  [{\"ph\":\"X\"}]") == "Chrome JSON");
  // XProf's planes, pprof's types, a field that no packet has.
  const auto other = [](const Message& inside) { return recognised(Message().message(1, inside).bytes()); };
  CHECK(other(Message().number(1, 5).text(2, "/host:CPU")) == "XProf");
  CHECK(other(Message().text(2, "/host:CPU").message(3, Message().number(1, 2))) == "XProf");
  CHECK(other(Message().text(2, "/host:CPU")) == "XProf");
  CHECK(other(Message().number(1, 1).number(2, 2)) == "Chrome JSON");
  CHECK(other(Message().number(700, 1)) == "Chrome JSON");
  CHECK(other(Message()) == "Chrome JSON");
}

TEST_CASE("packets inside compressed ones are read in their place") {
  TraceText inside;
  inside.thread(2, 5, 7, "main").event(10, begin(2, "a")).event(20, end(2));
  TraceText trace;
  trace.event(5, begin(2, "before")).add(Message().text(kCompressedPackets, stored_zlib(inside.text())));
  trace.event(30, end(2));
  const auto read = opened(trace.text());
  REQUIRE(read.has_value());
  CHECK(read->slice_count() == 2);
  CHECK(read->sources()[0].report.empty());

  std::string damaged = stored_zlib(inside.text());
  damaged.back() = static_cast<char>(damaged.back() + 1);
  const auto told = opened(TraceText().add(Message().text(kCompressedPackets, damaged)).text());
  REQUIRE(told.has_value());
  CHECK(told->sources()[0].report.count(Finding::kEventUnreadable) == 1);
}

TEST_CASE("cut off at every byte, a trace still ends with words or with what could be read") {
  for (const std::string& whole : {pytorch_trace(), rocprof_trace()}) {
    std::uint64_t most = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      const auto events = events_of(whole.substr(0, size));
      if (!events) {
        CHECK(!events.error().message().empty());
        CHECK(most == 0);
        continue;
      }
      // An end that is cut off leaves its slice open.
      CHECK(*events >= most);
      most = std::max(most, *events);
      if (size % 50 == 0) CHECK(opened(whole.substr(0, size)).has_value());
    }
    CHECK(most >= 10);
  }
}

TEST_CASE("the end of a file in the middle of a packet is told") {
  std::string text = rocprof_trace();
  text.resize(text.size() - 3);
  const auto read = opened(text);
  REQUIRE(read.has_value());
  CHECK(read->sources()[0].report.count(Finding::kUnterminated) == 1);
  // What follows a packet and is none.
  const auto junk = opened(rocprof_trace() + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  REQUIRE(junk.has_value());
  CHECK(junk->sources()[0].report.count(Finding::kEventUnreadable) == 1);
}

/// Descriptions, groups, GPUs and args of asynchronous slices that are joined.
std::string described_trace() {
  const Message specification = Message().number(1, 1).text(2, "hits").text(3, "words").number(10, 5);
  const Message group = Message().number(1, 100).text(2, "L2").text(3, "cache").number(4, 1);
  const auto async = [](char phase) {
    return Message()
        .text(kEventName, "a")
        .message(kLegacyEvent, Message().number(2, phase).number(6, 7).number(18, 5))
        .message(kDebugAnnotations, Message().text(10, "json").text(9, R"({"x":[1,{"y":"]"}]})"));
  };
  return TraceText()
      .track(Message()
                 .number(1, 1)
                 .text(14, "process")
                 .message(3, Message().number(1, 5))
                 .message(6, Message().text(4, "app")))
      .add(packet(1).message(kGpuInfo,
                             Message().message(1, Message().text(1, "A100").text(2, "NVIDIA").text(5, "\x01"))))
      .add(packet(1).message(kGpuCounterEvent, Message()
                                                   .message(1, Message().message(1, specification).message(6, group))
                                                   .message(2, Message().number(1, 1).number(2, 7))))
      .event(2, async('b'))
      .event(3, async('e'))
      .text();
}

TEST_CASE("a byte that is another one, or the end, does no harm to what describes") {
  const std::string whole = described_trace();
  REQUIRE(opened(whole).has_value());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    (void)opened(whole.substr(0, at));
    for (const int change : {0x01, 0x5a, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const auto trace = opened(changed);
      CHECK((trace.has_value() || !trace.error().message().empty()));
    }
  }
}

TEST_CASE("a byte that is another one does no harm") {
  for (const std::string& whole : {pytorch_trace(), rocprof_trace()}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {1, 0x80, 0xff}) {
        std::string text = whole;
        text[i] = static_cast<char>(text[i] ^ change);
        const auto events = events_of(text);
        if (!events) CHECK(!events.error().message().empty());
        if (i % 20 == 0) (void)opened(text);
      }
    }
  }
}

TEST_CASE("the JSON from which args are read is the same when a trace is opened again") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.pftrace", pytorch_trace());
  const auto text_of = [&] {
    const auto text = open_text(path, 1 << 20);
    REQUIRE(text.has_value());
    std::string read((*text)->size(), '\0');
    read.resize((*text)->read_at(0, read));
    return read;
  };
  const std::string text = text_of();
  CHECK(text == text_of());
  const auto of_text = import_json(text);
  const auto of_file = import_files(std::span(&path, 1));
  REQUIRE(of_text.has_value());
  REQUIRE(of_file.has_value());
  CHECK(of_text->slice_count() == of_file->slice_count());
  CHECK(of_text->links().launches().size() == of_file->links().launches().size());
  CHECK(open_text(path, 100).error().code == ErrorCode::kLimit);
}

/// Says how much was read of it.
class CountedBytes final : public ImportBytes {
 public:
  explicit CountedBytes(const std::string& text) : text_(text) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (offset >= text_.size()) return 0;
    const std::size_t size = std::min(out.size(), text_.size() - static_cast<std::size_t>(offset));
    text_.copy(out.data(), size, static_cast<std::size_t>(offset));
    read_ += size;
    return size;
  }
  std::uint64_t size() const override { return text_.size(); }
  std::optional<std::uint64_t> known_size() const override { return text_.size(); }
  std::uint64_t read() const { return read_; }

 private:
  const std::string& text_;
  mutable std::uint64_t read_ = 0;
};

TEST_CASE("events of many threads, each with a place of its own in the file, are read little more than twice") {
  constexpr std::int64_t kThreads = 100, kEvents = 400;
  TraceText trace;
  for (std::int64_t thread = 0; thread < kThreads; ++thread)
    trace.thread(static_cast<std::uint64_t>(100 + thread), 5, 100 + thread, "worker");
  for (std::int64_t thread = 0; thread < kThreads; ++thread) {
    const auto uuid = static_cast<std::uint64_t>(100 + thread);
    for (std::int64_t i = 0; i < kEvents; ++i)
      trace.event(1000 * i + thread, begin(uuid, "a")).event(1000 * i + thread + 500, end(uuid));
  }
  const std::string path = "a.pftrace";
  CountedBytes counted(trace.text());
  TraceSource facts;
  REQUIRE(kPerfettoFormat.read({path, counted, {}, nullptr}, facts, [](EventBatch) {}).has_value());
  CHECK(counted.read() < 3 * trace.text().size());
}

TEST_CASE("a dictionary that begin and end tell parts of has the entries of both") {
  const auto list = [](std::initializer_list<std::int64_t> values) {
    Message entry;
    entry.text(10, "list");
    for (const std::int64_t value : values) entry.message(12, Message().number(4, value));
    return entry;
  };
  const auto dict = [&](const Message& first, std::int64_t second) {
    return Message()
        .text(10, "dict")
        .message(11, first)
        .message(11, Message().text(10, "inner").message(11, annotation("key", second)));
  };
  const auto trace = opened(TraceText()
                                .thread(1, 5, 6, "main")
                                .event(1000, begin(1, "a").message(kDebugAnnotations, dict(list({20, 21}), 30)))
                                .event(2000, end(1).message(kDebugAnnotations, dict(list({22}), 31)))
                                .text());
  REQUIRE(trace.has_value());
  const auto arguments = read_arguments(*trace, {LaneId{0}, 0});
  REQUIRE(arguments.has_value());
  std::string text;
  for (const Argument& argument : *arguments) text += argument.key + "=" + argument.value + " ";
  CHECK(text == "dict.list=[20,21,22] dict.inner.key=31 ");
}

TEST_CASE("JSON values of one arg are joined by their members and entries") {
  const auto joined = [](const std::vector<std::string_view>& values) { return joined_json(values); };
  CHECK(joined({"{}", "{}"}) == "{}");
  CHECK(joined({"[1, [2]]", "[{\"a\":[1,2]}]"}) == "[1,[2],{\"a\":[1,2]}]");
  CHECK(joined({R"( {"a":1,"b":[1],"c":{"d,}":"\"]"}} )", R"({"c":{"e":2},"b":[2],"a":{},"f":null})"}) ==
        R"({"a":{},"b":[1,2],"c":{"d,}":"\"]","e":2},"f":null})");
  CHECK(joined({"[1]", "{\"a\":1}"}) == "{\"a\":1}");
  CHECK(joined({"1", "true"}) == "true");
  // Of three and more the last kind stays.
  CHECK(joined({"[1]", "[2]", "[3]"}) == "[1,2,3]");
  CHECK(joined({"[1]", "2", "[3]", "[4]"}) == "[3,4]");
  CHECK(joined({R"({"a":[1]})", R"({"a":{"b":1}})", R"({"a":{"b":2,"c":3}})"}) == R"({"a":{"b":2,"c":3}})");
}

TEST_CASE("events before the range that the recorder was asked for are counted, not shown") {
  const auto trace = opened(TraceText()
                                .thread(1, 5, 6, "main")
                                .add(packet(0).message(kRangeOfInterest, Message().number(1, 2)))
                                .event(1000, begin(1, "before"))
                                .event(2000, begin(1, "inside"))
                                .event(3000, end(1))
                                .text());
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == 1);
  CHECK(trace->name({LaneId{0}, 0}) == "inside");
  CHECK(trace->report().count(Finding::kBeforeRange) == 1);
}

TEST_CASE("the end of a slice that began before the range is none of a lost one") {
  const auto trace = opened(TraceText()
                                .thread(1, 5, 6, "main")
                                .add(packet(0).message(kRangeOfInterest, Message().number(1, 4)))
                                .event(1000, begin(1, "over"))
                                .event(2000, end(1))
                                .event(3000, begin(1, "across"))
                                .event(5000, begin(1, "inside"))
                                .event(6000, end(1))
                                .event(7000, end(1))
                                .event(8000, end(1))
                                .text());
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == 1);
  CHECK(trace->report().count(Finding::kBeforeRange) == 4);
  CHECK(trace->report().count(Finding::kUnmatchedEnd) == 1);
}

TEST_CASE("one JSON value is told from what is none") {
  for (const char* json : {"1", " -2.5e3 ", "\"a\\u00e4\\n\"", "true", "null", "[]", "{}", "[1,[2,{\"a\":[]}],\"]\"]",
                           "{\"a\":1,\"b\":{\"c\":[null]}}", " { \"a\" : [ 1 , 2 ] } "}) {
    CAPTURE(json);
    CHECK(is_json_value(json));
  }
  for (const char* text :
       {"",         " ",          "1 2",   "[1",       "1]",      "[1,]",      "[,1]",   "{,}", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{1:2}", "\"a",      "\"\\x\"", "\"\\u12\"", "\"\n\"", "nul", "01",
        "{]",       "[}",         "\xff",  "\"\xff\"", "[1}",     "{\"a\":1]", "\"a\\"}) {
    CAPTURE(text);
    CHECK(!is_json_value(text));
  }
  CHECK(is_json_value(std::string(64, '[') + std::string(64, ']')));
  CHECK(!is_json_value(std::string(65, '[') + std::string(65, ']')));
}

}  // namespace
}  // namespace lacuna

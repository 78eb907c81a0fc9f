// What readers of other formats hand over is the same as the JSON that is kept of it.
#include "model/formats/trace_sink.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/import/import_support.h"

namespace lacuna::test {
namespace {

using Categories = std::vector<std::string_view>;

/// What `write` puts into a sink, and the text that is kept.
struct Sunk {
  ReadResult read;
  std::string text;
};
template <class Write>
Sunk sink_of(Write write, const ImportOptions& options = {}) {
  Sunk sunk;
  const std::string path = "a";
  const auto bytes = make_memory_bytes({});
  const FormatInput input{path, *bytes, options, nullptr};
  const BatchReceiver receive = [&](EventBatch batch) {
    sunk.read.report.merge(batch.report);
    sunk.read.batches.push_back(std::move(batch));
  };
  TraceSink sink(input, sunk.read.facts, receive);
  write(sink);
  sunk.read.result = sink.finish();
  sunk.text.resize(sunk.read.facts.bytes->size());
  sunk.text.resize(sunk.read.facts.bytes->read_at(0, sunk.text));
  return sunk;
}

void check_is_as_its_text(const Sunk& sunk, const ImportOptions& options = {}) {
  const ReadResult again = read_text(sunk.text, options);
  REQUIRE(sunk.read.result.has_value());
  REQUIRE(again.result.has_value());
  CHECK(lines(sunk.read) == lines(again));
  CHECK(report_lines(sunk.read) == report_lines(again));
  CHECK(sunk.read.facts.json_bytes == sunk.text.size());
  CHECK(sunk.read.facts.metadata == again.facts.metadata);
  CHECK(sunk.read.facts.base_time_ns == again.facts.base_time_ns);
  CHECK(sunk.read.facts.has_base_time == again.facts.has_base_time);
  REQUIRE(sunk.read.facts.devices.size() == again.facts.devices.size());
  for (std::size_t i = 0; i < again.facts.devices.size(); ++i) {
    CHECK(sunk.read.facts.devices[i].id == again.facts.devices[i].id);
    CHECK(sunk.read.facts.devices[i].name == again.facts.devices[i].name);
    CHECK(sunk.read.facts.devices[i].total_memory_bytes == again.facts.devices[i].total_memory_bytes);
    CHECK(sunk.read.facts.devices[i].multiprocessors == again.facts.devices[i].multiprocessors);
    CHECK(sunk.read.facts.devices[i].compute_major == again.facts.devices[i].compute_major);
  }
}

void put_event(TraceSink& sink, std::mt19937& random) {
  const auto below = [&](std::uint32_t most) { return static_cast<std::int64_t>(random() % most); };
  const Categories categories{"kernel",       "gpu_memcpy",          "cuda_runtime", "cpu_op",
                              "thread_state", "gpu_user_annotation", "a \"b\"\\",    "sample"};
  const std::vector<std::string> names{"gemm",
                                       "",
                                       "two\nlines \x01 \"q\" \\u0041",
                                       "\xff\xfe"
                                       "bad",
                                       "\xc3\xa9t\xc3\xa9",
                                       std::string(70'000, 'n'),
                                       std::string(66'000, '"')};
  const std::vector<SinkTime> times{
      {}, 0, -5, 1'790'000'000'000'000'123, INT64_MAX, INT64_MIN, below(10'000'000), below(1'000'000)};
  const std::string_view category = categories[random() % categories.size()];
  const std::size_t most = random() % 20 == 0 ? names.size() : names.size() - 2;  // the long ones are rare
  const std::string& name = names[random() % 40 < names.size() ? random() % most : 0];
  const SinkThread thread{below(3), below(4) - 1};
  const SinkTime time = times[random() % times.size()];
  switch (random() % 10) {
    case 0:
      sink.open_slice(category, name, thread, time);
      break;
    case 1:
      sink.instant(category, name, thread, time);
      break;
    case 2:
      sink.async(random() % 2 == 0, category, name, thread, time, "id " + std::to_string(below(5)));
      break;
    case 3:
      sink.counter(name, thread.pid, time);
      sink.arguments();
      sink.argument("whole", below(1000) - 500);
      sink.argument("part", 0.1 * static_cast<double>(below(1000)));
      sink.argument("word", std::string_view("no number"));
      return sink.end();
    case 4:
      sink.flow(random() % 2 == 0, category, thread, time, random() % 2 == 0 ? random() : UINT64_MAX - random() % 3);
      return sink.end();
    case 5:
      return random() % 2 == 0 ? sink.name_thread(thread, name) : sink.name_process(thread.pid, name);
    case 6:
      return sink.label_process(thread.pid, "GPU 0");
    default:
      sink.slice(category, name, thread, time, times[random() % times.size()]);
  }
  if (random() % 4 == 0) return sink.end();
  sink.arguments();
  if (random() % 2 == 0) sink.argument("device", below(2));
  if (random() % 2 == 0) sink.argument("stream", below(9) - 1);
  if (random() % 2 == 0) sink.argument("correlation", below(100));
  if (random() % 2 == 0) sink.argument("External id", below(100));
  if (random() % 2 == 0) sink.argument("grid", std::array<std::int64_t, 3>{1, below(9), 3});
  if (random() % 2 == 0) sink.argument("text \"x\"", name);
  sink.end();
}

TEST_CASE("events of all kinds are the same as the JSON that is kept of them") {
  const Sunk sunk = sink_of([](TraceSink& sink) {
    std::mt19937 random(5);
    sink.base_time(1'700'000'000'000'000'000);
    sink.device({"0", "H100 \"x\"", 80'000'000'000, 9, 0, 132});
    sink.device({"1", "", 0, 0, 0, 0});
    for (int i = 0; i < 40'000; ++i) put_event(sink, random);
  });
  CHECK(sunk.read.batches.size() == 2);
  check_is_as_its_text(sunk);
}

TEST_CASE("an empty trace is one, and categories are left out on request") {
  check_is_as_its_text(sink_of([](TraceSink&) {}));
  ImportOptions options;
  options.skip_categories = {"cpu_op"};
  const Sunk sunk = sink_of(
      [](TraceSink& sink) {
        for (const std::string_view category : {"cpu_op", "kernel", "cpu_op"}) {
          sink.slice(category, "name", {1, 2}, 10, 20);
          sink.end();
        }
      },
      options);
  CHECK(sunk.read.count(Finding::kSkippedOnRequest) == 2);
  check_is_as_its_text(sunk, options);
}

TEST_CASE("what is kept has an end, and says so") {
  ImportOptions options;
  options.max_json_bytes = 600'000;
  const Sunk sunk = sink_of(
      [](TraceSink& sink) {
        for (int i = 0; i < 50'000 && sink.state(); ++i) {
          sink.slice("kernel", "name", {1, 2}, i, i + 1);
          sink.end();
        }
      },
      options);
  REQUIRE(!sunk.read.result);
  CHECK(sunk.read.result.error().code == ErrorCode::kLimit);
  CHECK(sunk.read.result.error().cause.find("--max-bytes raises it") != std::string::npos);
  CHECK(sunk.read.events() < 10'000);
}

}  // namespace
}  // namespace lacuna::test

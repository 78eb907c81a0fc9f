// What Kineto and PyTorch write since 2026: rows of synchronisation, host nodes of graphs, arrows of several kinds with
// the same ids, counters whose series has no name.
#include <string>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "model/trace/trace.h"

using namespace lacuna;

namespace {

Trace read_newer(const std::string& events) {
  auto trace = import_json(R"({"traceEvents":[)" + events + R"({"ph":"M","name":"process_name","pid":1}]})");
  REQUIRE(trace);
  return std::move(*trace);
}

const Track* track_called(const Trace& trace, std::string_view name) {
  for (const Track& track : trace.tracks())
    if (trace.text(track.name) == name) return &track;
  return nullptr;
}

constexpr const char* kGraph =
    R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":160,"dur":10,"args":{"device":0,"stream":7}},
       {"ph":"X","cat":"graph_host_node","name":"HostNode: log","pid":0,"tid":7,"ts":171,"dur":20,
        "args":{"device":0,"stream":7,"graph node id":4294967298}},
       {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":195,"dur":10,"args":{"device":0,"stream":7}},)";

}  // namespace

TEST_CASE("a row of synchronisation is called what the file calls it") {
  const Trace trace = read_newer(std::string(kGraph) +
                                 R"x({"ph":"M","name":"thread_name","pid":0,"tid":"7 (sync)","args":{
  "name" : "stream 7 (sync)"}},
         {"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":"7 (sync)","ts":100,"dur":5,"args":{}},)x");
  const Track* sync = track_called(trace, "stream 7 (sync)");
  REQUIRE(sync != nullptr);
  CHECK(sync->slice_count == 1);
}

TEST_CASE("host nodes of graphs lie beside the stream that waits for them, and are no work of it") {
  const Trace trace = read_newer(kGraph);
  const Track* beside = track_called(trace, "stream 7 other events");
  REQUIRE(beside != nullptr);
  CHECK(beside->slice_count == 1);
  const Track* stream = track_called(trace, "stream 7");
  REQUIRE(stream != nullptr);
  CHECK(stream->slice_count == 2);
}

TEST_CASE("arrows are tied by their category as well as their id") {
  const auto arrow = [](const char* category, int from, int to) {
    const auto end = [&](const char* phase, int ts) {
      return std::string(R"({"ph":")") + phase + R"(","id":4,"bp":"e","cat":")" + category +
             R"(","name":"x","pid":0,"tid":7,"ts":)" + std::to_string(ts) + "},";
    };
    return end("s", from) + end("f", to);
  };
  const Trace trace = read_newer(kGraph + arrow("graph_dependency", 160, 195) + arrow("cpu_gpu_flow_kernel", 195, 171));
  CHECK(trace.links().flows().size() == 2);
}

TEST_CASE("a counter whose series has no name is called by its own") {
  const Trace trace = read_newer(R"({"ph":"C","name":"SM Active","pid":"GPU 0 Counters","ts":100,"args":{"":50.5}},
                                    {"ph":"C","name":"SM Active","pid":"GPU 0 Counters","ts":120,"args":{"":60}},)");
  const Track* counter = track_called(trace, "SM Active");
  REQUIRE(counter != nullptr);
  CHECK(counter->counter.values == std::vector<double>{50.5, 60});
}

#include "app/cut/range_export.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

Trace load(const std::string& path) {
  Result<Trace> trace = import_files({&path, 1});
  if (!trace) FAIL(trace.error().message());
  return std::move(*trace);
}

/// (process, track, name, start, duration) of everything that is a slice, and how often.
using Key = std::tuple<std::string, std::string, std::string, Nanos, Nanos>;
std::map<Key, int> slices(const Trace& trace, TimeSpan range = TimeSpan::everything()) {
  std::map<Key, int> found;
  for (const Track& track : trace.tracks())
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const bool is_in = lane.end(i) > range.begin && lane.start(i) < range.end;
        const bool is_point = lane.duration(i) == 0 && range.contains(lane.start(i));
        if (is_in || is_point)
          ++found[{std::string(trace.text(trace.process(track.process).name)), std::string(trace.text(track.name)),
                   std::string(trace.text(lane.name(i))), lane.start(i), lane.duration(i)}];
      }
  return found;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kTrace = R"({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
"distributedInfo": {"rank": 3, "world_size": 8}, "deviceProperties": [{"id": 0, "name": "H100"}],
"traceEvents": [
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},
{"ph":"M","name":"thread_name","pid":1,"tid":10,"args":{"name":"main"}},
{"ph":"X","cat":"cpu_op","name":"early","pid":1,"tid":10,"ts":0.5,"dur":1,"args":{"k":"v"}},
{"ph":"X","cat":"cpu_op","name":"long","pid":1,"tid":10,"ts":5,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":10,"ts":20,"dur":2,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm<\"x\">","pid":0,"tid":7,"ts":25,"dur":30.001,"args":{"device":0,"stream":7,"correlation":7}},
{"ph":"s","id":1,"pid":1,"tid":10,"ts":20,"cat":"fwdbwd","name":"fwdbwd"},
{"ph":"f","bp":"e","id":1,"pid":0,"tid":7,"ts":25,"cat":"fwdbwd","name":"fwdbwd"},
{"ph":"B","cat":"python","name":"opened","pid":1,"tid":11,"ts":30,"args":{"deep":{"a":[1,2]}}},
{"ph":"E","pid":1,"tid":11,"ts":42.125},
{"ph":"b","cat":"a","id":"0x1","name":"async","pid":1,"tid":10,"ts":33},
{"ph":"e","cat":"a","id":"0x1","name":"async","pid":1,"tid":10,"ts":44},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":10,"ts":35,"args":{"Bytes":5}},
{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"used":5,"free":0.1}},
{"ph":"C","name":"memory","pid":1,"ts":40,"args":{"used":7.25,"free":3}},
{"ph":"C","name":"memory","pid":1,"ts":400,"args":{"used":9,"free":3}},
{"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":10,"ts":200,"dur":1}
]})";

TEST_CASE("what overlaps the range comes out as it went in") {
  const TemporaryFolder folder;
  const Trace trace = load(folder.write("a.json", kTrace));
  for (const char* name : {"out.json", "out.json.gz"}) {
    CAPTURE(name);
    RangeExportOptions options;
    options.range = {10'000, 60'000};
    options.path = folder.path + "/" + name;
    const Result<ExportedRange> done = export_range(trace, options);
    REQUIRE(done);
    CHECK(done->without_args == 0);
    CHECK(done->paths == std::vector{options.path});
    const Trace again = load(options.path);
    CHECK(slices(again) == slices(trace, options.range));
    CHECK(slices(again).size() == 5);
    CHECK(again.sources()[0].base_time_ns == 1'700'000'000'000'000'000);
    CHECK(again.sources()[0].rank == 3);
    CHECK(again.sources()[0].devices.size() == 1);
    CHECK(again.links().linked == 1);
    CHECK(again.links().flows().size() == trace.links().flows().size());
    // Counters: from the sample before the range on.
    for (const Track& track : again.tracks()) {
      if (track.kind != TrackKind::kCounter) continue;
      CHECK(track.counter.times == std::vector<Nanos>{1'000, 40'000});
      const bool is_used = again.text(track.name) == "memory \xC2\xB7 used";
      CHECK(track.counter.values == (is_used ? std::vector<double>{5, 7.25} : std::vector<double>{0.1, 3}));
    }
    std::size_t instants = 0;
    for (const Track& track : again.tracks()) instants += track.instants.size();
    CHECK(instants == 1);
  }
  CHECK(read(folder.path + "/out.json").find(R"("args":{"deep":{"a":[1,2]}})") != std::string::npos);
}

TEST_CASE("only the tracks chosen") {
  const TemporaryFolder folder;
  const Trace trace = load(folder.write("a.json", kTrace));
  RangeExportOptions options;
  options.path = folder.path + "/out.json";
  for (const Track& track : trace.tracks())
    if (track.kind == TrackKind::kGpuStream) options.tracks.push_back(track.id);
  REQUIRE(export_range(trace, options));
  const Trace again = load(options.path);
  CHECK(again.slice_count() == 1);
  CHECK(again.processes().size() == 1);
}

TEST_CASE("a damaged event is written without args, and counted") {
  const TemporaryFolder folder;
  // A raw quote in a name, as older Kineto wrote.
  const std::string damaged =
      R"([{"ph":"X","cat":"kernel","name":"a"b","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}},
{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":5,"dur":2}])";
  const Trace trace = load(folder.write("a.json", damaged));
  REQUIRE(trace.slice_count() == 2);
  RangeExportOptions options;
  options.path = folder.path + "/out.json";
  const Result<ExportedRange> done = export_range(trace, options);
  REQUIRE(done);
  CHECK(done->without_args >= 1);
  CHECK(load(options.path).slice_count() == 2);
}

TEST_CASE("frames of a list of samples become slices, and an end stays on its thread") {
  const TemporaryFolder folder;
  const Trace trace = load(folder.write("a.json", R"({"traceEvents": [
{"ph":"b","cat":"a","id":"0x1","name":"async","pid":1,"tid":10,"ts":1},
{"ph":"e","cat":"a","id":"0x1","name":"async","pid":1,"tid":10,"ts":4}],
"stackFrames": {"1":{"name":"main"},"2":{"name":"f","parent":1},"3":{"name":"g","parent":2},"4":{"name":"h","parent":1}},
"samples": [{"tid":10,"ts":1,"sf":3},{"tid":10,"ts":2,"sf":3},{"tid":10,"ts":3,"sf":4},{"tid":10,"ts":4,"sf":4}]})"));
  RangeExportOptions options;
  options.path = folder.path + "/out.json";
  const Result<ExportedRange> done = export_range(trace, options);
  REQUIRE(done);
  CHECK(done->without_args == 0);
  const Trace back = load(options.path);
  CHECK(slices(back) == slices(trace));
  const auto stacks = [](const Trace& of) {  // frame by depth
    std::vector<std::string> names;
    for (const Track& track : of.tracks())
      if (track.kind == TrackKind::kStacks)
        for (const Lane& lane : of.lanes_of(track))
          for (std::uint32_t i = 0; i < lane.size(); ++i) names.emplace_back(of.text(lane.name(i)));
    return names;
  };
  CHECK(stacks(back) == std::vector<std::string>{"main", "f", "h", "g"});
  CHECK(stacks(back) == stacks(trace));
  CHECK(read(options.path).find(R"("tid":"")") == std::string::npos);
}

TEST_CASE("nothing is overwritten that is open, nothing empty is written") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.json", kTrace);
  const Trace trace = load(path);
  RangeExportOptions options;
  options.path = path;
  CHECK(!export_range(trace, options));
  CHECK(read(path) == kTrace);
  options.path = folder.path + "/out.json";
  options.range = {5, 5};
  CHECK(!export_range(trace, options));
  options.range = {900'000, 901'000};
  CHECK(!export_range(trace, options));
  CHECK(!fs::exists(options.path));
  options.range = TimeSpan::everything();
  options.path = folder.path + "/no/such/folder.json";
  CHECK(!export_range(trace, options));
  const std::atomic<bool> cancel{true};
  options.path = folder.path + "/cancelled.json";
  options.cancel = &cancel;
  const auto cancelled = export_range(trace, options);
  REQUIRE(!cancelled);
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a real trace: what is exported and loaded again is the same") {
  const std::string path = source_folder() + "/assets/demo.trace.json.gz";
  if (!fs::exists(path)) return;
  const Trace trace = load(path);
  const TemporaryFolder folder;
  const TimeSpan span = trace.span();
  RangeExportOptions options;
  options.range = {span.begin + span.duration() / 3, span.end - span.duration() / 3};
  options.path = folder.path + "/out.json.gz";
  const Result<ExportedRange> done = export_range(trace, options);
  REQUIRE(done);
  CHECK(done->without_args == 0);
  const auto expected = slices(trace, options.range);
  const auto got = slices(load(options.path));
  CHECK(got.size() == expected.size());
  for (const auto& slice : expected) {
    const auto& key = slice.first;
    CAPTURE(std::get<0>(key));
    CAPTURE(std::get<1>(key));
    CAPTURE(std::get<2>(key));
    CAPTURE(std::get<3>(key));
    const auto found = got.find(key);
    REQUIRE(found != got.end());
    CHECK(found->second == slice.second);
  }
}

TEST_CASE("a name that is free") {
  const TemporaryFolder folder;
  CHECK(suggested_export_path(folder.path + "/run.pt.trace.json.gz", "-range", ".json.gz") ==
        folder.path + "/run-range.json.gz");
  folder.write("run-range.json.gz", "");
  CHECK(suggested_export_path(folder.path + "/run.pt.trace.json.gz", "-range", ".json.gz") ==
        folder.path + "/run-range-2.json.gz");
}

}  // namespace
}  // namespace lacuna

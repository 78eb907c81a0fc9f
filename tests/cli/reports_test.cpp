// What info, stats and gaps write, on a trace made by hand.

#include <string>

#include <doctest/doctest.h>

#include "app/cli/gaps.h"
#include "app/cli/info.h"
#include "app/cli/json_writer.h"
#include "app/cli/stats.h"
#include "model/import/importer.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

Trace small_trace() {
  TraceMaker make;
  make.thread("aten::mm", 0, 10'000)
      .launch("cudaLaunchKernel", 1'000, 2'000, 1)
      .launch("cudaLaunchKernel", 8'000, 9'000, 2)
      .kernel("gemm<a, \"b\">", 3'000, 4'000, 1)
      .kernel("gemm<a, \"b\">", 12'000, 13'500, 2)
      .copy("Memcpy HtoD", 4'000, 4'500)
      .copy("Memcpy DtoH", 20'000, 21'000, "20");
  return make.build();
}

std::string text_of_stats(const Trace& trace, const StatsOptions& options) {
  std::string text;
  Output out(text);
  print_stats(trace, options, out);
  return text;
}

TEST_CASE("stats: the recorder's table has a line about steps, not a row for each") {
  TraceMaker make;
  make.thread("ProfilerStep#0", 0, 1'000'000, "user_annotation").thread("aten::mm", 100, 50'000);
  for (int step = 1; step < 4; ++step)
    make.thread("ProfilerStep#" + std::to_string(step), 900'000 + step * 100'000, 1'000'000 + step * 100'000,
                "user_annotation");
  const Trace trace = make.build();
  CHECK(text_of_stats(trace, {.limit = 1}).find("ProfilerStep#0") != std::string::npos);  // it tops the plain table
  const std::string text = text_of_stats(trace, {.limit = 1, .steps_in_a_line = true});
  CHECK(text.find("ProfilerStep") == std::string::npos);
  CHECK(text.find("aten::mm") != std::string::npos);
  CHECK(text.find("4 steps, the median 100 \xC2\xB5s, the first 1.00 ms.") != std::string::npos);
  CHECK(text.find("1 of 1 rows") != std::string::npos);
}

std::string gaps(const Trace& trace, const GapsOptions& options) {
  std::string text;
  Output out(text);
  const Result<void> done = print_gaps(trace, options, out);
  return done ? text : done.error().message();
}

std::string info(const Trace& trace, bool json, std::size_t width = 120) {
  std::string text;
  Output out(text);
  print_info(trace, {.json = json, .width = width}, out);
  return text;
}

}  // namespace

TEST_CASE("stats --json has one row per name and category") {
  const Trace trace = small_trace();
  const Json json = Json::parse(text_of_stats(trace, {.format = StatsFormat::kJson}));
  CHECK(json["rowCount"] == 5);
  CHECK(json["gpuTotalNs"] == 4'000);
  CHECK(json["cpuSelfNs"] == 10'000);
  REQUIRE(json["rows"].size() == 5);
  const Json& first = json["rows"][0];  // by share: 8000 of 10000 CPU
  CHECK(first.dump() ==
        R"({"name":"aten::mm","category":"cpu_op","count":1,"totalNs":10000,"selfNs":8000,"avgNs":10000,)"
        R"("minNs":10000,"maxNs":10000,"sharePercent":80.0,"sampled":false})");
  CHECK(json["rows"][1]["name"] == "gemm<a, \"b\">");
  CHECK(json["rows"][1]["sharePercent"] == 62.5);
}

TEST_CASE("stats sorts and cuts as asked") {
  const Trace trace = small_trace();
  const auto names = [&](StatisticsColumn column, std::size_t limit) {
    std::string text;
    const Json json =
        Json::parse(text_of_stats(trace, {.format = StatsFormat::kJson, .sort_by = column, .limit = limit}));
    for (const Json& row : json["rows"]) text += row["name"].get<std::string>() + "; ";
    CHECK(json["rowCount"] == 5);
    return text;
  };
  CHECK(names(StatisticsColumn::kName, 2) == "Memcpy DtoH; Memcpy HtoD; ");
  CHECK(names(StatisticsColumn::kTotal, 2) == "aten::mm; gemm<a, \"b\">; ");
  CHECK(names(StatisticsColumn::kCount, 1) == "gemm<a, \"b\">; ");
  CHECK(stats_sort_keys().size() == 9);
}

TEST_CASE("stats --csv quotes by RFC 4180") {
  const std::string csv =
      text_of_stats(small_trace(), {.format = StatsFormat::kCsv, .sort_by = StatisticsColumn::kName});
  CHECK(csv ==
        "name,category,count,total_ns,self_ns,avg_ns,min_ns,max_ns,share_percent\n"
        "Memcpy DtoH,gpu_memcpy,1,1000,1000,1000,1000,1000,25\n"
        "Memcpy HtoD,gpu_memcpy,1,500,500,500,500,500,12.5\n"
        "aten::mm,cpu_op,1,10000,8000,10000,10000,10000,80\n"
        "cudaLaunchKernel,cuda_runtime,2,2000,2000,1000,1000,1000,20\n"
        "\"gemm<a, \"\"b\"\">\",kernel,2,2500,2500,1250,1000,1500,62.5\n");
}

TEST_CASE("stats as text fits its width and says what it left out") {
  const Trace trace = small_trace();
  for (const std::size_t width : {80u, 100u, 120u}) {
    const std::string text = text_of_stats(trace, {.limit = 3, .width = width});
    CHECK(text.find("3 of 5 rows") != std::string::npos);
    CHECK(text.find("--limit 0") != std::string::npos);
    std::size_t start = 0;
    for (int line = 0; line < 4; ++line) {
      const std::size_t end = text.find('\n', start);
      CHECK(end - start <= width + 20);  // bytes: µ has two
      start = end + 1;
    }
  }
  CHECK(text_of_stats(Trace(), {}) == "no slices in this trace\n");
}

TEST_CASE("gaps --json: streams, their gaps longest first, and links") {
  const Trace trace = small_trace();
  const Json json = Json::parse(gaps(trace, {.json = true}));
  REQUIRE(json["streams"].size() == 2);
  const Json& stream = json["streams"][0];
  CHECK(stream["device"] == "0");
  CHECK(stream["stream"] == "7");
  CHECK(stream["events"] == 3);
  CHECK(stream["firstStartNs"] == 3'000);
  CHECK(stream["lastEndNs"] == 13'500);
  CHECK(stream["windowNs"] == 10'500);
  CHECK(stream["busyNs"] == 3'000);
  CHECK(stream["idleNs"] == 7'500);
  REQUIRE(stream["gaps"].size() == 1);
  const Json& gap = stream["gaps"][0];
  CHECK(gap["startNs"] == 4'500);
  CHECK(gap["endNs"] == 12'000);
  CHECK(gap["durationNs"] == 7'500);
  CHECK(gap["before"] == "Memcpy HtoD");
  CHECK(gap["after"] == "gemm<a, \"b\">");
  CHECK(gap["launch"] == "cudaLaunchKernel");
  CHECK(gap["launchStartNs"] == 8'000);
  CHECK(json["streams"][1]["gaps"].empty());
  CHECK(json["links"].dump() == R"({"gpuActivities":4,"linked":2,"unlinked":2})");
}

TEST_CASE("gaps: kernels only, one stream, a least duration, a limit") {
  const Trace trace = small_trace();
  const Json kernels = Json::parse(gaps(trace, {.json = true, .kernels_only = true}));
  REQUIRE(kernels["streams"].size() == 1);
  CHECK(kernels["streams"][0]["idleNs"] == 8'000);
  CHECK(kernels["links"]["gpuActivities"] == 4);

  CHECK(Json::parse(gaps(trace, {.json = true, .streams = {"0:20"}}))["streams"].size() == 1);
  CHECK(Json::parse(gaps(trace, {.json = true, .streams = {"0:20", "0:7"}}))["streams"].size() == 2);
  CHECK(gaps(trace, {.streams = {"0:8"}}) == "no stream 0:8; there are 0:7, 0:20");
  CHECK(gaps(Trace(), {.streams = {"0:8"}}) == "no stream 0:8; there is no GPU activity");

  const Json long_ones = Json::parse(gaps(trace, {.json = true, .min_duration = 7'501}));
  CHECK(long_ones["streams"][0]["gaps"].empty());
  CHECK(long_ones["streams"][0]["gapCount"] == 1);
  CHECK(long_ones["streams"][0]["idleNs"] == 7'500);
}

TEST_CASE("gaps of equal length come in the order of time, and the limit is per stream") {
  TraceMaker make;
  for (int i = 0; i < 5; ++i) make.kernel("k", i * 100, i * 100 + 50).kernel("k", i * 100, i * 100 + 40, 0, "8");
  const Trace trace = make.build();
  const Json json = Json::parse(gaps(trace, {.json = true, .limit = 2}));
  for (const Json& stream : json["streams"]) {
    REQUIRE(stream["gaps"].size() == 2);
    CHECK(stream["gaps"][0]["startNs"] < stream["gaps"][1]["startNs"]);
    CHECK(stream["gapCount"] == 4);
  }
}

TEST_CASE("gaps as text: what the threshold and the limit leave out is said") {
  TraceMaker make;
  Nanos at = 0;
  for (const Nanos gap : {2'000, 3'000, 20'000, 30'000, 40'000, 0}) {
    make.kernel("k", at, at + 1'000);
    at += 1'000 + gap;
  }
  const std::string text = gaps(make.build(), {.min_duration = 10'000, .limit = 2, .width = 100});
  CHECK(text.find("idle 95.0 µs (94.1 %) in 5 gaps of any length") != std::string::npos);
  CHECK(text.find("  listed: 70.0 µs in 2 of 5 gaps\n"
                  "  shorter than 10.0 µs: 5.00 µs in 2 gaps, left out\n"
                  "  beyond --limit 2: 20.0 µs in 1 gap, left out\n") != std::string::npos);
}

TEST_CASE("gaps as text") {
  const std::string text = gaps(small_trace(), {.width = 100});
  CHECK(text.find("Device 0, stream 7\n  3 activities: busy 3.00 µs of 10.5 µs first to last, idle 7.50 µs (71.4 %) in "
                  "1 gap of any length") != std::string::npos);
  CHECK(text.find("cudaLaunchKernel +3.50 µs") != std::string::npos);
  CHECK(text.find("4 GPU activities: 2 with their launch, 2 whose launch is not in the file") != std::string::npos);
  CHECK(gaps(Trace(), {}) == "no GPU activity in this trace\n");
  CHECK(gaps(Trace(), {.kernels_only = true}) == "no GPU kernels in this trace\n");
}

TEST_CASE("info --json from a trace as PyTorch writes it") {
  const auto trace = import_json(R"({
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85028765696,
                          "computeMajor": 9, "computeMinor": 0, "numSms": 132}, {"id": 1, "name": "NVIDIA T4"}],
    "distributedInfo": {"rank": 3, "world_size": 8},
    "baseTimeNanoseconds": 1700000000000000000,
    "traceEvents": [
      {"ph": "M", "name": "process_name", "pid": 42, "args": {"name": "python"}},
      {"ph": "M", "name": "thread_name", "pid": 42, "tid": 7, "args": {"name": "main"}},
      {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 42, "tid": 7, "ts": 10.5, "dur": 4},
      {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 7, "ts": 11, "dur": 1,
       "args": {"correlation": 5}},
      {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 5,
       "args": {"device": 0, "stream": 7, "correlation": 5}},
      {"ph": "Q", "cat": "cpu_op", "name": "what", "pid": 42, "tid": 7, "ts": 12},
      {"ph": "C", "name": "memory", "pid": 42, "ts": 30, "args": {"MiB": 1}}
    ]})");
  REQUIRE(trace);
  const Json json = Json::parse(info(*trace, true));
  CHECK(json["events"] == 7);
  CHECK(json["phases"].dump() == R"({"X":3,"M":2,"C":1,"Q":1})");
  CHECK(json["categories"].dump() == R"json({"(none)":3,"cpu_op":2,"cuda_runtime":1,"kernel":1})json");
  CHECK(json["spanNs"] == 19'500);
  CHECK(json["startNs"] == 10'500);
  CHECK(json["endNs"] == 30'000);
  CHECK(json["rank"] == 3);
  CHECK(json["worldSize"] == 8);
  CHECK(json["baseTimeNs"] == 1700000000000000000);
  CHECK(json["gpuModel"] == "NVIDIA H100 80GB HBM3");
  REQUIRE(json["devices"].size() == 2);
  CHECK(json["devices"][0]["device"] == "0");
  CHECK(json["devices"][0]["computeCapability"] == "9.0");
  CHECK(json["devices"][0]["busyNs"] == 5'000);
  CHECK(json["devices"][1]["events"] == 0);
  CHECK(json["threads"][0]["name"] == "main");
  CHECK(json["streams"][0]["stream"] == "7");
  CHECK(json["counters"].size() == 1);
  CHECK(json["links"]["linked"] == 1);
  REQUIRE(json["report"].size() == 1);
  CHECK(json["report"][0]["finding"] == "unknown_phase");
  CHECK(json["report"][0]["severity"] == "data_loss");
  CHECK(json["report"][0]["count"] == 1);
  CHECK(json["report"][0]["firstOffset"].is_number_unsigned());
  CHECK(json["report"][0]["example"] == "Q");

  const std::string text = info(*trace, false);
  CHECK(text.find("Rank       3 of 8\n") != std::string::npos);
  CHECK(text.find("GPU 0      NVIDIA H100 80GB HBM3, 79.2 GiB, 1 activity, busy 100 % of 5.00 µs") !=
        std::string::npos);
  CHECK(text.find("DATA LOSS         1 event with an unknown phase, not shown") != std::string::npos);
}

TEST_CASE("several files: sums, and null where they differ") {
  TraceMaker make;
  make.kernel("k", 0, 10).next_file().kernel("k", 0, 10);
  const Trace trace = make.build();
  const Json json = Json::parse(info(trace, true));
  CHECK(json["files"].size() == 2);
  CHECK(json["events"] == 2);
  REQUIRE(json["devices"].size() == 2);
  CHECK(json["devices"][1]["file"] == 1);
  const Json streams = Json::parse(gaps(trace, {.json = true}))["streams"];
  REQUIRE(streams.size() == 2);
  CHECK(streams[1]["file"] == 1);
}

#include "app/cli/torch_stats.h"

#include <algorithm>
#include <array>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "model/import/importer.h"
#include "tests/support/paths.h"

using namespace lacuna;

namespace {

Trace fixture(const std::string& name) {
  const std::array<std::string, 1> paths{source_folder() + "/tests/fixtures/" + name};
  Result<Trace> trace = import_files(paths);
  REQUIRE_MESSAGE(trace, trace.error().message());
  return std::move(*trace);
}

std::string print_torch(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key,
                        StatsFormat format) {
  std::string text;
  Output out(text);
  const Result<void> result = print_torch_stats(trace, options, sort_key, format, out);
  REQUIRE_MESSAGE(result, result.error().message());
  REQUIRE(out.finish());
  return text;
}

/// Two streams at once, a thread and its launch.
constexpr std::string_view kGpu = R"({"traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "op,1", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "args": {"External id": 1}},
  {"ph": "X", "cat": "kernel", "name": "k\u001b", "pid": 0, "tid": 7, "ts": 20, "dur": 10,
   "args": {"External id": 1, "device": 0, "stream": 7}},
  {"ph": "X", "cat": "kernel", "name": "k\u001b", "pid": 0, "tid": 8, "ts": 25, "dur": 10,
   "args": {"External id": 1, "device": 0, "stream": 8}}]})";

Trace gpu_trace() {
  Result<Trace> trace = import_json(kGpu);
  REQUIRE(trace);
  return std::move(*trace);
}

}  // namespace

TEST_CASE("CSV: a row without a name has as many fields as the others") {
  const Result<Trace> trace = import_json(R"({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "args": {"External id": 1}}]})");
  REQUIRE(trace);
  TorchStatsOptions options;
  options.table = "torch";
  const std::string csv = print_torch(*trace, options, "", StatsFormat::kCsv);
  CHECK(csv.substr(csv.find('\n')) == "\n,CPU,false,false,true,1,10000,100.0,10000,100.0,10000\n");
}

TEST_CASE("JSON: integers of ns, percentages, and what was asked for") {
  TorchStatsOptions options;
  options.table = "torch";
  options.time = "union";
  options.grouping.group_by_input_shape = true;
  const auto json = nlohmann::json::parse(print_torch(gpu_trace(), options, "", StatsFormat::kJson));
  CHECK(json["rowCount"] == 2);
  CHECK(json["deviceName"] == "CUDA");
  CHECK(json["selfCpuTotalNs"] == 10'000);
  CHECK(json["selfDeviceTotalNs"] == 20'000);
  CHECK(json["deviceCoveredNs"] == 15'000);
  const auto& op = json["rows"][0];
  CHECK(op["name"] == "op,1");
  CHECK(op["device"] == "CPU");
  CHECK(op["count"] == 1);
  CHECK(op["selfCpuPercent"] == 100);
  CHECK(op["selfDeviceNs"] == 20'000);
  CHECK(op["selfDeviceCoveredNs"] == 15'000);
  CHECK(op["selfDeviceOverlapNs"] == 5'000);
  CHECK(op["inputShapes"] == "[]");
  CHECK(op.contains("stack") == false);
  CHECK(json["rows"][1]["name"] == "k\x1b");
  CHECK(json["rows"][1]["cpuTotalNs"] == 0);
}

TEST_CASE("CSV has the same columns, quoted where needed") {
  TorchStatsOptions options;
  options.has_row_limit = true;
  options.row_limit = 1;
  const std::string csv = print_torch(gpu_trace(), options, "", StatsFormat::kCsv);
  CHECK(csv ==
        "name,device,annotation,async,top_level,count,self_cpu_ns,self_cpu_percent,cpu_total_ns,"
        "cpu_total_percent,"
        "cpu_avg_ns,self_device_ns,self_device_percent,device_total_ns,device_avg_ns\n"
        "\"op,1\",CPU,false,false,true,1,10000,100.0,10000,100.0,10000,20000,100.0,20000,20000\n");
}

TEST_CASE("text is torch's table; control characters do not reach the terminal") {
  TorchStatsOptions options;
  const std::string text = print_torch(gpu_trace(), options, "cuda_time_total", StatsFormat::kText);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("k\\x1b") != std::string::npos);
  CHECK(text.ends_with("Self CPU time total: 10.000us\nSelf CUDA time total: 20.000us\n"));
  options.time = "union";
  CHECK(print_torch(gpu_trace(), options, "", StatsFormat::kText)
            .ends_with("CUDA time covered: 15.000us\nCUDA overlap: 5.000us\n"));
}

TEST_CASE("rows and widths are limited as asked, sums are not") {
  const Trace trace = fixture("torch_cpu_mlp.pt.trace.json.gz");
  TorchStatsOptions options;
  options.row_limit = 2;
  options.max_name_width = "20";
  options.time_unit = "ms";
  const std::string text = print_torch(trace, options, "self_cpu_time_total", StatsFormat::kText);
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK(text.find("us") == std::string::npos);
  CHECK(text.starts_with(std::string(20, '-') + "  "));
  options.top_level_only = true;
  const auto json = nlohmann::json::parse(print_torch(trace, options, "", StatsFormat::kJson));
  CHECK(json["rows"].size() == 1);  // ProfilerStep* holds all else
  CHECK(json["rowCount"].get<int>() > 40);
}

TEST_CASE("a trace without events says so") {
  Result<Trace> trace = import_json(R"([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "x"}}])");
  REQUIRE(trace);
  CHECK(print_torch(*trace, {}, "", StatsFormat::kText) == "no events of torch in this trace\n");
}

TEST_CASE("sort keys of either table are accepted, others named") {
  CHECK(check_any_sort_key("share").empty());
  CHECK(check_any_sort_key("self_cuda_time_total").empty());
  CHECK(check_any_sort_key("nonsense").find("self_cpu_time_total") != std::string::npos);
}

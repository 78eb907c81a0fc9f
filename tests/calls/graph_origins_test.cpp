// Whose the work of CUDA graphs is: by annotations of its nodes, by the capture in the same trace, or nobody's.
#include "model/calls/graph_origins.h"

#include <string>

#include "model/calls/launched_work.h"
#include "model/groups/group_table.h"
#include "model/report/report.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

std::string slice(const std::string& cat, const std::string& name, const std::string& where, int ts, int dur,
                  const std::string& args = "") {
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + R"(",)" + where + R"(,"ts":)" + std::to_string(ts) +
         R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}},";
}

const std::string kHost = R"("pid":1,"tid":1)", kDevice = R"("pid":0,"tid":7)";

/// Two nodes, the one with the lower id runs last.
std::string replay(int ts, int correlation, const std::string& args_of_mm = "", const std::string& args_of_relu = "") {
  const std::string same = R"("stream":7,"device":0,"correlation":)" + std::to_string(correlation);
  return slice("cuda_runtime", "cudaGraphLaunch", kHost, ts, 10, R"("correlation":)" + std::to_string(correlation)) +
         slice("kernel", "relu_kernel", kDevice, ts + 20, 5, same + R"(,"graph node id":4294967298)" + args_of_relu) +
         slice("kernel", "mm_kernel", kDevice, ts + 30, 50, same + R"(,"graph node id":4294967297)" + args_of_mm);
}

/// Two calls that are captured, aten::mm in Linear_0 and aten::relu in ReLU_0.
std::string capture(int ts, const std::string& second_operator = "aten::relu") {
  const auto call = [&](int n) { return R"("correlation":)" + std::to_string(ts + n); };
  return slice("cuda_runtime", "cudaStreamBeginCapture", kHost, ts, 2, call(1)) +
         slice("python_function", "nn.Module: Linear_0", kHost, ts + 3, 20) +
         slice("cpu_op", "aten::mm", kHost, ts + 5, 10) +
         slice("cuda_runtime", "cudaLaunchKernel", kHost, ts + 6, 3, call(2)) +
         slice("python_function", "nn.Module: ReLU_0", kHost, ts + 30, 20) +
         slice("cpu_op", second_operator, kHost, ts + 32, 10) +
         slice("cuda_runtime", "cudaLaunchKernel", kHost, ts + 33, 3, call(3)) +
         slice("cuda_runtime", "cudaStreamEndCapture", kHost, ts + 60, 2, call(4));
}

Trace read(const std::string& events) {
  auto trace =
      import_json(R"({"traceEvents":[)" + events + R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]})");
  REQUIRE(trace);
  return std::move(*trace);
}

std::string module_of(const Trace& trace, std::string_view kernel) {
  GroupOptions options;
  options.by = GroupBy::kModule;
  const auto table = compute_groups(trace, options);
  REQUIRE(table);
  for (const GroupRow& row : table->rows)
    if (trace.name(row.longest) == kernel) return row.label;
  return {};
}

Nanos gpu_time_of(const Trace& trace, std::string_view op) {
  for (const ReportOperator& row : compute_report(trace, SourceId{0}).operators)
    if (trace.text(row.name) == op) return row.gpu_time;
  return -1;
}

}  // namespace

TEST_CASE("a captured kernel belongs to the operator and module of its capture, by its node's id") {
  const Trace trace = read(capture(0) + replay(100, 500) + replay(300, 501));
  const auto origins = GraphOrigins::find(trace);
  REQUIRE(origins);
  CHECK(origins->entries().size() == 4);
  CHECK(module_of(trace, "mm_kernel") == "nn.Module: Linear_0");
  CHECK(module_of(trace, "relu_kernel") == "nn.Module: ReLU_0");
  CHECK(gpu_time_of(trace, "aten::mm") == 100'000);  // of both replays
  CHECK(gpu_time_of(trace, "aten::relu") == 10'000);
  const SliceId mm = slice_named(trace, "mm_kernel");
  const LaunchSites sites = launch_sites_of(trace, std::span(&mm, 1), TimeSpan::everything(), nullptr, &*origins);
  REQUIRE(sites.operators.size() == 1);
  CHECK(trace.text(sites.operators[0].name) == "aten::mm");
  CHECK(sites.unattributed == 0);
  // The operator statistics of the command line and the window.
  GroupOptions options;
  options.columns.gpu_time = true;
  const auto table = compute_groups(trace, options);
  REQUIRE(table);
  for (const GroupRow& row : table->rows)
    if (row.label == "aten::mm") CHECK(row.gpu_time == 100'000);
}

TEST_CASE("annotations of graph nodes name their module; other kernels' args do not") {
  const Trace trace =
      read(replay(100, 500, R"(,"module_fqn":"layers.0.wq","name":"scope")", R"(,"str":"phase_B")") +
           slice("cuda_runtime", "cudaLaunchKernel", kHost, 300, 5, R"("correlation":9)") +
           slice("kernel", "plain", kDevice, 310, 5, R"("stream":7,"device":0,"correlation":9,"name":"no")"));
  CHECK(module_of(trace, "mm_kernel") == "layers.0.wq");
  CHECK(module_of(trace, "relu_kernel") == "phase_B");
  CHECK(module_of(trace, "plain") == "(no module)");
  CHECK(compute_report(trace, SourceId{0}).unattributed_time == 0);
}

TEST_CASE("annotations that are JSON as text are read, too") {
  const auto module_said = [](const std::string& annotation) {
    return module_of(read(replay(100, 500, R"(,"annotation":")" + annotation + '"')), "mm_kernel");
  };
  CHECK(module_said(R"({\"str\": \"phase\", \"module_fqn\": \"layers.0.wq\", \"n\": [1]})") == "layers.0.wq");
  CHECK(module_said(R"([{\"str\": \"inner\"}, {\"str\": \"outer\"}])") == "inner");
  CHECK(module_said("plain") == "plain");
  CHECK(module_said(R"({\"other\": 1})") == R"({"other": 1})");
  CHECK(module_said(R"({\"name\": )") == R"({"name": )");  // no JSON after all
}

TEST_CASE("what nothing tells is unattributed") {
  SUBCASE("no capture, no annotation") {
    const Trace trace = read(replay(100, 500));
    CHECK(module_of(trace, "mm_kernel") == kUnattributed);
    const Report report = compute_report(trace, SourceId{0});
    CHECK(report.graph_time == 55'000);
    CHECK(report.unattributed_time == 55'000);
    const SliceId mm = slice_named(trace, "mm_kernel");
    const auto origins = GraphOrigins::find(trace);
    REQUIRE(origins);
    CHECK(launch_sites_of(trace, std::span(&mm, 1), TimeSpan::everything(), nullptr, &*origins).unattributed == 1);
  }
  SUBCASE("a capture of another length, or behind the launch") {
    const std::string third = slice("kernel", "third", kDevice, 190, 5,
                                    R"("stream":7,"device":0,"correlation":500,"graph node id":4294967299)");
    CHECK(module_of(read(capture(0) + replay(100, 500) + third), "mm_kernel") == kUnattributed);
    CHECK(module_of(read(replay(100, 500) + capture(300)), "mm_kernel") == kUnattributed);
  }
  SUBCASE("two captures: only what both agree on") {
    const Trace trace = read(capture(0) + capture(1000, "aten::gelu") + replay(2000, 5000));
    CHECK(module_of(trace, "mm_kernel") == "nn.Module: Linear_0");
    CHECK(module_of(trace, "relu_kernel") == kUnattributed);
    CHECK(compute_report(trace, SourceId{0}).unattributed_time == 5'000);
  }
}

TEST_CASE("nodes of which one has no id are known by when they ran") {
  const std::string same = R"("stream":7,"device":0,"correlation":500)";
  const Trace trace =
      read(capture(0) + slice("cuda_runtime", "cudaGraphLaunch", kHost, 100, 10, R"("correlation":500)") +
           slice("kernel", "mm_kernel", kDevice, 120, 50, same + R"(,"graph node id":4294967298)") +
           slice("kernel", "relu_kernel", kDevice, 180, 5, same));
  CHECK(module_of(trace, "mm_kernel") == "nn.Module: Linear_0");
  CHECK(module_of(trace, "relu_kernel") == "nn.Module: ReLU_0");
}

TEST_CASE("a graph without any capture in its trace is unattributed as a whole") {
  const auto trace = shared_trace("tracelens_mi300x_sglang_decode_hipgraph.json.gz");
  if (!trace) return;
  const auto origins = GraphOrigins::find(*trace);
  REQUIRE(origins);
  std::size_t nodes = 0;
  for (const LaunchLink& link : trace->links().launches())
    nodes += trace->name(link.launch) == "hipGraphLaunch" ? 1 : 0;
  CHECK(nodes > 100);
  CHECK(origins->entries().size() == nodes);
  for (const GraphOrigins::Entry& entry : origins->entries()) CHECK_FALSE(entry.captured_by.valid());
  const Report report = compute_report(*trace, SourceId{0});
  CHECK(report.graph_time > 0);
  CHECK(report.unattributed_time == report.graph_time);
}

// What CUDA graphs replay, by a capture trace beside the trace: operators, shapes, modules and stacks of their nodes.
#include "model/import/capture_traces.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "model/calls/call_tree.h"
#include "model/calls/launched_work.h"
#include "model/groups/group_table.h"
#include "model/import/importer.h"
#include "model/report/report.h"
#include "model/roofline/roofline.h"
#include "model/statistics/statistics.h"
#include "model/trace/import_finding.h"
#include "tests/causes/causes_support.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string event(const std::string& cat, const std::string& name, const std::string& where, int ts, int dur,
                  const std::string& args = "") {
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + R"(",)" + where + R"(,"ts":)" + std::to_string(ts) +
         R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}},";
}

const std::string kScheduler = R"("pid":1,"tid":1)", kStream = R"("pid":0,"tid":7)";

std::string document(const std::string& events) {
  return R"({"traceEvents":[)" + events + R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"server"}}]})";
}

/// A module with an operator that launches a kernel.
std::string captured(int ts, int number, const std::string& module, const std::string& op, const std::string& kernel,
                     int rows) {
  const std::string name = kernel.empty() ? "" : R"(,"kernel":")" + kernel + '"';
  return event("python_function", "nn.Module: " + module, kScheduler, ts, 30) +
         event("cpu_op", op, kScheduler, ts + 5, 20,
               R"("Input Dims":[[)" + std::to_string(rows) + R"(,64],[64,32]],"Input type":["float","float"])") +
         event("cuda_runtime", "hipLaunchKernel", kScheduler, ts + 10, 5,
               R"("correlation":)" + std::to_string(number) + name);
}

struct CapturedKernels {
  std::string mm = "gemm_kernel", relu = "relu_kernel";
};
std::string capture_trace(int rows, const CapturedKernels& kernels = {}) {
  return document(event("python_function", "capture.py(1): main", kScheduler, 1'000'000, 400) +
                  event("cuda_runtime", "hipStreamBeginCapture", kScheduler, 1'000'010, 5, R"("correlation":1)") +
                  captured(1'000'020, 2, "Linear_0", "aten::mm", kernels.mm, rows) +
                  captured(1'000'060, 3, "ReLU_0", "aten::relu", kernels.relu, rows) +
                  event("cuda_runtime", "hipStreamEndCapture", kScheduler, 1'000'100, 5, R"("correlation":4)") +
                  event("kernel", "warm_up", kStream, 1'000'200, 9, R"("stream":7,"device":0,"correlation":5)"));
}

/// A step that launches a graph of two kernels, `between` them another.
std::string step(int ts, int correlation, const std::string& name, const std::string& between = "") {
  const auto node = [&](const std::string& kernel, int at, int dur) {
    return event("kernel", kernel, kStream, ts + at, dur,
                 R"("stream":7,"device":0,"correlation":)" + std::to_string(correlation));
  };
  return event("user_annotation", name, kScheduler, ts, 200) +
         event("cuda_runtime", "hipGraphLaunch", kScheduler, ts + 10, 10,
               R"("correlation":)" + std::to_string(correlation)) +
         node("gemm_kernel", 30, 50) + (between.empty() ? "" : node(between, 90, 3)) + node("relu_kernel", 100, 5);
}

/// A trace and what lies beside it.
struct Server {
  explicit Server(const std::string& replay) { path = folder.write("decode.json", document(replay)); }
  void capture(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder.path + "/capture_traces");
    folder.write("capture_traces/" + name, text);
  }
  void details(const std::string& text) { capture("execution_details.json", text); }
  Trace open() const {
    auto trace = import_files(std::span(&path, 1));
    REQUIRE(trace);
    return std::move(*trace);
  }
  TemporaryFolder folder;
  std::string path;
};

std::map<std::string, Nanos> by(const Trace& trace, GroupBy what) {
  GroupOptions options;
  options.by = what;
  const auto table = compute_groups(trace, options);
  REQUIRE(table);
  std::map<std::string, Nanos> times;
  for (const GroupRow& row : table->rows)
    if (is_gpu_activity(trace.category_class(row.category))) times[row.label] += row.total;
  return times;
}

const std::string kDecode2 = "step[DECODE bs=2]";
const std::string kOne = R"([{"file": "two.json", "batch_size": 2, "mode": "FULL"}])";

}  // namespace

TEST_CASE("nodes have module, operator, shape and stack of the capture beside the trace") {
  Server server(step(1'000, 500, kDecode2) + step(2'000, 501, kDecode2));
  server.capture("two.json", capture_trace(2));
  server.details(kOne);
  const Trace trace = server.open();
  CHECK(by(trace, GroupBy::kModule) ==
        std::map<std::string, Nanos>{{"nn.Module: Linear_0", 100'000}, {"nn.Module: ReLU_0", 10'000}});
  CHECK(by(trace, GroupBy::kShape) == std::map<std::string, Nanos>{{"gemm_kernel  [[2, 64], [64, 32]]", 100'000},
                                                                   {"relu_kernel  [[2, 64], [64, 32]]", 10'000}});
  const auto origins = GraphOrigins::find(trace);
  REQUIRE(origins);
  CHECK(origins->counts().nodes == 4);
  CHECK(origins->counts().of_capture_trace == 4);
  CHECK(origins->counts().by_name == 4);
  CHECK(origins->counts().unknown == 0);
  const SliceId gemm = slice_named(trace, "gemm_kernel");
  const std::vector<SliceId> stack = stack_above(trace, gemm, &*origins);
  REQUIRE(stack.size() >= 4);
  CHECK(trace.name(stack[1]) == "aten::mm");
  CHECK(trace.name(stack[2]) == "nn.Module: Linear_0");
  CHECK(trace.name(stack[3]) == "hipGraphLaunch");  // what called the capture did not call the replay
}

TEST_CASE("the roofline counts each replay of a captured operator") {
  Server server(step(1'000, 500, kDecode2) + step(2'000, 501, kDecode2));
  server.capture("two.json", capture_trace(2));
  const auto roofline = compute_roofline(server.open(), {});
  REQUIRE(roofline);
  REQUIRE(roofline->rows.size() == 2);
  const RooflineRow& mm = roofline->rows.front();
  CHECK(mm.count == 2);
  CHECK(mm.gpu_time == 100'000);
  CHECK(mm.work.work.flop == 2 * 2 * 64 * 32);
  // Of a range, what was launched in it.
  RooflineOptions options;
  options.range = {1'500'000, 3'000'000};
  const auto second = compute_roofline(server.open(), options);
  REQUIRE(second);
  REQUIRE(!second->rows.empty());
  CHECK(second->rows.front().count == 1);
  CHECK(second->rows.front().gpu_time == 50'000);
}

TEST_CASE("attention that goes by the requests of a step is counted by the steps that replay it") {
  const auto name = [](int lengths) {
    const std::string k = std::to_string(lengths);
    return "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk" + k + "sqsq2sqsk" + k + ")";
  };
  Server server(step(1'000, 500, name(100)) + step(2'000, 501, name(300)) + step(3'000, 502, name(300)));
  const std::string attention = "sglang_profiler::attention_paged_attention_ragged";
  server.capture(
      "two.json",
      document(event("cuda_runtime", "hipStreamBeginCapture", kScheduler, 10, 5) +
               event("cpu_op", attention + "_7", kScheduler, 20, 20,
                     R"("Input Dims":[[2,32,128],[9],[2,32,128],[99,1,8,128],[99,1,8,128],[3],[9],[9],[],[1],[1],[]],)"
                     R"("Input type":["c10::BFloat16","","c10::BFloat16","c10::BFloat16","c10::BFloat16"])") +
               event("cuda_runtime", "hipLaunchKernel", kScheduler, 25, 5, R"("kernel":"gemm_kernel")") +
               event("cuda_runtime", "hipLaunchKernel", kScheduler, 50, 5, R"("kernel":"relu_kernel")") +
               event("cuda_runtime", "hipStreamEndCapture", kScheduler, 60, 5)));
  const Trace trace = server.open();
  const auto roofline = compute_roofline(trace, {});
  REQUIRE(roofline);
  REQUIRE(roofline->rows.size() == 2);
  const RooflineRow &long_ones = roofline->rows[0], &short_one = roofline->rows[1];
  CHECK(unnumbered_operator(long_ones.name) == attention);
  CHECK(long_ones.count == 2);
  CHECK(long_ones.gpu_time == 100'000);
  CHECK(short_one.count == 1);
  CHECK(short_one.gpu_time == 50'000);
  CHECK(long_ones.work.work.flop == 3 * short_one.work.work.flop);
  CHECK(roofline->modelled_time == 150'000);
}

TEST_CASE("the flame graph of GPU time goes on below the launch of the graph") {
  Server server(step(1'000, 500, kDecode2) + step(2'000, 501, kDecode2));
  server.capture("two.json", capture_trace(2));
  const Trace trace = server.open();
  CallTreeOptions options;
  options.metric = CallMetric::kGpuTime;
  const CallTree tree = build_call_tree(trace, options);
  CHECK(tree.root().total == 110'000);
  std::string path;
  for (std::uint32_t node = 0; tree.nodes[node].child_count > 0;) {
    node = tree.nodes[node].first_child;
    path += std::string(trace.text(tree.nodes[node].key.name)) + ";";
    if (path.ends_with("aten::mm;")) {
      const std::vector<SliceId> places = find_call_places(trace, options, tree, node);
      REQUIRE(places.size() == 1);  // both replays are of the same call
      CHECK(trace.name(places[0]) == "aten::mm");
      CHECK(trace.track_of(places[0]).kind == TrackKind::kCaptured);
    }
    if (tree.nodes[node].child_count == 0) {
      CHECK(tree.nodes[node].total == 100'000);
      CHECK(find_call_places(trace, options, tree, node).size() == 2);
    }
  }
  CHECK(path.ends_with("hipGraphLaunch;nn.Module: Linear_0;aten::mm;hipLaunchKernel;gemm_kernel;"));
}

TEST_CASE("a node that the capture has not is nobody's, the others stay known") {
  Server server(step(1'000, 500, kDecode2, "copy_kernel"));
  server.capture("two.json", capture_trace(2));
  const Trace trace = server.open();
  const auto modules = by(trace, GroupBy::kModule);
  CHECK(modules.at("nn.Module: Linear_0") == 50'000);
  CHECK(modules.at(std::string(kUnattributed)) == 3'000);
  const auto origins = GraphOrigins::find(trace);
  REQUIRE(origins);
  CHECK(origins->counts().of_capture_trace == 2);
  CHECK(origins->counts().unknown == 1);
}

TEST_CASE("calls that name no kernels count in their order, where there are as many") {
  for (const bool is_as_long : {true, false}) {
    Server server(step(1'000, 500, kDecode2, is_as_long ? "" : "copy_kernel"));
    server.capture("two.json", capture_trace(2, {"", ""}));
    const auto origins = GraphOrigins::find(server.open());
    REQUIRE(origins);
    CHECK(origins->counts().of_capture_trace == (is_as_long ? 2 : 0));
    CHECK(origins->counts().by_name == 0);
  }
}

TEST_CASE("of several captures the one for the batch size of the step, padded") {
  Server server(step(1'000, 500, "step[DECODE bs=3]"));
  server.capture("two.json", capture_trace(2));
  server.capture("four.json", capture_trace(4));
  server.capture("eight.json", capture_trace(8));
  server.details(R"([{"file": "two.json", "batch_size": 2, "mode": "FULL"},
                     {"file": "eight.json", "batch_size": 8, "mode": "FULL"},
                     {"file": "gone.json", "batch_size": 3, "mode": "FULL"},
                     {"file": "../decode.json", "batch_size": 3, "mode": "FULL"},
                     {"file": "four.json", "batch_size": 4, "mode": "FULL"}])");
  const Trace trace = server.open();
  CHECK(by(trace, GroupBy::kShape).contains("gemm_kernel  [[4, 64], [64, 32]]"));
  CHECK(trace.sources().size() == 2);  // the others are not read
  CHECK(trace.report().count(Finding::kCaptureTraceRead) == 1);
}

TEST_CASE("a capture of something else explains nothing") {
  Server server(step(1'000, 500, kDecode2));
  server.capture("two.json", capture_trace(2, {"conv_kernel", "relu_kernel"}));
  const auto origins = GraphOrigins::find(server.open());
  REQUIRE(origins);
  CHECK(origins->counts().of_capture_trace == 0);
}

TEST_CASE("what is no capture is said, and the trace opens") {
  Server server(step(1'000, 500, kDecode2));
  server.capture("two.json", document(event("cpu_op", "aten::mm", kScheduler, 1, 5)));
  server.details(kOne);
  const Trace trace = server.open();
  CHECK(trace.sources().size() == 1);
  CHECK(trace.report().count(Finding::kNotATraceFile) == 1);
  CHECK(trace.report().line(Finding::kNotATraceFile).example.ends_with("nothing is captured in it"));
}

TEST_CASE("without graphs captures are not read, nor is the capture itself") {
  Server plain(event("cpu_op", "aten::mm", kScheduler, 1, 5));
  plain.capture("two.json", capture_trace(2));
  CHECK(plain.open().sources().size() == 1);
  const std::string capture = plain.folder.path + "/capture_traces/two.json";
  const auto alone = import_files(std::span(&capture, 1));
  REQUIRE(alone);
  CHECK(alone->sources().size() == 1);
}

TEST_CASE("the report is on the trace alone, with the operators that its graphs replay") {
  Server server(step(1'000, 500, kDecode2) + step(2'000, 501, kDecode2));
  server.capture("two.json", capture_trace(2));
  const Trace trace = server.open();
  const std::vector<Report> reports = compute_reports(trace);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].unattributed_time == 0);
  const auto mm = std::ranges::find_if(reports[0].operators,
                                       [&](const ReportOperator& row) { return trace.text(row.name) == "aten::mm"; });
  REQUIRE(mm != reports[0].operators.end());
  CHECK(mm->gpu_time == 100'000);
  CHECK(mm->count == 2);
  CHECK(mm->self_cpu == 0);
}

TEST_CASE("what was captured takes no time of the trace") {
  Server server(step(1'000, 500, kDecode2));
  const Trace without = server.open();
  server.capture("two.json", capture_trace(2));
  const Trace with = server.open();
  CHECK(with.sources().size() == 2);
  CHECK(with.span() == without.span());
  std::uint64_t threads = 0, captured_threads = 0, kernels = 0;
  for (const Track& track : with.tracks()) {
    threads += track.kind == TrackKind::kThread ? 1 : 0;
    captured_threads += track.kind == TrackKind::kCaptured ? 1 : 0;
    kernels += track.kind == TrackKind::kGpuStream ? track.slice_count : 0;
  }
  for (const StatisticsRow& row : compute_statistics(with).rows) CHECK(with.text(row.name) != "aten::mm");
  CHECK(threads == 1);
  CHECK(captured_threads == 1);
  CHECK(kernels == 2);  // not the one of the capture
}

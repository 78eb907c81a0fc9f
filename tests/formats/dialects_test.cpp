// Chrome JSON of profilers other than Kineto: which lanes are devices, what started their work.
#include "model/build/dialects.h"

#include "tests/formats/format_support.h"

namespace lacuna::test {
namespace {

Trace trace_of(const std::string& json) {
  auto trace = import_json(json, "a.json");
  REQUIRE(trace.has_value());
  return std::move(*trace);
}

/// "GPU 0/stream 1: 3 busy 150, links 2; gaps", a line for each stream.
std::string streams_of(const Trace& trace) {
  std::string text;
  for (const StreamActivity& stream : analyze_streams(trace))
    text += fmt::format("{} {}: {} busy {}, {}\n", trace.text(stream.device), trace.text(stream.stream), stream.events,
                        stream.busy, describe_gaps(trace, stream));
  return text + fmt::format("{} of {} launched", trace.links().launches().size(), trace.links().gpu_activities);
}

std::string named(std::string_view what, std::string_view pid, std::string_view tid, std::string_view name) {
  return fmt::format(R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"name": "{}"}}}},)", what, pid, tid,
                     name);
}
std::string slice(std::string_view pid, std::string_view tid, std::string_view name, int ts, int dur,
                  std::string_view more = {}) {
  return fmt::format(R"({{"ph": "X", "pid": {}, "tid": {}, "name": "{}", "ts": {}, "dur": {}{}{}}},)", pid, tid, name,
                     ts, dur, more.empty() ? "" : ", ", more);
}
std::string arrow(std::string_view phase, int id, std::string_view pid, std::string_view tid, int ts,
                  std::string_view category) {
  return fmt::format(R"({{"ph": "{}", "id": "{}", "pid": {}, "tid": {}, "ts": {}, "cat": "{}", "name": "dep"}},)",
                     phase, id, pid, tid, ts, category);
}
std::string document(std::string events) {
  return "{\"traceEvents\": [" + events + "{}]}";
}

TEST_CASE("names of lanes tell what they are") {
  using enum LaneRole;
  const auto said = [](std::string_view process, std::string_view thread) {
    const DialectLane lane = dialect_lane(process, thread);
    return fmt::format("{} {} {}", static_cast<int>(lane.role), lane.device, lane.stream);
  };
  const auto is = [](LaneRole role, std::string_view rest) {
    return fmt::format("{} {}", static_cast<int>(role), rest);
  };
  CHECK(said("/device:GPU:0", "Stream #13(Compute)") == is(kStream, "0 13"));
  CHECK(said("/device:GPU:1 (pid 2)", "XLA Ops") == is(kAllStreams, "1 "));
  CHECK(said("/device:TPU:3", "Steps") == is(kBesideStream, "3 "));
  CHECK(said("/device:CPU:0", "XLA Ops") == is(kHost, " "));
  CHECK(said("/host:CPU", "python") == is(kHost, " "));
  CHECK(said("/device:GPU:0/stream:all Compute", "") == is(kAllStreams, "0 all"));
  CHECK(said("/gpu:1 (NVIDIA T4)/context#0/stream#7:MEMCPYHtoD Compute", "") == is(kCopies, "1 7"));
  CHECK(said("/gpu:1/context#0/stream#2:Kernel Compute", "") == is(kStream, "1 2"));
  CHECK(said("/gpu:0/memcpy Compute", "") == is(kCopies, "0 memcpy"));
  CHECK(said("Op execution threads: /device:gpu:0/stream:all", "") == is(kAllStreams, "0 all"));
  CHECK(said("/job:worker/replica:0/task:0/device:GPU:0 Compute", "") == is(kThread, " "));
  CHECK(said("/device:GPU:0/stream:all Tensors", "") == is(kThread, " "));
  CHECK(said("5 GPU0", "thread 1") == is(kStream, "0 "));
  CHECK(said("GPU12", "") == is(kStream, "12 "));
  CHECK(said("1 CPU HIP API", "") == is(kCalls, " "));
  CHECK(said("0 COPY", "") == is(kCopies, " COPY"));
  CHECK(said("3 Markers and Ranges", "") == is(kMarkers, " "));
  CHECK(said("DEVICE<host>[0000:4d:00.0]", "L0 Queue 0") == is(kStream, " "));
  CHECK(said("HOST<host> rank 0", "") == is(kCalls, " "));
  // What others call their lanes.
  for (const std::string_view process : {"python", "GPU 0", "GPU0 Counters", "GPU", "COPY", "CPU HIP API", "", "Spans",
                                         "/usr/bin/python3", "DEVICE", "2 CPUs", "GPU99999999999999999999", "12"})
    CHECK(said(process, "stream 7") == is(kThread, " "));
}

TEST_CASE("names of work and of calls tell their kind") {
  CHECK(activity_category("MemcpyD2H") == "gpu_memcpy");
  CHECK(activity_category("zeCommandListAppendMemoryCopy(M2D)[64 bytes]") == "gpu_memcpy");
  CHECK(activity_category("CopyHostToDevice") == "gpu_memcpy");
  CHECK(activity_category("FillBuffer") == "gpu_memset");
  CHECK(activity_category("gemm_kernel") == "kernel");
  CHECK(call_category("cuLaunchKernel") == "cuda_driver");
  CHECK(call_category("cudaLaunchKernel") == "cuda_runtime");
  CHECK(call_category("hipLaunchKernel") == "hip_runtime");
  CHECK(call_category("zeCommandListAppendLaunchKernel") == "xpu_driver");
  CHECK(call_category("custom").empty());
  CHECK(call_category("cu").empty());
}

TEST_CASE("JAX: streams, modules above them, launches by correlation_id; its last, empty object is no loss") {
  std::string events = named("process_name", "1", "0", "/device:GPU:0") +
                       named("thread_name", "1", "13", "Stream #13(Compute)") +
                       named("thread_name", "1", "14", "Stream #14(MemcpyD2H)") +
                       named("thread_name", "1", "99", "XLA Modules") + named("thread_name", "1", "98", "XLA Ops") +
                       named("process_name", "701", "0", "/host:CPU") + named("thread_name", "701", "5", "python");
  for (int i = 0; i < 3; ++i)
    events += slice("701", "5", "cuLaunchKernel", 100 + 1000 * i, 10,
                    fmt::format(R"("args": {{"correlation_id": "{}"}})", i + 7)) +
              slice("1", "13", "gemm", 200 + 1000 * i, 300,
                    fmt::format(R"("args": {{"correlation_id": "{}", "hlo_op": "dot"}})", i + 7)) +
              slice("1", "98", "gemm", 200 + 1000 * i, 300);
  events += slice("1", "14", "MemcpyD2H", 600, 10) + slice("1", "99", "jit_f(1)", 200, 410) +
            slice("701", "5", "PjitFunction(f)", 0, 5000) + slice("701", "5", "$a.py:1 main", 0, 6000);
  const Trace trace = trace_of(document(events));
  CHECK(streams_of(trace) ==
        "0 13: 3 busy 900000, 500000+700000 launch-bound, 1500000+700000 launch-bound\n"
        "0 14: 1 busy 10000, \n3 of 4 launched");
  const std::string text = describe_trace(trace);
  CHECK(text.find("/device:GPU:0/XLA Modules annotations: gpu_user_annotation jit_f(1)") != std::string::npos);
  CHECK(text.find("/host:CPU/python: cuda_driver cuLaunchKernel") != std::string::npos);
  CHECK(text.find("/host:CPU/python: cpu_op PjitFunction(f)") != std::string::npos);
  CHECK(text.find("/host:CPU/python: python_function $a.py:1 main") != std::string::npos);
  CHECK(text.find("gpu_memcpy MemcpyD2H") != std::string::npos);
  CHECK(trace.report().total(Severity::kDataLoss) == 0);
}

TEST_CASE("XLA Ops are the work of a device without streams, and a CPU has none") {
  const auto of = [](std::string_view process) {
    return streams_of(
        trace_of(document(named("process_name", "1", "0", process) + named("thread_name", "1", "3", "XLA Ops") +
                          slice("1", "3", "fusion", 0, 10) + slice("1", "3", "fusion", 30, 10))));
  };
  CHECK(of("/device:TPU:0") == "0 3: 2 busy 20000, 10000+20000 not recorded\n0 of 2 launched");
  CHECK(of("/host:CPU") == "0 of 0 launched");
}

TEST_CASE("TensorFlow's timeline: each stream is a process; all at once stand beside them, or for them") {
  const std::string all = named("process_name", "0", "0", "/device:GPU:0/stream:all Compute") +
                          slice("0", "0", "MatMul", 0, 50) + slice("0", "1", "MatMul", 100, 50);
  const std::string one = named("process_name", "1", "0", "/gpu:0/context#0/stream#1:Kernel Compute") +
                          slice("1", "0", "MatMul", 0, 50) + slice("1", "1", "MatMul", 100, 50);
  const std::string host =
      named("process_name", "2", "0", "/host:CPU Compute") + slice("2", "0", "MatMul", 0, 5, R"("cat": "Op")");
  const Trace both = trace_of(document(all + one + host));
  CHECK(streams_of(both) == "0 1: 2 busy 100000, 50000+50000 not recorded\n0 of 2 launched");
  CHECK(describe_trace(both).find("cpu_op MatMul") != std::string::npos);
  CHECK(streams_of(trace_of(document(all))) == "0 all: 2 busy 100000, 50000+50000 not recorded\n0 of 2 launched");
}

TEST_CASE("rocprof: queues of GPUs, copies on the one that there is, launches by arrows") {
  std::string events = named("process_name", "2", "0", "1 CPU HIP API") + named("process_name", "6", "0", "5 GPU0") +
                       named("process_name", "1", "0", "0 COPY");
  for (int i = 0; i < 2; ++i)
    events += slice("2", "4711", "hipLaunchKernel", 100 + 1000 * i, 20) + slice("6", "1", "gemm", 150 + 1000 * i, 100) +
              arrow("s", i, "2", "4711", 100 + 1000 * i, "DataFlow") +
              arrow("t", i, "6", "1", 150 + 1000 * i, "DataFlow");
  events += slice("1", "0", "hcMemcpyHostToDevice", 300, 10);
  const Trace trace = trace_of(document(events));
  CHECK(streams_of(trace) == "0 1: 2 busy 200000, 250000+900000 launch-bound\n0 COPY: 1 busy 10000, \n2 of 3 launched");
  // An arrow of this kind from what is no call of an API, as TensorFlow draws them, ties no launch.
  std::string tensors = events;
  for (std::size_t at = 0; (at = tensors.find("hipLaunchKernel", at)) != std::string::npos;)
    tensors.replace(at, 15, "producer_of_it_");
  CHECK(streams_of(trace_of(document(tensors))).ends_with("0 of 3 launched"));
  // Of several GPUs, the copies belong to none.
  const Trace two =
      trace_of(document(events + named("process_name", "7", "0", "6 GPU1") + slice("7", "1", "gemm", 0, 1)));
  CHECK(streams_of(two).find("unknown COPY: 1") != std::string::npos);
}

TEST_CASE("unitrace: devices in their order, launches by ids that begin at 0") {
  std::string events = named("process_name", "100", "0", "HOST<h> rank 0") +
                       named("process_name", "200", "0", "DEVICE<h>[0000:4d:00.0]") +
                       named("thread_name", "200", "1", "L0 Queue 0") +
                       named("process_name", "300", "0", "DEVICE<h>[0000:9a:00.0]");
  for (int i = 0; i < 2; ++i)
    events += slice("100", "100", "zeCommandListAppendLaunchKernel", 100 + 1000 * i, 20,
                    fmt::format(R"("cat": "cpu_op", "id": {})", i)) +
              slice("200", "1", "gemm[SIMD16]", 150 + 1000 * i, 100,
                    fmt::format(R"("cat": "gpu_op", "args": {{"id": "{}"}})", i));
  events += slice("300", "2", "zeCommandListAppendMemoryCopy(M2D)[64 bytes]", 10, 5, R"("cat": "gpu_op")");
  const Trace trace = trace_of(document(events));
  CHECK(streams_of(trace) == "0 1: 2 busy 200000, 250000+900000 launch-bound\n1 2: 1 busy 5000, \n2 of 3 launched");
  CHECK(describe_trace(trace).find("gpu_memcpy zeCommandListAppendMemoryCopy") != std::string::npos);
}

TEST_CASE("unitrace: where it draws arrows, these tie launches, whatever the ids") {
  std::string events = named("process_name", "100", "0", "HOST<h>") + named("process_name", "200", "0", "DEVICE<h>[0]");
  for (int i = 0; i < 3; ++i) {
    const std::string category = fmt::format("Flow_H2D_{}_285", i + 1), back = fmt::format("Flow_D2H_{}_285", i + 1);
    events += slice("100", "9", "zeCommandListCreate", 50 + 1000 * i, 20,
                    fmt::format(R"("cat": "cpu_op", "id": {})", 2 * i)) +
              slice("100", "9", "zeCommandListAppendLaunchKernel", 100 + 1000 * i, 20,
                    fmt::format(R"("cat": "cpu_op", "id": {})", 2 * i + 1)) +
              slice("200", "1", "gemm", 150 + 1000 * i, 100,
                    fmt::format(R"("cat": "gpu_op", "args": {{"id": "{}"}})", i + 1)) +
              arrow("s", i + 1, "100", "9", 100 + 1000 * i, category) +
              arrow("t", i + 1, "200", "1", 150 + 1000 * i, category) +
              arrow("s", i + 1, "200", "1", 150 + 1000 * i, back) + arrow("t", i + 1, "100", "9", 100 + 1000 * i, back);
  }
  const Trace trace = trace_of(document(events));
  CHECK(streams_of(trace).ends_with("3 of 3 launched"));
  for (const LaunchLink& link : trace.links().launches())
    CHECK(trace.name(link.launch) == "zeCommandListAppendLaunchKernel");
  std::string categories;
  for (const Category& category : trace.categories()) categories += fmt::format("{} ", trace.text(category.name));
  CHECK(categories.find("Flow_H2D_285 ") != std::string::npos);
  CHECK(categories.find("Flow_H2D_1_285") == std::string::npos);
}

TEST_CASE("ONNX Runtime: its GPU has a number, and its nodes are operators") {
  const std::string node =
      slice("18", "18", "Conv_kernel_time", 0, 60, R"("cat": "Node", "args": {"op_name": "Conv"})") +
      slice("18", "18", "model_run", 0, 400, R"("cat": "Session")");
  const std::string kernels =
      slice("-1", "-1", "conv", 10, 100, R"("cat": "Kernel", "args": {"stream": "0x55", "correlation_id": "0"})") +
      slice("-1", "-1", "conv", 210, 100, R"("cat": "Kernel", "args": {"stream": "0x55", "correlation_id": "1"})");
  const Trace trace = trace_of(document(node + kernels));
  CHECK(streams_of(trace) == "0 0x55: 2 busy 200000, 110000+100000 not recorded\n0 of 2 launched");
  const std::string text = describe_trace(trace);
  CHECK(text.find("cpu_op Conv_kernel_time") != std::string::npos);
  CHECK(text.find("user_annotation model_run") != std::string::npos);
  CHECK(text.find("GPU 0/stream 0x55: Kernel conv") != std::string::npos);
  CHECK(text.find("-1") == std::string::npos);
  // Beside GPUs with numbers it is not taken for one of these.
  const Trace beside = trace_of(
      document(kernels + slice("3", "7", "k", 0, 1, R"("cat": "kernel", "args": {"device": 3, "stream": 7})")));
  CHECK(streams_of(beside).find("unknown 0x55: 2") != std::string::npos);
}

TEST_CASE("work that shares a correlation is a graph only where a graph was launched, and -1 ties nothing") {
  const auto causes = [](std::string_view call, int correlation) {
    return streams_of(trace_of(document(
        slice("1", "1", call, 0, 5,
              fmt::format(R"("cat": "cuda_runtime", "args": {{"correlation": {}}})", correlation)) +
        slice("0", "7", "a", 10, 10,
              fmt::format(R"("cat": "kernel", "args": {{"device": 0, "stream": 7, "correlation": {}}})", correlation)) +
        slice(
            "0", "7", "b", 500, 10,
            fmt::format(R"("cat": "kernel", "args": {{"device": 0, "stream": 7, "correlation": {}}})", correlation)))));
  };
  CHECK(causes("hipGraphLaunch", 4).find("inside a graph") != std::string::npos);
  CHECK(causes("hipLaunchKernel", 4).find("inside a graph") == std::string::npos);
  CHECK(causes("hipLaunchKernel", 4).ends_with("2 of 2 launched"));
  CHECK(causes("hipGraphLaunch", -1).ends_with("0 of 2 launched"));
}

TEST_CASE("what waits for no single stream says so") {
  const std::string kernel = slice("0", "7", "a", 10, 10, R"("cat": "kernel", "args": {"device": 0, "stream": 7})");
  const std::string sync =
      slice("0", "-1", "Event Sync", 10, 10, R"("cat": "cuda_sync", "args": {"device": 0, "stream": -1})");
  CHECK(describe_trace(trace_of(document(kernel + sync)))
            .find("GPU 0/events of no single stream: cuda_sync Event Sync") != std::string::npos);
  CHECK(describe_trace(trace_of(document(kernel + sync + named("thread_name", "0", "-1", "stream -1 "))))
            .find("/events of no single stream:") != std::string::npos);
}

}  // namespace
}  // namespace lacuna::test

#include "tests/support/growth_inputs.h"

#include <string_view>

#include <fmt/format.h>

namespace lacuna {
namespace {

/// The JSON of a trace, event by event; times in microseconds.
class GrowingJson {
 public:
  GrowingJson& event(std::string_view text) {
    if (!events_.empty()) events_ += ",\n";
    events_.append("{").append(text).append("}");
    return *this;
  }
  GrowingJson& slice(std::string_view category, std::string_view name, std::size_t ts, std::size_t duration,
                     std::size_t tid = 1, std::string_view args = {}, std::size_t pid = 1) {
    return event(fmt::format(R"("ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
                             category, name, pid, tid, ts, duration, args));
  }
  GrowingJson& op(std::string_view name, std::size_t ts, std::size_t duration, std::size_t tid = 1) {
    return slice("cpu_op", name, ts, duration, tid);
  }
  GrowingJson& launch(std::size_t ts, std::size_t correlation, std::size_t tid = 1,
                      std::string_view name = "cudaLaunchKernel") {
    return slice("cuda_runtime", name, ts, 1, tid, fmt::format(R"("correlation":{})", correlation));
  }
  GrowingJson& kernel(std::string_view name, std::size_t ts, std::size_t duration, std::size_t correlation,
                      std::size_t stream = 7, std::string_view category = "kernel") {
    return slice(category, name, ts, duration, stream,
                 fmt::format(R"("correlation":{},"device":0,"stream":{})", correlation, stream), 0);
  }
  /// A launch and its kernel, in ten microseconds from `ts`.
  GrowingJson& work(std::string_view name, std::size_t ts, std::size_t correlation, std::size_t stream = 7) {
    return launch(ts + 1, correlation).kernel(name, ts + 4, 5, correlation, stream);
  }
  std::string done(std::string_view more = {}) const {
    return fmt::format("{{{}\"traceEvents\":[{}]}}", more, events_);
  }

 private:
  std::string events_;
};

using Growing = GrowingJson;

std::string growing_events(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i * 10, 5).work("gemm", i * 10, i + 1);
  return json.done();
}
std::string growing_tracks(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.event(fmt::format(R"("ph":"M","name":"thread_name","pid":1,"tid":{},"args":{{"name":"worker {}"}})", i, i))
        .op("aten::mm", i, 50, i);
  return json.work("gemm", 0, 1).work("gemm", n, 2).done();
}
std::string growing_processes(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.slice("cpu_op", "aten::mm", i, 50, 1, {}, i + 1);
  return json.done();
}
std::string growing_streams(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.work("gemm", i * 10, i + 1, i + 7);
  return json.done();
}
std::string growing_threads_and_gaps(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", 0, n * 100, i + 2).work("gemm", i * 100, i + 1);
  return json.done();
}
std::string growing_depth(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i, 3 * n - 2 * i + 20);
  return json.work("gemm", n, 1).work("gemm", n + 40, 2).done();
}
std::string growing_python_depth(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.slice("python_function", fmt::format("model.py({}): forward", i), i, 3 * n - 2 * i + 20, 1,
               fmt::format(R"("Python id":{},"Python parent id":{})", i + 1, i));
  return json.work("gemm", n, 1).work("gemm", n + 40, 2).done();
}
std::string growing_names(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.op(fmt::format("aten::op{}", i), i * 10, 5).work(fmt::format("gemm_{}", i), i * 10, i + 1);
  return json.done();
}
std::string growing_name_length(std::size_t n) {
  return Growing()
      .op(std::string(n, 'a'), 0, 5)
      .work(std::string(n, 'k'), 0, 1)
      .work(std::string(n, 'k'), 40, 2)
      .done();
}
std::string growing_template_name(std::size_t n) {
  std::string name = "void ";
  for (std::size_t i = 0; i < n; ++i) name += "at::f<";
  name += "int";
  for (std::size_t i = 0; i < n; ++i) name += ">";
  return Growing().work(name + "(int)", 0, 1).work(name, 40, 2).done();
}
std::string growing_args_of_an_event(std::size_t n) {
  std::string args = R"("Input Dims":[[2,3]])";
  for (std::size_t i = 0; i < n; ++i) args += fmt::format(R"(,"key{}":{})", i, i);
  return Growing().slice("cpu_op", "aten::mm", 0, 5, 1, args).work("gemm", 0, 1).done();
}
std::string growing_keys_of_args(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.slice("cpu_op", "aten::mm", i * 10, 5, 1, fmt::format(R"("key{}":{},"Input Dims":[[{},3]])", i, i, i));
  return json.done();
}
std::string growing_arg_length(std::size_t n) {
  return Growing()
      .slice("cpu_op", "aten::mm", 0, 5, 1, fmt::format(R"("Call stack":"{}","Ev Idx":1)", std::string(n, 'a')))
      .work("gemm", 0, 1)
      .done();
}
std::string growing_lists_in_args(std::size_t n) {
  std::string dims;
  for (std::size_t i = 0; i < n; ++i) dims += fmt::format("{}[{},3]", i == 0 ? "" : ",", i);
  return Growing().slice("cpu_op", "aten::cat", 0, 5, 1, fmt::format(R"("Input Dims":[{}])", dims)).done();
}
std::string growing_counter_samples(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.event(fmt::format(R"("ph":"C","name":"memory","pid":1,"ts":{},"args":{{"bytes":{}}})", i, i % 17));
  return json.work("gemm", 0, 1).done();
}
std::string growing_counters(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.event(fmt::format(R"("ph":"C","name":"memory {}","pid":1,"ts":{},"args":{{"bytes":{}}})", i, i, i % 17));
  return json.work("gemm", 0, 1).done();
}
std::string growing_series(std::size_t n) {
  std::string args;
  for (std::size_t i = 0; i < n; ++i) args += fmt::format(R"({}"series {}":{})", i == 0 ? "" : ",", i, i);
  return Growing()
      .event(fmt::format(R"("ph":"C","name":"memory","pid":1,"ts":1,"args":{{{}}})", args))
      .event(fmt::format(R"("ph":"C","name":"memory","pid":1,"ts":2,"args":{{{}}})", args))
      .work("gemm", 0, 1)
      .done();
}
void add_flow(Growing& json, char phase, std::size_t id, std::size_t ts, std::size_t tid) {
  json.event(fmt::format(R"("ph":"{}","bp":"e","cat":"fwdbwd","name":"fwdbwd","id":{},"pid":1,"tid":{},"ts":{})", phase,
                         id, tid, ts));
}
std::string growing_flows(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) {
    json.op("aten::mm", i * 10, 5).op("MmBackward0", i * 10 + 6, 3, 2);
    add_flow(json, 's', i + 1, i * 10 + 1, 1);
    add_flow(json, 'f', i + 1, i * 10 + 7, 2);
  }
  return json.done();
}
std::string growing_flows_of_a_slice(std::size_t n) {
  Growing json;
  json.op("aten::mm", 0, 5);
  for (std::size_t i = 0; i < n; ++i) {
    json.op("MmBackward0", i * 10 + 6, 3, 2);
    add_flow(json, 's', i + 1, 1, 1);
    add_flow(json, 'f', i + 1, i * 10 + 7, 2);
  }
  return json.done();
}
std::string growing_chain_of_flows(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) {
    json.op("aten::mm", i * 10, 5, 1 + i % 2);
    add_flow(json, i == 0 ? 's' : i + 1 == n ? 'f' : 't', 1, i * 10 + 1, 1 + i % 2);
  }
  return json.done();
}
std::string growing_steps(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.slice("user_annotation", fmt::format("ProfilerStep#{}", i), i * 100, 90).work("gemm", i * 100, i + 1);
  return json.done();
}
/// Stacks by sampling: `depth` frames, each sample with frames of its own inside.
std::string growing_samples(std::size_t samples, std::size_t depth) {
  Growing json;
  json.event(R"("ph":"M","name":"thread_name","pid":1,"tid":2000000001,"args":{"name":"python: stacks"})");
  for (std::size_t d = 0; d < depth; ++d)
    json.slice("python_sample", fmt::format("train.py({}): f", d), d, samples * 40 - 2 * d, 2'000'000'001);
  for (std::size_t i = 0; i < samples; ++i) {
    json.slice("python_sample", fmt::format("data.py({}): g", i), depth + i * 20, 15, 2'000'000'001);
    json.slice("thread_state", i % 2 == 0 ? "running" : "waiting: lock", i * 20, 20, 1'000'000'001);
    json.op("aten::mm", i * 20, 5).work("gemm", i * 20, i + 1);
  }
  return json.done();
}
std::string growing_overlaps(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i, n + 10);
  for (std::size_t i = 0; i < 50; ++i) json.work("gemm", i * 10, i + 1);  // what is said of each gap looks at each row
  return json.done();
}
std::string growing_overlaps_and_gaps(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i, n * 10).work("gemm", n + i * 8, i + 1);
  return json.done();
}
std::string growing_depth_and_gaps(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i, n * 40 - 2 * i);
  for (std::size_t i = 0; i < n; ++i)
    json.slice("cuda_runtime", "cudaStreamSynchronize", n + i * 30, 15).work("gemm", n + i * 30 + 15, i + 1);
  return json.done();
}
std::string growing_depth_and_work(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", i * 10, (2 * n - 2 * i) * 10).work("gemm", i * 10, i + 1);
  return json.done();
}
std::string growing_nested_calls(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.slice("cuda_runtime", "cudaLaunchKernel", i, 3 * n - 2 * i, 1, fmt::format(R"("correlation":{})", i + 1))
        .kernel("gemm", n + i, 1, i + 1);
  return json.done();
}
/// Launches, memory records and loaded code in the innermost of the frames, and an operator around all.
std::string growing_work_deep_in_python(std::size_t n) {
  Growing json;
  json.op("aten::outer", 0, 23 * n);
  for (std::size_t i = 0; i < n; ++i)
    json.slice("python_function", fmt::format("model.py({}): forward", i), i, 22 * n - 2 * i, 1,
               fmt::format(R"("Python id":{},"Python parent id":{})", i + 1, i));
  for (std::size_t i = 0; i < n; ++i)
    json.work("gemm", n + i * 10, i + 1)
        .slice("overhead", "Lazy Function Loading", n + i * 10 + 6, 1, 2)
        .event(fmt::format(R"("ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":64,)"
                           R"("Device Type":1,"Device Id":0,"Addr":{},"Total Allocated":{}}})",
                           n + i * 10 + 3, i + 1, 64 * (i + 1)));
  return json.done();
}
std::string growing_overlapping_kernels(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.launch(i, i + 1).kernel("gemm", n + i, n + 10, i + 1);
  return json.done();
}
std::string growing_instants(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.event(fmt::format(R"("ph":"i","s":"t","name":"mark","pid":1,"tid":1,"ts":{})", i));
  return json.op("aten::mm", 0, n).work("gemm", 0, 1).done();
}
std::string growing_async(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.event(fmt::format(R"("ph":"b","cat":"io","name":"read","id":{},"pid":1,"tid":1,"ts":{})", i, i))
        .event(fmt::format(R"("ph":"e","cat":"io","name":"read","id":{},"pid":1,"tid":1,"ts":{})", i, i + n));
  return json.done();
}
std::string growing_pairs(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.event(fmt::format(R"("ph":"B","name":"f","pid":1,"tid":1,"ts":{})", i));
  for (std::size_t i = 0; i < n; ++i) json.event(fmt::format(R"("ph":"E","pid":1,"tid":1,"ts":{})", n + i));
  return json.done();
}
std::string growing_at_once(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) json.op("aten::mm", 5, 0).launch(10 + 2 * i, i + 1).kernel("gemm", 5, 0, i + 1);
  return json.done();
}
std::string growing_backwards(std::size_t n) {
  Growing json;
  for (std::size_t i = n; i-- > 0;) json.op("aten::mm", i * 10, 5).work("gemm", i * 10, i + 1);
  return json.done();
}
std::string growing_memory(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) {
    json.op(fmt::format("aten::empty{}", i), i * 10, 8);
    json.event(fmt::format(R"("ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":64,)"
                           R"("Device Type":1,"Device Id":0,"Addr":{},"Total Allocated":{}}})",
                           i * 10 + 1, i + 1, 64 * (i + 1)));
  }
  return json.work("gemm", 0, 1).done();
}
std::string growing_out_of_memory(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i) {
    json.op(fmt::format("aten::empty{}", i), i * 20, 15);
    json.event(fmt::format(R"("ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":64,)"
                           R"("Device Type":1,"Device Id":0,"Addr":{}}})",
                           i * 20 + 1, i + 1));
    json.event(fmt::format(R"("ph":"i","s":"t","name":"[OutOfMemory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":64,)"
                           R"("Device Type":1,"Device Id":0}})",
                           i * 20 + 2));
  }
  return json.done();
}
std::string growing_waits(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.work("gemm", i * 40, 3 * i + 1, 7 + i % 3)
        .launch(i * 40 + 12, 3 * i + 2, 1, "cudaStreamWaitEvent")
        .slice("cuda_runtime", "cudaStreamSynchronize", i * 40 + 15, 10, 1,
               fmt::format(R"("correlation":{})", 3 * i + 3));
  return json.done();
}
std::string growing_graph(std::size_t n) {
  Growing json;
  json.launch(0, 1, 1, "cudaGraphLaunch").launch(2, 2, 1, "cudaGraphLaunch");
  for (std::size_t i = 0; i < n; ++i) json.kernel("gemm", 10 + i * 10, 5, 1 + i % 2);
  return json.done();
}
std::string growing_annotations(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.work("gemm", i * 10, i + 1)
        .slice("gpu_user_annotation", fmt::format("range {}", i), i * 10, 8, 7, R"("device":0,"stream":7)", 0)
        .slice("user_annotation", fmt::format("range {}", i), i * 10, 8);
  return json.done();
}
std::string growing_collectives(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.launch(i * 20, i + 1)
        .slice(
            "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", i * 20 + 4, 12, 20,
            fmt::format(R"("correlation":{},"device":0,"stream":20,"Collective name":"allreduce","In msg nelems":1024,)"
                        R"("Out msg nelems":1024,"Group size":2,"dtype":"Float","Process Group Name":"{}",)"
                        R"("Process Group Ranks":"[0, 1]")",
                        i + 1, i % 40),
            0);
  return json.done(R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":2},)");
}
std::string growing_modules(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < n; ++i)
    json.slice("python_function", fmt::format("nn.Module: Layer_{}", i), i * 30, 25)
        .slice("python_function", fmt::format("layer.py({}): forward", i), i * 30 + 1, 22)
        .slice("cpu_op", "aten::mm", i * 30 + 2, 18, 1, fmt::format(R"("Input Dims":[[{},3],[3,4]])", i + 1))
        .work("gemm", i * 30 + 3, i + 1);
  return json.done();
}
std::string growing_devices(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < 3 * n; ++i)
    json.launch(i * 10, i + 1)
        .slice("kernel", "gemm", i * 10 + 4, 5, 7,
               fmt::format(R"("correlation":{},"device":{},"stream":7)", i + 1, i % n), i % n);
  return json.done();
}
/// As many GPUs as processes that launch to them, as where the files of a job's ranks were made one.
std::string growing_processes_and_devices(std::size_t n) {
  Growing json;
  for (std::size_t i = 0; i < 3 * n; ++i)
    json.slice("cuda_runtime", "cudaLaunchKernel", i * 10, 1, 1, fmt::format(R"("correlation":{})", i + 1), n + i % n)
        .slice("kernel", "gemm", i * 10 + 4, 5, 7,
               fmt::format(R"("correlation":{},"device":{},"stream":7)", i + 1, i % n), i % n);
  return json.done();
}
/// A whole job in one file (ranks_by_name.h): its ranks, of which each is data-parallel, and their steps.
std::string growing_named_ranks(std::size_t ranks, std::size_t steps) {
  Growing json;
  for (std::size_t r = 0; r < ranks; ++r) {
    json.event(fmt::format(R"("ph":"M","name":"process_name","pid":{0},"args":{{"name":"DP rank [{0}]"}})", r));
    for (const std::size_t role : {0, 1})
      json.event(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"PP rank 0, {}"}})", r,
                             role, role == 0 ? "compute" : "dp-comm"));
    for (std::size_t s = 0; s < steps; ++s)
      json.slice("forward", "forward-compute", s * 100, 50 + r % 7, 0, fmt::format(R"("step":{})", s), r)
          .slice("reduce", "grads-reduce", s * 100 + 50 + r % 7, 40 - r % 7, 1, fmt::format(R"("step":{})", s), r);
  }
  return json.done();
}

}  // namespace

const std::vector<GrowingInput>& growing_inputs() {
  static const std::vector<GrowingInput> inputs{
      {"events", 400, growing_events},
      {"tracks", 200, growing_tracks},
      {"processes", 100, growing_processes},
      {"streams", 100, growing_streams},
      {"threads and gaps", 100, growing_threads_and_gaps},
      {"depth", 200, growing_depth},
      {"depth of Python", 100, growing_python_depth},
      {"names", 200, growing_names},
      {"length of a name", 5000, growing_name_length},
      {"templates in a name", 100, growing_template_name},
      {"args of an event", 400, growing_args_of_an_event},
      {"keys of args", 300, growing_keys_of_args},
      {"length of an arg", 20'000, growing_arg_length},
      {"lists in args", 400, growing_lists_in_args},
      {"samples of a counter", 1000, growing_counter_samples},
      {"counters", 200, growing_counters},
      {"series of a counter", 200, growing_series},
      {"flows", 300, growing_flows},
      {"flows of a slice", 300, growing_flows_of_a_slice},
      {"length of a chain of flows", 300, growing_chain_of_flows},
      {"steps", 100, growing_steps},
      {"samples of stacks", 200, [](std::size_t n) { return growing_samples(n, 10); }},
      {"depth of stacks", 100, [](std::size_t n) { return growing_samples(n, n); }},
      {"overlaps", 300, growing_overlaps},
      {"overlaps and gaps", 100, growing_overlaps_and_gaps},
      {"depth and gaps", 100, growing_depth_and_gaps},
      {"depth and work", 100, growing_depth_and_work},
      {"nested calls", 100, growing_nested_calls},
      {"overlapping kernels", 300, growing_overlapping_kernels},
      {"instants", 500, growing_instants},
      {"async slices", 300, growing_async},
      {"pairs", 300, growing_pairs},
      {"slices at one moment", 300, growing_at_once},
      {"events from the last", 300, growing_backwards},
      {"memory records", 300, growing_memory},
      {"times out of memory", 100, growing_out_of_memory},
      {"waits", 200, growing_waits},
      {"kernels of a graph", 300, growing_graph},
      {"annotations", 100, growing_annotations},
      {"collectives", 200, growing_collectives},
      {"modules", 80, growing_modules},
      {"devices", 16, growing_devices},
      {"ranks by name", 80, [](std::size_t n) { return growing_named_ranks(n, 2); }},
      {"steps of ranks by name", 150, [](std::size_t n) { return growing_named_ranks(2, n); }},
  };
  return inputs;
}

const std::vector<GrowingInput>& deep_inputs() {
  static const std::vector<GrowingInput> inputs{
      {"nested calls", 400, growing_nested_calls},
      {"work deep in Python", 400, growing_work_deep_in_python},
  };
  return inputs;
}

const std::vector<GrowingInput>& wide_inputs() {
  static const std::vector<GrowingInput> inputs{
      {"processes and devices", 100, growing_processes_and_devices},
      {"streams", 400, growing_streams},
      {"GPUs of one thread", 100, growing_devices},
  };
  return inputs;
}

}  // namespace lacuna

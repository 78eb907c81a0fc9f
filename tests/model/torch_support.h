#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/torch/torch_events.h"
#include "model/torch/torch_table.h"

namespace lacuna {

/// Writes a trace like Kineto, from a few lines of a test, and reads it through the importer:
///
///   TorchTrace t;
///   t.op("aten::mm", 0, 100, 1).runtime("cudaLaunchKernel", 10, 20, 1).kernel("gemm", 30, 90, 1);
///   const Trace trace = t.load();
///
/// Times are [start, end) in ns since the start of the profiler; ids are "External id", 0 = none.
class TorchTrace {
 public:
  static constexpr Nanos kOrigin = 1'000'000;

  TorchTrace& op(std::string_view name, Nanos start, Nanos end, int id = 0, int tid = 1,
                 std::string_view more_args = "") {
    return slice("cpu_op", name, start, end, "1", std::to_string(tid), id, more_args);
  }
  TorchTrace& annotation(std::string_view name, Nanos start, Nanos end, int id = 0, int tid = 1,
                         std::string_view more_args = "") {
    return slice("user_annotation", name, start, end, "1", std::to_string(tid), id, more_args);
  }
  TorchTrace& python(std::string_view name, Nanos start, Nanos end, int tid = 1) {
    return slice("python_function", name, start, end, "1", std::to_string(tid), 0, "");
  }
  TorchTrace& runtime(std::string_view name, Nanos start, Nanos end, int id = 0, int tid = 1,
                      std::string_view more_args = "") {
    return slice("cuda_runtime", name, start, end, "1", std::to_string(tid), id, more_args);
  }
  TorchTrace& kernel(std::string_view name, Nanos start, Nanos end, int id = 0, int stream = 7,
                     std::string_view category = "kernel", std::string_view more_args = "") {
    const std::string args =
        fmt::format(R"("device": 0, "stream": {}{}{})", stream, more_args.empty() ? "" : ", ", more_args);
    return slice(category, name, start, end, "0", std::to_string(stream), id, args);
  }
  /// Written like Kineto: 1 ns early and 1 ns late, so pass the times of its kernels.
  TorchTrace& gpu_annotation(std::string_view name, Nanos start, Nanos end, int id = 0, int stream = 7) {
    return slice("gpu_user_annotation", name, start - 1, end + 1, "0", std::to_string(stream), id, "");
  }
  TorchTrace& other(std::string_view category, std::string_view name, Nanos start, Nanos end,
                    std::string_view tid = "1") {
    return slice(category, name, start, end, "1", tid, 0, "");
  }
  /// device_type: 0 CPU, 1 CUDA.
  TorchTrace& memory(Nanos time, long bytes, int device_type = 0, std::string_view name = "[memory]") {
    return event(fmt::format(R"({{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "{}", "pid": 1,
      "tid": 1, "ts": {}, "args": {{"Bytes": {}, "Device Type": {}, "Total Allocated": 7}}}})",
                             name, us(time), bytes, device_type));
  }
  /// Adds torch's own row, which gives the profiler's start and end.
  TorchTrace& span(Nanos end) {
    return event(fmt::format(
        R"json({{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans",
      "tid": "PyTorch Profiler", "ts": {}, "dur": {}}})json",
        us(0), us(end - kOrigin)));
  }
  TorchTrace& header(std::string_view text) {
    header_ += fmt::format("{},\n", text);
    return *this;
  }

  std::string json() const { return fmt::format("{{{}\"traceEvents\": [{}\n]}}", header_, events_); }
  Trace load() const {
    Result<Trace> trace = import_json(json());
    REQUIRE_MESSAGE(trace, trace.error().message());
    return std::move(*trace);
  }

 private:
  static std::string us(Nanos since_origin) {
    const Nanos ns = since_origin + kOrigin;
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }
  TorchTrace& event(std::string_view text) {
    events_ += fmt::format("{}\n{}", events_.empty() ? "" : ",", text);
    return *this;
  }
  TorchTrace& slice(std::string_view category, std::string_view name, Nanos start, Nanos end, std::string_view pid,
                    std::string_view tid, int id, std::string_view more_args) {
    std::string args = id == 0 ? "" : fmt::format(R"("External id": {})", id);
    if (!more_args.empty()) args += fmt::format("{}{}", args.empty() ? "" : ", ", more_args);
    return event(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        category, name, pid, tid, us(start), us(end - start - kOrigin), args));
  }

  std::string header_;
  std::string events_;
};

/// Returns the row of that name; with several, the one on the GPU or the other.
inline const TorchRow& row_named(const TorchTable& table, std::string_view name, bool on_gpu = false,
                                 bool annotation = false) {
  for (const TorchRow& row : table.rows)
    if (row.name == name && row.is_on_gpu == on_gpu && row.is_annotation == annotation) return row;
  FAIL("no row ", std::string(name));
  return table.rows.front();
}

inline TorchTable table_of(const Trace& trace, const TorchTableOptions& options = {}) {
  Result<TorchTable> table = compute_torch_table(trace, options);
  REQUIRE_MESSAGE(table, table.error().message());
  return std::move(*table);
}

}  // namespace lacuna

// Writes a big trace to measure with: bench_write_trace EVENTS OUT.json. Always the same bytes.
//
// Laid out as Kineto does: training steps on a main and an autograd thread under nested operators and
// Python frames, launches, their kernels and copies on two streams, flows from launch to kernel,
// counters, metadata in front. About 330 bytes an event.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

/// SplitMix64: numbers that look random and are the same everywhere.
class Random {
 public:
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_ = 1;
};

class Writer {
 public:
  Writer(std::FILE* out, std::uint64_t events) : out_(out), wanted_(events) {
    text_ = R"({
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Bench GPU", "totalGlobalMem": 85899345920,
      "computeMajor": 9, "computeMinor": 0, "numSms": 132
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1700000000000000000,
  "traceEvents": [
)";
  }

  bool write() {
    name_processes();
    while (events_ < wanted_) step();
    text_ += "\n  ],\n  \"traceName\": \"bench.json\"\n}\n";
    flush();
    return !failed_;
  }

 private:
  static constexpr int kMain = 4711, kAutograd = 4790;
  /// What record_shapes adds.
  static constexpr std::string_view kInputs =
      R"( "Concrete Inputs": ["", "", "", "1", "1"], "Input type": ["float", "float", "float", "Scalar", "Scalar"],)"
      R"( "Input Strides": [[512, 1], [512, 1], [512, 1], [], []], "Input Dims": [[64, 512], [64, 512], [512, 512], [], []],)";

  std::string time(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    text_ += events_++ == 0 ? "  {\n" : ",\n  {\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += "\n  }";
    if (text_.size() > (std::size_t{1} << 20)) flush();
  }

  void flush() {
    failed_ |= std::fwrite(text_.data(), 1, text_.size(), out_) != text_.size();
    text_.clear();
  }

  void metadata(const char* what, int pid, int tid, const char* key, const std::string& value) {
    event(R"(    "name": "{}", "ph": "M", "ts": 0.000, "pid": {}, "tid": {},
    "args": {{
      "{}": {}
    }})",
          what, pid, tid, key, value);
  }

  void name_processes() {
    metadata("process_name", kMain, 0, "name", "\"python\"");
    metadata("process_labels", kMain, 0, "labels", "\"CPU\"");
    metadata("process_name", 0, 0, "name", "\"python\"");
    metadata("process_labels", 0, 0, "labels", "\"GPU 0\"");
    metadata("thread_name", kMain, kMain, "name", "\"thread 4711 (python)\"");
    metadata("thread_name", kMain, kAutograd, "name", "\"thread 4790 (pt_autograd_0)\"");
    for (int stream : {7, 20}) metadata("thread_name", 0, stream, "name", fmt::format("\"stream {}\"", stream));
  }

  void slice(const char* category, const std::string& name, int tid, std::int64_t start, std::int64_t end) {
    ++external_;
    const std::string_view inputs = std::string_view(category) == "cpu_op" ? kInputs : "";
    event(R"(    "ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {},
    "ts": {}, "dur": {},
    "args": {{
      "External id": {},{} "Record function id": 0, "Sequence number": {}, "Fwd thread id": 0, "Ev Idx": {}
    }})",
          category, name, kMain, tid, time(start), time(end - start), external_, inputs, external_ / 3, external_);
  }

  /// A launch, its flow and what runs on the GPU; returns when the call ends.
  std::int64_t launch(int tid, std::int64_t at) {
    const std::int64_t end = at + 3000 + static_cast<std::int64_t>(random_.below(4000));
    const std::uint64_t id = ++correlation_;
    event(R"(    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": {}, "tid": {},
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "cbid": 211, "correlation": {}
    }})",
          kMain, tid, time(at), time(end - at), external_, id);
    event(R"(    "ph": "s", "id": {}, "pid": {}, "tid": {}, "ts": {},
    "cat": "ac2g", "name": "ac2g")",
          id, kMain, tid, time(at));
    const std::size_t which = random_.below(8) == 0 ? 1 : 0;
    const int stream = which == 0 ? 7 : 20;
    std::int64_t& free = stream_free_[which];
    const std::int64_t start = std::max(free, end + 1500);
    free = start + 2000 + static_cast<std::int64_t>(random_.below(20000));
    event(
        R"-(    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, bench::Functor{}<float>, std::array<char*, 3ul>>(int, float)", "pid": 0, "tid": {},
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "queued": 0, "device": 0, "context": 1, "stream": {}, "correlation": {},
      "registers per thread": 32, "shared memory": 0, "blocks per SM": 12.3, "warps per SM": 49.2,
      "grid": [{}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 62
    }})-",
        random_.below(200), stream, time(start), time(free - start), external_, stream, id, 1 + random_.below(4096));
    event(R"(    "ph": "f", "id": {}, "pid": 0, "tid": {}, "ts": {},
    "cat": "ac2g", "name": "ac2g", "bp": "e")",
          id, stream, time(start));
    return end;
  }

  /// Operators below a Python frame; returns when they end. Written outermost last, as Kineto may.
  std::int64_t layer(int tid, std::int64_t at) {
    const std::int64_t begin = at;
    at += 2000;
    const int operators = 2 + static_cast<int>(random_.below(4));
    for (int i = 0; i < operators; ++i) {
      const std::int64_t start = at;
      at = launch(tid, at + 1500 + static_cast<std::int64_t>(random_.below(3000))) + 800;
      slice("cpu_op", fmt::format("aten::op{}", random_.below(300)), tid, start + 700, at - 300);
      slice("cpu_op", fmt::format("aten::outer{}", random_.below(100)), tid, start, at);
      at += 500 + static_cast<std::int64_t>(random_.below(2000));
    }
    slice("python_function", fmt::format("model.py({}): forward", random_.below(400)), tid, begin, at);
    return at + 100;
  }

  void step() {
    const std::int64_t begin = now_;
    std::int64_t backward = begin;
    for (int layers = 0; layers < 160 && events_ < wanted_; ++layers) {
      now_ = layer(kMain, now_);
      if (layers % 2 == 1) backward = layer(kAutograd, std::max(backward, now_));
      if (layers % 16 == 0)
        event(R"(    "ph": "C", "name": "Allocated bytes", "pid": {}, "ts": {},
    "args": {{
      "bytes": {}
    }})",
              kMain, time(now_), 1000000 + random_.below(1 << 30));
    }
    now_ = std::max(now_, backward) + 5000;
    slice("user_annotation", fmt::format("ProfilerStep#{}", step_++), kMain, begin, now_);
    now_ += 20000;
  }

  std::FILE* out_;
  const std::uint64_t wanted_;
  Random random_;
  std::string text_;
  std::uint64_t events_ = 0;
  std::uint64_t external_ = 0;
  std::uint64_t correlation_ = 0;
  int step_ = 0;
  std::int64_t now_ = 5'000'000'123;
  std::int64_t stream_free_[2] = {0, 0};
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t events = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::FILE* out = events == 0 ? nullptr : std::fopen(argv[2], "wb");
  if (out == nullptr) {
    std::fprintf(stderr, "usage: bench_write_trace EVENTS OUT.json\n");
    return 2;
  }
  const bool written = Writer(out, events).write();
  return std::fclose(out) == 0 && written ? 0 : 1;
}

// What "why the GPU waits" costs on a trace of several million events: bench_causes [EVENTS].
// Target: about 1 s for everything at 4 million, on 2 cores.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "model/build/trace_builder.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/dead_windows.h"
#include "model/causes/gap_evidence.h"
#include "model/causes/launch_delay.h"

using namespace lacuna;

namespace {

/// Two threads under 40 Python frames each, that launch on four streams; a gap before every kernel.
Trace make_trace(std::uint64_t events) {
  EventBatch batch;
  const auto id = [&](const std::string& text) { return batch.strings.intern(text); };
  const auto track = [&](const char* pid, const char* tid, TrackKind kind) {
    TrackKey key;
    key.pid = id(pid);
    key.tid = id(tid);
    key.kind = kind;
    if (kind == TrackKind::kGpuStream) {
      key.device = key.pid;
      key.stream = key.tid;
    }
    return batch.track(key);
  };
  std::uint64_t offset = 0;
  const auto add = [&](std::uint32_t to, StringId name, std::uint16_t category, Nanos start, Nanos end,
                       std::uint64_t correlation) {
    SliceRecord slice;
    slice.start = start;
    slice.duration = end - start;
    slice.name = name;
    slice.category = category;
    slice.correlation = correlation;
    slice.file_offset = ++offset;
    batch.tracks[to].slices.push_back(slice);
  };
  const std::uint16_t op = batch.category(id("cpu_op"));
  const std::uint16_t runtime = batch.category(id("cuda_runtime"));
  const std::uint16_t frame = batch.category(id("python_function"));
  const std::uint16_t kernel = batch.category(id("kernel"));
  const std::uint16_t annotation = batch.category(id("user_annotation"));
  const StringId launch = id("cudaLaunchKernel");
  const StringId sync = id("cudaStreamSynchronize");
  const StringId gemm = id("gemm");
  std::vector<StringId> names;
  for (int i = 0; i < 500; ++i) names.push_back(id("aten::op" + std::to_string(i)));
  std::vector<std::uint32_t> streams;
  for (const char* s : {"7", "20", "24", "28"}) streams.push_back(track("0", s, TrackKind::kGpuStream));
  const std::uint32_t threads[] = {track("1", "1", TrackKind::kThread), track("1", "2", TrackKind::kThread)};

  const std::uint64_t groups = events / 10;
  for (const std::uint32_t thread : threads)
    for (int d = 0; d < 40; ++d)
      add(thread, id("frame" + std::to_string(d) + ".py(1): f"), frame, d, static_cast<Nanos>(groups) * 20'000 - d, 0);
  for (std::uint64_t g = 0; g < groups; ++g) {
    const Nanos t = static_cast<Nanos>(g) * 20'000 + 100;
    const std::uint32_t thread = threads[g % 3 == 0];
    if (g % 1000 == 0) add(thread, id("record"), annotation, t - 10, t + 18'000, 0);
    add(thread, names[g % 500], frame, t, t + 17'000, 0);
    add(thread, names[g * 7 % 500], op, t + 100, t + 16'000, 0);
    add(thread, names[g * 13 % 500], op, t + 200, t + 9'000, 0);
    add(thread, names[g * 17 % 500], op, t + 300, t + 4'000, 0);
    add(thread, launch, runtime, t + 1'000, t + 3'000, 2 * g + 1);
    add(thread, names[g * 19 % 500], op, t + 9'100, t + 15'000, 0);
    add(thread, g % 50 == 0 ? sync : launch, runtime, t + 10'000, t + 12'000, 2 * g + 2);
    add(thread, names[g * 23 % 500], frame, t + 12'500, t + 14'000, 0);
    const std::uint32_t stream = streams[g % 16 == 0 ? 1 + g / 16 % 3 : 0];
    add(stream, gemm, kernel, t + 4'000, t + 8'000, 2 * g + 1);
    if (g % 50 != 0) add(stream, gemm, kernel, t + 13'000, t + 16'000, 2 * g + 2);
  }
  TraceBuilder builder;
  builder.add(builder.add_source({}), std::move(batch));
  return builder.finish(2);
}

double total_ms = 0;
double total_cpu_ms = 0;

template <class Work>
auto timed(const char* what, Work&& work) {
  // Both clocks: on a machine that does other things, too, the first says little.
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  auto result = work();
  const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  total_ms += took.count();
  total_cpu_ms += cpu_ms;
  std::printf("%-28s %8.1f ms, of the CPU %8.1f ms\n", what, took.count(), cpu_ms);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Trace trace = make_trace(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4'000'000);
  std::printf("%llu slices\n", static_cast<unsigned long long>(trace.slice_count()));
  const CauseIndex index = timed("index", [&] { return CauseIndex(trace); });
  const auto streams = timed("diagnose streams", [&] { return diagnose_streams(index, {.threads = 2}); });
  const auto devices = timed("diagnose devices", [&] { return diagnose_devices(index, {.threads = 2}); });
  timed("by cause", [&] { return rank_causes(streams); });
  timed("by operator, devices", [&] { return charge_operators(trace, devices); });
  timed("by operator, streams", [&] { return charge_operators(trace, streams); });
  timed("dead windows", [&] { return find_dead_windows(trace); });
  const auto groups = timed("launches", [&] { return launch_groups(trace); });
  timed("launch delays", [&] { return summarise_launches(trace, groups); });
  timed("queue depths", [&] { return queue_depths(trace); });
  std::printf("%-28s %8.1f ms, of the CPU %8.1f ms\n", "all of it", total_ms, total_cpu_ms);
  timed("evidence of 1000 gaps", [&] {
    Nanos sum = 0;
    for (std::size_t g = 0; g < 1000 && g < streams[0].gaps.size(); ++g)
      sum += gather_evidence(trace, streams[0].gaps[g], streams[0].diagnoses[g]).unrecorded;
    return sum;
  });
}

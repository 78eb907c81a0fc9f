// How long torch.profiler's table takes: 4 M events made here, or the traces given as arguments.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "model/build/trace_builder.h"
#include "model/import/importer.h"
#include "model/torch/torch_table.h"

using namespace lacuna;

namespace {

double milliseconds_of(const auto& work) {
  double best = 1e300;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

/// Per operator: itself, two inner ones, a launch and a kernel; two threads, three streams.
Trace made_trace(std::size_t events) {
  EventBatch batch;
  const auto key = [&](std::string_view pid, std::string_view tid, TrackKind kind) {
    TrackKey k;
    k.pid = batch.strings.intern(pid);
    k.tid = batch.strings.intern(tid);
    k.kind = kind;
    if (kind != TrackKind::kThread) {
      k.device = k.pid;
      k.stream = k.tid;
    }
    return k;
  };
  std::uint64_t offset = 0;
  const auto add = [&](const TrackKey& track, std::string_view category, StringId name, Nanos start, Nanos end,
                       std::uint64_t id) {
    SliceRecord s;
    s.start = start;
    s.duration = end - start;
    s.name = name;
    s.category = batch.category(batch.strings.intern(category));
    s.external_id = id;
    s.file_offset = ++offset;
    batch.tracks[batch.track(track)].slices.push_back(s);
    ++batch.category_counts[s.category];
  };
  std::vector<StringId> names;
  for (int i = 0; i < 400; ++i) names.push_back(batch.strings.intern("aten::operator_" + std::to_string(i)));
  const std::vector<TrackKey> threads{key("1", "1", TrackKind::kThread), key("1", "2", TrackKind::kThread)};
  const std::vector<TrackKey> streams{key("0", "7", TrackKind::kGpuStream), key("0", "8", TrackKind::kGpuStream),
                                      key("0", "9", TrackKind::kGpuStream)};
  for (std::size_t i = 0; i < events / 5; ++i) {
    const Nanos t = static_cast<Nanos>(i / 2) * 10'000;
    const TrackKey& thread = threads[i % 2];
    const std::uint64_t id = 3 * i + 1;
    add(thread, "cpu_op", names[i % 97], t, t + 9'000, id);
    add(thread, "cpu_op", names[100 + i % 89], t + 500, t + 8'000, id + 1);
    add(thread, "cpu_op", names[200 + i % 83], t + 1'000, t + 5'000, id + 2);
    add(thread, "cuda_runtime", names[399], t + 2'000, t + 4'000, id + 2);
    add(streams[i % 3], "kernel", names[300 + i % 71], t + 6'000, t + 14'000, id + 2);
  }
  TraceBuilder builder;
  builder.add(builder.add_source({}), std::move(batch));
  return builder.finish(2);
}

void report(const char* what, const Trace& trace) {
  std::size_t rows = 0;
  const auto run = [&](const TorchTableOptions& options) {
    return milliseconds_of([&] {
      const auto table = compute_torch_table(trace, options);
      rows = table ? table->rows.size() : 0;
    });
  };
  const double sums = run({});
  const double covered = run({.covered = true});
  std::printf("%s: %llu slices, %zu rows: %.1f ms, with time covered %.1f ms\n", what,
              static_cast<unsigned long long>(trace.slice_count()), rows, sums, covered);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) report("made here", made_trace(4'000'000));
  for (int i = 1; i < argc; ++i) {
    const std::vector<std::string> paths{argv[i]};
    const Result<Trace> trace = import_files(paths);
    if (trace) report(argv[i], *trace);
  }
}

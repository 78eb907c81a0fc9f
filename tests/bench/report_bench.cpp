// What the report, the diff and the tables by group cost on a real file: bench_report FILE.
// Targets on 2 cores at 4 million events: a table 150 ms, the report 1 s.

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "model/columns/argument_columns.h"
#include "model/groups/group_table.h"
#include "model/groups/histogram.h"
#include "model/import/importer.h"
#include "model/report/report_parts.h"
#include "model/statistics/statistics.h"

using namespace lacuna;

namespace {

template <class Work>
void timed(const char* what, Work&& work) {
  // Both clocks: on a machine that does other things, too, the first says little.
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  work();
  const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%-32s %8.1f ms, of the CPU %8.1f ms\n", what, took.count(), cpu_ms);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "bench_report FILE\n"), 2;
  const std::string path = argv[1];
  Result<Trace> loaded = import_files({&path, 1});
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 1;
  const Trace& trace = *loaded;
  std::printf("%llu slices\n", static_cast<unsigned long long>(trace.slice_count()));
  const SourceId source{0};

  // What args say is read by whoever asks first, then kept: cold and warm.
  timed("args of operators, cold", [&] { (void)argument_columns(trace).operators(trace, source); });
  timed("args of GPU activity, cold", [&] { (void)argument_columns(trace).gpu(trace, source); });
  std::printf("both: %.1f MB kept\n", static_cast<double>(argument_columns(trace).memory_bytes()) / 1e6);
  {
    Result<Trace> again = import_files({&path, 1});
    timed("the report, cold", [&] { (void)compute_report(*again, source); });
    timed("by shape, cold", [&] {
      GroupOptions options;
      options.by = GroupBy::kShape;
      (void)compute_groups(*again, options);
    });
  }

  Report report;
  report.source = source;
  timed("steps", [&] { report.steps = find_measured_steps(trace, source); });
  report.window = report.steps.window;
  for (const MeasuredStep& step : report.steps.steps) report.by_step.push_back({step, {}});
  timed("  devices, causes, waits", [&] { report_devices(trace, report, CauseIndex(trace)); });
  timed("  kernels and their args", [&] { report_kernels(trace, 1, report); });
  timed("  time use", [&] { report.use = TimeUseIndex(trace, source, 1).over(report.window); });
  timed("  operators", [&] { report_operators(trace, report); });
  timed("  missing", [&] { report_missing(trace, report); });
  timed("  launches", [&] { report_launches(trace, report); });
  timed("  interruptions", [&] { report_interruptions(trace, report); });
  timed("  memory", [&] { (void)read_memory_timelines(trace, source, 1); });
  timed("the report", [&] { (void)compute_report(trace, source); });
  timed("statistics", [&] { (void)compute_statistics(trace); });
  const std::pair<const char*, GroupBy> groupings[] = {
      {"by name", GroupBy::kName},   {"by family", GroupBy::kFamily},     {"by module", GroupBy::kModule},
      {"by stack", GroupBy::kStack}, {"by step", GroupBy::kStep},         {"by stream", GroupBy::kStream},
      {"by rank", GroupBy::kRank},   {"by shape (args)", GroupBy::kShape}};
  for (const auto& [name, by] : groupings)
    timed(name, [&, by = by] {
      GroupOptions options;
      options.by = by;
      (void)compute_groups(trace, options);
    });
  const auto with = [&](GroupColumns columns) {
    GroupOptions options;
    options.columns = columns;
    (void)compute_groups(trace, options);
  };
  timed("by name, percentiles", [&] { with({.percentiles = true}); });
  timed("by name, launch delay", [&] { with({.launch_delay = true}); });
  timed("by name, GPU time", [&] { with({.gpu_time = true}); });
  timed("by name, GPU args", [&] { with({.gpu_arguments = true}); });
  timed("by name, FLOPs", [&] { with({.flops = true}); });
  timed("histogram of a launch", [&] { (void)duration_histogram(trace, trace.strings().find("cudaLaunchKernel")); });
}

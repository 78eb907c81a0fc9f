// What the statistics of a selection cost on a real file: bench_range_statistics FILE.
// Target at 4 million events: 50 ms for any range, on 2 cores.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "model/import/importer.h"
#include "model/statistics/statistics.h"

using namespace lacuna;

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "bench_range_statistics FILE\n"), 2;
  const std::string path = argv[1];
  Result<Trace> loaded = import_files({&path, 1});
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 1;
  const Trace& trace = *loaded;
  std::printf("%llu slices\n", static_cast<unsigned long long>(trace.slice_count()));
  const auto timed = [&](const char* what, auto&& work) {
    double best = 1e9, median = 0;
    std::vector<double> all;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      all.push_back(took.count());
    }
    std::ranges::sort(all);
    best = all.front();
    median = all[all.size() / 2];
    std::printf("%-40s best %8.1f ms, median %8.1f ms\n", what, best, median);
  };
  const TimeSpan span = trace.span();
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  timed("compute_statistics, everything", [&] { (void)compute_statistics(trace); });
  for (const unsigned t : {1u, threads}) {
    StatisticsOptions options;
    options.percentiles = true;
    options.threads = t;
    const std::string label = "with percentiles, " + std::to_string(t) + " threads, ";
    timed((label + "everything").c_str(), [&] { (void)compute_statistics(trace, options); });
    options.range = {span.begin + span.duration() / 4, span.end - span.duration() / 4};
    timed((label + "half").c_str(), [&] { (void)compute_statistics(trace, options); });
    options.range = {span.begin + span.duration() / 2, span.begin + span.duration() / 2 + span.duration() / 100};
    timed((label + "1 %").c_str(), [&] { (void)compute_statistics(trace, options); });
  }
  return 0;
}

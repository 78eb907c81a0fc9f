// What SQL costs on a real file, beside our own statistics: bench_query FILE.
// Targets at 4 million events: counts and sums by name at most 3 times the statistics, a join of kernels with their
// launches 2 s.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "model/import/importer.h"
#include "model/query/query_database.h"
#include "model/statistics/statistics.h"

using namespace lacuna;

namespace {

template <class Work>
double timed_once(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The first time, and the median of the others.
template <class Work>
void timed(const char* what, int rounds, Work&& work) {
  const double first = timed_once(work);
  std::vector<double> later;
  for (int i = 1; i < rounds; ++i) later.push_back(timed_once(work));
  std::sort(later.begin(), later.end());
  std::printf("%-58s first %9.2f ms, then %9.2f ms\n", what, first, later.empty() ? first : later[later.size() / 2]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "bench_query FILE\n"), 2;
  const std::string path = argv[1];
  Result<Trace> loaded = import_files({&path, 1});
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().message().c_str()), 1;
  const Trace& trace = *loaded;
  std::printf("%llu slices\n", static_cast<unsigned long long>(trace.slice_count()));
  QuerySource source(trace);
  auto database = QueryDatabase::open(source);
  if (!database) return std::fprintf(stderr, "%s\n", database.error().message().c_str()), 1;
  const auto ask = [&](std::string_view sql) {
    std::uint64_t rows = 0;
    const auto done = (*database)->run(
        sql, {}, [](std::span<const std::string>) {},
        [&](std::span<const Cell>) {
          ++rows;
          return true;
        });
    if (!done) std::printf("%s\n", done.error().message().c_str());
  };
  timed("our statistics", 5, [&] { (void)compute_statistics(trace, {}); });
  timed("Perfetto's tables, which read the file again", 1, [&] { (void)source.make_tables(); });
  timed("count and sum by name", 5, [&] { ask("SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name"); });
  timed("... of kernels with a duration, sorted", 5, [&] {
    ask("SELECT name, COUNT(*) AS n, SUM(dur) AS total FROM slice WHERE dur > 0 AND category = 'kernel' GROUP BY name "
        "ORDER BY total DESC");
  });
  timed("the same by a scan: MAX(depth) is not counted ahead", 3,
        [&] { ask("SELECT name, COUNT(*), SUM(dur), MAX(depth) FROM slice GROUP BY name"); });
  timed("SQLite's own cost a row: COUNT(depth)", 3, [&] { ask("SELECT COUNT(depth) FROM slice"); });
  timed("a slice by id", 5, [&] { ask("SELECT name FROM slice WHERE id = 1000"); });
  timed("slices of a millisecond", 5, [&] {
    ask("SELECT COUNT(depth) FROM slice WHERE ts BETWEEN trace_start() + 1000000 AND trace_start() + 2000000");
  });
  timed("kernels with their launches", 3, [&] {
    ask("SELECT COUNT(*), SUM(l.delay) FROM launch l JOIN slice s ON s.id = l.gpu_id WHERE s.category = 'kernel'");
  });
  return 0;
}

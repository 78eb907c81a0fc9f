// How long the critical path and the replays of a trace take: bench_path FILE [ROUNDS]
//
// The window finds the path of a selection when it is made: 1 s at 4 million events is the most.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "model/import/importer.h"
#include "model/path/path_marks.h"
#include "model/path/path_table.h"
#include "model/path/what_if.h"

using namespace lacuna;

namespace {

int rounds = 3;

template <class Work>
auto timed(const char* what, Work&& work) {
  std::vector<double> wall, cpu;
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    const std::clock_t cpu_began = std::clock();
    auto result = work();
    cpu.push_back(static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC);
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    if (static_cast<int>(wall.size()) < rounds) continue;
    std::ranges::sort(wall);
    std::ranges::sort(cpu);
    std::printf("%-34s %8.3f s, CPU %8.3f s (medians of %zu, %.3f to %.3f)\n", what, wall[wall.size() / 2],
                cpu[cpu.size() / 2], wall.size(), wall.front(), wall.back());
    return result;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_path FILE [ROUNDS]\n"), 2;
  if (argc > 2) rounds = std::max(1, std::atoi(argv[2]));
  const std::string paths[] = {argv[1]};
  const Result<Trace> trace = import_files(paths);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message().c_str()), 1;
  std::printf("%llu events\n", static_cast<unsigned long long>(trace->event_count()));
  const PathOptions options = path_options(*trace, TimeSpan::everything());
  const CriticalPath path = timed("path of the whole trace", [&] { return find_critical_path(*trace, options); });
  std::printf("  %zu parts\n", path.parts.size());
  std::vector<PathRow> rows = timed("its table", [&] { return tabulate_path(*trace, path); });
  timed("its marks on the lanes", [&] { return PathMarks(*trace, PathMarks::of(path)); });
  timed("slack of what is beside it", [&] {
    std::vector<PathRow> all = rows;
    add_slack(*trace, path, all);
    return all;
  });
  const TimeSpan whole = path.range;
  const TimeSpan tenth{whole.begin + whole.duration() / 2, whole.begin + whole.duration() / 2 + whole.duration() / 10};
  timed("path of a tenth of it", [&] { return find_critical_path(*trace, path_options(*trace, tenth)); });
  rounds = 1;
  const WhatIf what_if(*trace, SourceId{0});
  timed("replay, once made", [&] { return what_if.ask({}); });
  timed("what would gain most", [&] { return what_if.rank(); });
  return 0;
}

// How long the call tree of a whole trace takes.
//   bench_call_tree TRACE [rounds]

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/calls/call_tree.h"
#include "model/calls/launched_work.h"
#include "model/import/importer.h"

using namespace lacuna;

namespace {

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_call_tree TRACE [rounds]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string path = argv[1];
  const Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().message());
    return 1;
  }
  fmt::print("{} slices, {} launches\n", trace->slice_count(), trace->links().launches().size());
  const std::vector<CausedGaps> gaps = diagnose_devices(CauseIndex(*trace), {.threads = 2});
  for (const auto& [name, metric] :
       {std::pair("CPU time", CallMetric::kCpuTime), std::pair("GPU time", CallMetric::kGpuTime),
        std::pair("idle time", CallMetric::kIdleTime)}) {
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options;
      options.metric = metric;
      options.bottom_up = bottom_up;
      options.hides_python = true;
      options.gaps = gaps;
      options.threads = 2;
      std::string times;
      std::size_t nodes = 0;
      for (int r = 0; r < rounds; ++r) {
        const auto begin = std::chrono::steady_clock::now();
        nodes = build_call_tree(*trace, options).nodes.size();
        times += fmt::format(" {:.0f}", ms_since(begin));
      }
      fmt::print("{}, {}: ms{} for {} frames\n", name, bottom_up ? "bottom-up" : "top-down", times, nodes);
    }
  }
  // What the details show of the widest slice.
  SliceId widest;
  for (std::uint32_t l = 0; l < trace->lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace->lanes()[l].size(); ++i)
      if (!widest.valid() || trace->lanes()[l].duration(i) > trace->span(widest).duration()) widest = {LaneId{l}, i};
  if (widest.valid()) {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t count = work_launched_by(*trace, std::vector<SliceId>{widest}).count;
    fmt::print("GPU work inside the widest slice: {:.1f} ms for {} activities\n", ms_since(begin), count);
  }
  return 0;
}

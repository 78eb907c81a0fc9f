// Searching slices: what a key press costs (the names, and the count from the statistics), and what
// finding all of them in order costs on the worker thread.
//
//   bench_search [--names N] (FILE | --synthetic SLICES)...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/build/trace_builder.h"
#include "model/import/importer.h"
#include "model/search/slice_search.h"
#include "model/statistics/statistics.h"

using namespace lacuna;

namespace {

double now_ms() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(t).count();
}

Trace make_trace(std::uint64_t slices, int names) {
  EventBatch batch;
  std::mt19937_64 random(1);
  std::vector<StringId> ids;
  for (int i = 0; i < names; ++i)
    ids.push_back(batch.strings.intern("void at::native::vectorized_elementwise_kernel<4, Op" + std::to_string(i) +
                                       (i % 7 == 0 ? "_gemm" : "_copy") + ", std::array<char*, 3ul>>"));
  const StringId pid = batch.strings.intern("0");
  std::vector<std::uint32_t> tracks;
  for (int s = 0; s < 4; ++s) {
    const StringId stream = batch.strings.intern(std::to_string(7 + s));
    tracks.push_back(batch.track({pid, stream, pid, stream, TrackKind::kGpuStream}));
  }
  const std::uint16_t kernel = batch.category(batch.strings.intern("kernel"));
  for (std::uint64_t i = 0; i < slices; ++i) {
    SliceRecord slice;
    slice.start = static_cast<Nanos>(i * 1000);
    slice.duration = 500;
    slice.name = ids[random() % ids.size()];
    slice.category = kernel;
    slice.file_offset = i + 1;
    batch.tracks[tracks[i % 4]].slices.push_back(slice);
  }
  TraceBuilder builder;
  builder.add(builder.add_source({}), std::move(batch));
  return builder.finish(2);
}

void measure(const std::string& label, const Trace& trace) {
  const Statistics statistics = compute_statistics(trace);
  double start = now_ms();
  const NameSearch names(trace.strings());
  std::printf("%s: %llu slices, %u strings; once: %.2f ms\n", label.c_str(),
              static_cast<unsigned long long>(trace.slice_count()), trace.strings().size(), now_ms() - start);
  for (const char* text : {"gemm", "e", "void at::native op1234", "zzzz", "gemm cat:kernel", "stream:7 gemm"}) {
    const SearchQuery query = parse_query(text);
    double best_key = 1e9;
    double best_all = 1e9;
    std::size_t found = 0;
    for (int round = 0; round < 5; ++round) {
      start = now_ms();
      const SliceFilter filter = make_filter(trace, names, query);
      (void)count_by_name(query, filter, statistics);
      best_key = std::min(best_key, now_ms() - start);
      start = now_ms();
      found = find_matches(trace, filter).order.size();
      best_all = std::min(best_all, now_ms() - start);
    }
    std::printf("  %-24s key press %8.3f ms   all in order %8.2f ms   %zu found\n", text, best_key, best_all, found);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int names = 2000;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--names" && i + 1 < argc) {
      names = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--synthetic" && i + 1 < argc) {
      const std::string count = argv[++i];
      measure("synthetic " + count, make_trace(std::strtoull(count.c_str(), nullptr, 10), names));
    } else {
      const Result<Trace> trace = import_files(std::vector<std::string>{std::string(argument)});
      if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message().c_str());
        return 1;
      }
      measure(std::string(argument), *trace);
    }
  }
  return 0;
}

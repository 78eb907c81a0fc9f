// What opening a trace costs: bench_import FILE [--threads N] [--previews] [--cancel-after MS]
//                                                  [--decompress-only]
//
// Prints one line of JSON. Counted is everything that the first frame needs: reading, strings, tracks,
// nesting, links, levels of detail, gaps of each stream. One import a process, so that the peak memory
// is that of the import.
//   --previews          the trace is also shown while it loads, as in the window
//   --cancel-after MS   gives up after that time; reports how long it took until all was freed
//   --decompress-only   what a compressed file costs before anybody looks at what is in it

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <sys/resource.h>

#include "model/base/page_memory.h"
#include "model/base/parallel.h"
#include "model/gaps/gaps.h"
#include "model/import/importer.h"
#include "model/index/busy_index.h"
#include "model/index/fold_index.h"
#include "model/input/bytes.h"

using namespace lacuna;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double cpu_seconds(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Indexes {
  std::vector<StreamActivity> streams;
  std::vector<StreamBusyIndex> busy;
  std::vector<FoldIndex> folds;
};

Indexes analyze(const Trace& trace, unsigned threads) {
  Indexes made;
  // Side by side, as in the window: most traces have one stream that has most of the activities.
  parallel_for(2, threads, [&](std::size_t i) {
    if (i == 0) {
      made.folds = FoldIndex::build(trace.lanes(), threads);
    } else {
      made.streams = analyze_streams(trace, {.threads = threads});
      made.busy = StreamBusyIndex::build(made.streams, threads);
    }
  });
  return made;
}

int cancel_after(const std::string& path, const ImportOptions& options, int milliseconds) {
  ImportProgress progress;
  Clock::time_point asked;
  std::jthread impatient([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    asked = Clock::now();
    progress.cancel = true;
  });
  bool was_cancelled = false;
  {
    const Result<Trace> trace = import_files({&path, 1}, options, &progress);
    was_cancelled = !trace;
  }
  const double seconds = progress.cancel ? seconds_since(asked) : 0;
  impatient.join();
  std::printf("{\"cancelled\": %s, \"secondsToStop\": %.4f}\n", was_cancelled ? "true" : "false", seconds);
  return 0;
}

int decompress_only(const std::string& path) {
  const auto begin = Clock::now();
  const Result<OpenedFile> file = open_file(path, ImportOptions{}.max_json_bytes, nullptr);
  if (!file) return 1;
  file->bytes->ending();
  std::printf("{\"seconds\": %.4f, \"jsonBytes\": %llu}\n", seconds_since(begin),
              static_cast<unsigned long long>(file->bytes->size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  ImportOptions options;
  bool previews = false;
  int cancel_ms = -1;
  bool only_decompresses = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--threads" && i + 1 < argc) {
      options.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (argument == "--previews") {
      previews = true;
    } else if (argument == "--decompress-only") {
      only_decompresses = true;
    } else if (argument == "--cancel-after" && i + 1 < argc) {
      cancel_ms = std::atoi(argv[++i]);
    } else {
      path = argument;
    }
  }
  if (path.empty()) {
    std::fprintf(stderr,
                 "usage: bench_import FILE [--threads N] [--previews] [--cancel-after MS] [--decompress-only]\n");
    return 2;
  }
  if (only_decompresses) return decompress_only(path);
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const PageReuse reuse(kReusedByImports);  // as the window does
  const auto begin = Clock::now();
  int shown = 0;
  double first_shown = 0;
  if (previews) {
    options.preview = [&](Trace trace) {
      analyze(trace, 1);
      if (shown++ == 0) first_shown = seconds_since(begin);
    };
  }
  if (cancel_ms >= 0) return cancel_after(path, options, cancel_ms);

  // The phases are told apart by looking, every half millisecond.
  ImportProgress progress;
  double read_s = 0;
  std::jthread watch([&] {
    while (progress.phase.load() == ImportProgress::Phase::kReading)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    read_s = seconds_since(begin);
  });
  Result<Trace> trace = import_files({&path, 1}, options, &progress);
  if (!trace) {
    progress.phase = ImportProgress::Phase::kDone;
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 1;
  }
  const double import_s = seconds_since(begin);
  watch.join();
  const Indexes indexes = analyze(*trace, threads);
  const double all_s = seconds_since(begin);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::size_t index_bytes = 0;
  for (const FoldIndex& fold : indexes.folds) index_bytes += fold.memory_bytes();
  std::printf(
      "{\"seconds\": %.4f, \"readSeconds\": %.4f, \"buildSeconds\": %.4f, \"indexSeconds\": %.4f, "
      "\"cpuSeconds\": %.4f, \"peakBytes\": %ld, \"traceBytes\": %zu, \"foldBytes\": %zu, \"events\": %llu, "
      "\"slices\": %llu, \"jsonBytes\": %llu, \"previews\": %d, \"firstPreviewSeconds\": %.4f}\n",
      all_s, read_s, import_s - read_s, all_s - import_s, cpu_seconds(used), used.ru_maxrss * 1024,
      trace->memory_bytes(), index_bytes, static_cast<unsigned long long>(trace->event_count()),
      static_cast<unsigned long long>(trace->slice_count()),
      static_cast<unsigned long long>(trace->sources().front().json_bytes), shown, first_shown);
  return 0;
}

// How much faster a trace opens that was opened before: what the window needs for its first full frame, read from
// the file and from the cache in turns.
//
//   bench_reopen [--rounds N] FILE...
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/gui/core/document.h"

using namespace lacuna;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

DocumentPtr open(const std::string& path, bool use_cache) {
  ImportOptions options;
  options.use_cache = use_cache;
  ImportProgress progress;
  const std::string paths[] = {path};
  auto document = load_document(paths, options, progress);
  if (!document) {
    std::fprintf(stderr, "%s\n", document.error().message().c_str());
    std::exit(1);
  }
  return *document;
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5;
  // A cache of its own.
  const std::string folder = (std::filesystem::temp_directory_path() / "lacuna_bench_cache").string();
  std::filesystem::remove_all(folder);
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--rounds" && i + 1 < argc) {
      rounds = std::atoi(argv[++i]);
      continue;
    }
    std::vector<double> anew;
    std::vector<double> again;
    std::atomic<bool> never{false};
    const DocumentPtr first = open(argv[i], true);
    const auto begin_keep = std::chrono::steady_clock::now();
    keep_document(*first, never);
    const double keeping = seconds_since(begin_keep);
    for (int round = 0; round < rounds; ++round) {
      for (const bool use_cache : {false, true}) {
        const auto begin = std::chrono::steady_clock::now();
        const DocumentPtr document = open(argv[i], use_cache);
        (use_cache ? again : anew).push_back(seconds_since(begin));
        if (use_cache && !document->is_from_cache) {
          std::fprintf(stderr, "not found in the cache\n");
          return 1;
        }
      }
    }
    std::printf("%s: anew %.3f s, again %.3f s (%.3f of it); keeping it %.3f s, %.0f MB\n", argv[i], median(anew),
                median(again), median(again) / median(anew), keeping,
                static_cast<double>(TraceCache().usage().bytes) / 1e6);
  }
  std::filesystem::remove_all(folder);
}

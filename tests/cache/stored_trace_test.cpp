#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/cache/trace_codec.h"
#include "tests/cache/cache_support.h"
#include "tests/fuzz/stored_target.h"
#include "tests/support/counted_memory.h"
#include "tests/support/paths.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".json") || path.ends_with(".json.gz")) paths.push_back(path);
  }
  return paths;
}

void check_same_again(const std::string& path) {
  CAPTURE(path);
  if (!import_files(std::array{path})) return;
  const KeptTrace anew = open_anew(std::array{path});
  const std::string bytes = stored_bytes(anew);
  const auto kept = from_stored_bytes(bytes);
  REQUIRE(kept);
  // All that is stored is there again …
  CHECK(stored_bytes(*kept) == bytes);
  // … and all that matters is stored.
  CHECK(kept->trace.slice_count() == anew.trace.slice_count());
  CHECK(kept->trace.event_count() == anew.trace.event_count());
  CHECK(kept->trace.span() == anew.trace.span());
  CHECK(kept->trace.links().launches().size() == anew.trace.links().launches().size());
  CHECK(kept->trace.strings().size() == anew.trace.strings().size());
  const Statistics again = compute_statistics(kept->trace);
  REQUIRE(again.rows.size() == anew.statistics.rows.size());
  for (std::size_t i = 0; i < again.rows.size(); ++i) {
    CHECK(kept->trace.text(again.rows[i].name) == anew.trace.text(anew.statistics.rows[i].name));
    CHECK(again.rows[i].total == anew.statistics.rows[i].total);
    CHECK(again.rows[i].self == anew.statistics.rows[i].self);
    CHECK(kept->statistics.rows[i].longest == anew.statistics.rows[i].longest);
  }
  for (std::size_t k = 0; k < anew.trace.lanes().size(); ++k) {
    const Lane& a = anew.trace.lanes()[k];
    const Lane& b = kept->trace.lanes()[k];
    REQUIRE(a.size() == b.size());
    if (a.size() > 0) CHECK(a.longest(0, a.size()) == b.longest(0, b.size()));
  }
}

TEST_CASE("a stored trace is the trace that was stored: fixtures") {
  for (const std::string& path : traces_in(source_folder() + "/tests/fixtures")) check_same_again(path);
}

TEST_CASE("a stored trace is the trace that was stored: shared traces") {
  const auto paths = traces_in(source_folder() + "/../shared/traces");
  if (paths.empty()) return skip("no ../shared/traces");
  for (std::size_t i = 0; i < paths.size(); i += one_of(4)) check_same_again(paths[i]);
}

const char* const kSmall = R"({"traceEvents": [
  {"ph": "X", "name": "op", "cat": "cpu_op", "ts": 1, "dur": 50, "pid": 1, "tid": 1},
  {"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": 2, "dur": 5, "pid": 1, "tid": 1,
   "args": {"correlation": 7}},
  {"ph": "X", "name": "gemm", "cat": "kernel", "ts": 20, "dur": 5, "pid": 0, "tid": 7,
   "args": {"correlation": 7, "device": 0, "stream": 7}},
  {"ph": "s", "id": 3, "name": "ac2g", "cat": "ac2g", "ts": 2, "pid": 1, "tid": 1},
  {"ph": "f", "id": 3, "name": "ac2g", "cat": "ac2g", "ts": 20, "pid": 0, "tid": 7, "bp": "e"},
  {"ph": "i", "name": "mark", "ts": 9, "pid": 1, "tid": 1, "s": "t"},
  {"ph": "C", "name": "memory", "ts": 9, "pid": 1, "args": {"bytes": 5}},
  {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}
], "distributedInfo": {"rank": 3, "world_size": 8}})";

std::string small_stored() {
  auto trace = import_json(kSmall);
  REQUIRE(trace);
  KeptTrace kept{.trace = std::move(*trace), .folds = {}, .statistics = {}, .home = {}};
  kept.folds = FoldIndex::build(kept.trace.lanes());
  kept.statistics = compute_statistics(kept.trace);
  return stored_bytes(kept);
}

TEST_CASE("a stored file that is cut or longer is refused") {
  const std::string bytes = small_stored();
  REQUIRE(from_stored_bytes(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    REQUIRE_FALSE(from_stored_bytes(bytes.substr(0, size)));
  }
  CHECK_FALSE(from_stored_bytes(bytes + '\0'));
}

TEST_CASE("one wrong bit in what is used is seen") {
  const std::string bytes = small_stored();
  std::mt19937 random(1);
  int refused = 0;
  const int all = rounds(2000);
  for (int round = 0; round < all; ++round) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    const auto kept = from_stored_bytes(damaged);
    if (!kept) {
      ++refused;
    } else {
      CHECK(stored_bytes(*kept) == bytes);  // between two tables
    }
  }
  CHECK(refused > all / 2);
}

TEST_CASE("whatever is changed in a stored file, what is read back can be asked anything") {
  const std::string seed = fuzz::stored_seed();
  CHECK(fuzz::run_stored(seed, {}));
  std::mt19937 random(7);
  int believed = 0;
  const int all = rounds(3000);
  for (int round = 0; round < all; ++round) {
    std::string edits(4 * (1 + random() % 3), '\0');
    for (char& byte : edits) byte = static_cast<char>(random());
    believed += fuzz::run_stored(seed, edits) ? 1 : 0;
  }
  CHECK(believed > all / 30);
  CHECK(believed < all - all / 30);
}

TEST_CASE("no number in a stored file makes memory grow with it") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const std::string seed = fuzz::stored_seed();
  const auto asked = [&](std::string_view edits) {
    const std::uint64_t before = memory_asked().bytes;
    (void)fuzz::run_stored(seed, edits);
    return memory_asked().bytes - before;
  };
  const std::uint64_t usual = asked({});
  std::uint64_t most = 0;
  for (std::size_t place = 3; place < seed.size(); place += 4) {  // the highest bytes of all numbers of 32 bits
    const std::string edit{static_cast<char>(place >> 16), static_cast<char>(place >> 8), static_cast<char>(place),
                           0x3f};
    most = std::max(most, asked(edit));
  }
  CHECK(most < 4 * usual);
}

}  // namespace
}  // namespace lacuna

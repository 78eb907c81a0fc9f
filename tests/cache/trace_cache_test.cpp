#include "model/cache/trace_cache.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/os/files.h"
#include "model/cache/least_used.h"
#include "model/import/arguments.h"
#include "tests/cache/cache_support.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

const std::string kFixture = "torch_cpu_mlp_stack.pt.trace.json.gz";

/// A cache with one trace that it may keep.
struct CacheOfOne {
  TemporaryFolder folder;
  std::string trace = folder.path + "/a.json.gz";
  TraceCache cache{folder.path + "/cache", {.most_bytes = 1 << 30, .least_json_bytes = 1}};
  ImportOptions options;

  CacheOfOne() { fs::copy_file(source_folder() + "/tests/fixtures/" + kFixture, trace); }
  TraceCache::Files look() const { return TraceCache::look_at(std::array{trace}, options); }
  std::optional<KeptTrace> find() const { return cache.find(look(), options); }
  bool keep() {
    const auto files = look();
    const KeptTrace opened = open_anew(std::array{trace}, options);
    const auto kept = cache.keep(files, opened.trace, opened.folds, opened.statistics, opened.home);
    REQUIRE(kept);
    return *kept;
  }
  std::string kept_path() const { return cache.folder() + "/" + look().name + ".trace"; }
};

std::string all_arguments(const Trace& trace, SliceId slice) {
  const auto arguments = read_arguments(trace, slice);
  REQUIRE(arguments);
  std::string text;
  for (const Argument& argument : *arguments) text += argument.key + "=" + argument.value + "\n";
  return text;
}

TEST_CASE("a trace is kept together with the capture beside it, and read anew where that changes") {
  TemporaryFolder folder;
  const auto call = [](const char* name, int ts) {
    return std::string(R"({"ph":"X","cat":"cuda_runtime","pid":1,"tid":1,"dur":5,"args":{"kernel":"k"},"name":")") +
           name + R"(","ts":)" + std::to_string(ts) + "}";
  };
  const std::string trace = folder.write("a.json", "[" + call("hipGraphLaunch", 10) + "]");
  fs::create_directory(folder.path + "/capture_traces");
  const std::string text =
      call("hipStreamBeginCapture", 10) + "," + call("hipLaunchKernel", 20) + "," + call("hipStreamEndCapture", 30);
  folder.write("capture_traces/b.json", "[" + text + "]");
  const TraceCache cache{folder.path + "/cache", {.most_bytes = 1 << 30, .least_json_bytes = 1}};
  const auto files = TraceCache::look_at(std::array{trace}, {});
  const KeptTrace opened = open_anew(std::array{trace});
  REQUIRE(opened.trace.sources().size() == 2);
  REQUIRE(cache.keep(files, opened.trace, opened.folds, opened.statistics, opened.home) == true);
  const auto kept = cache.find(TraceCache::look_at(std::array{trace}, {}), {});
  REQUIRE(kept);
  CHECK(stored_bytes(*kept) == stored_bytes(opened));
  CHECK(all_arguments(kept->trace, SliceId{kept->trace.tracks()[1].first_lane, 1}) == "kernel=k\n");
  folder.write("capture_traces/b.json", "[" + text + ",{}]");
  CHECK_FALSE(cache.find(TraceCache::look_at(std::array{trace}, {}), {}));
}

TEST_CASE("a trace that was kept is found, with its args, and nothing lies beside it") {
  CacheOfOne one;
  CHECK_FALSE(one.find());
  REQUIRE(one.keep());
  const auto kept = one.find();
  REQUIRE(kept);
  const KeptTrace anew = open_anew(std::array{one.trace});
  CHECK(stored_bytes(*kept) == stored_bytes(anew));
  CHECK(kept->trace.sources()[0].path == one.trace);
  // Of a slice that has some.
  std::string of_kept;
  std::string of_anew;
  for (std::uint32_t k = 0; k < anew.trace.lanes().size() && of_anew.empty(); ++k) {
    for (std::uint32_t i = 0; i < anew.trace.lanes()[k].size() && of_anew.empty(); ++i) {
      of_anew = all_arguments(anew.trace, SliceId{LaneId{k}, i});
      of_kept = all_arguments(kept->trace, SliceId{LaneId{k}, i});
    }
  }
  CHECK(!of_anew.empty());
  CHECK(of_kept == of_anew);
  CHECK(std::distance(fs::directory_iterator(one.folder.path), fs::directory_iterator()) == 2);
  CHECK(facts_at(one.kept_path()).value().permissions == 0600);
  CHECK(facts_at(one.cache.folder()).value().permissions == 0700);
}

TEST_CASE("a trace is not kept for files that changed") {
  CacheOfOne one;
  REQUIRE(one.keep());
  const auto time = fs::last_write_time(one.trace);
  SUBCASE("later") {
    fs::last_write_time(one.trace, time + std::chrono::seconds(1));
  }
  SUBCASE("longer") {
    write_whole_file(one.trace, read_whole_file(one.trace) + "x");
    fs::last_write_time(one.trace, time);
  }
  SUBCASE("other bytes in it, and its time put back") {
    std::string bytes = read_whole_file(one.trace);
    bytes[bytes.size() / 2] ^= 1;
    write_whole_file(one.trace, bytes);
    fs::last_write_time(one.trace, time);
  }
  SUBCASE("gone") {
    fs::remove(one.trace);
  }
  CHECK_FALSE(one.find());
}

TEST_CASE("what was read with other options, or another name, is another trace") {
  CacheOfOne one;
  REQUIRE(one.keep());
  SUBCASE("without a category") {
    one.options.skip_categories = {"python_function"};
  }
  SUBCASE("as the tolerant reader sees it") {
    one.options.tolerant_only = true;
  }
  SUBCASE("another name") {
    const std::string other = one.folder.path + "/b.json.gz";
    fs::create_hard_link(one.trace, other);
    one.trace = other;
  }
  CHECK_FALSE(one.find());
}

TEST_CASE("files that changed while they were read are not kept") {
  CacheOfOne one;
  const auto files = one.look();
  const KeptTrace opened = open_anew(std::array{one.trace});
  fs::last_write_time(one.trace, fs::last_write_time(one.trace) + std::chrono::seconds(1));
  const auto kept = one.cache.keep(files, opened.trace, opened.folds, opened.statistics, opened.home);
  REQUIRE(kept);
  CHECK_FALSE(*kept);
  CHECK(one.cache.usage().files == 0);
}

TEST_CASE("a kept file that others can read or write, or a link, is not believed") {
#if defined(_WIN32)
  skip("a file's rights are no POSIX permissions on Windows");
#else
  CacheOfOne one;
  REQUIRE(one.keep());
  REQUIRE(one.find());
  SUBCASE("readable") {
    fs::permissions(one.kept_path(), fs::perms(0640));
  }
  SUBCASE("link") {
    const std::string elsewhere = one.folder.path + "/elsewhere";
    fs::rename(one.kept_path(), elsewhere);
    fs::create_symlink(elsewhere, one.kept_path());
  }
  CHECK_FALSE(one.find());
#endif
}

TEST_CASE("a folder that others can write keeps nothing") {
#if defined(_WIN32)
  skip("a folder's rights are no POSIX permissions on Windows");
#else
  CacheOfOne one;
  fs::create_directory(one.cache.folder());
  fs::permissions(one.cache.folder(), fs::perms(0777));
  const auto files = one.look();
  const KeptTrace opened = open_anew(std::array{one.trace});
  CHECK_FALSE(one.cache.keep(files, opened.trace, opened.folds, opened.statistics, opened.home));
#endif
}

TEST_CASE("the least used go when there are too many") {
  CacheOfOne one;
  REQUIRE(one.keep());
  const std::uint64_t bytes = one.cache.usage().bytes;
  const TraceCache small(one.cache.folder(), {.most_bytes = bytes * 5 / 2, .least_json_bytes = 1});
  const auto add = [&](const std::string& name) {
    fs::copy_file(one.trace, name);
    const auto files = TraceCache::look_at(std::array{name}, {});
    const KeptTrace opened = open_anew(std::array{name});
    REQUIRE(small.keep(files, opened.trace, opened.folds, opened.statistics, opened.home).value());
  };
  add(one.folder.path + "/b.json.gz");
  const auto age = [&](const std::string& name, int hours) {
    const auto files = TraceCache::look_at(std::array{name}, {});
    const std::string path = one.cache.folder() + "/" + files.name + ".trace";
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(hours));
  };
  age(one.trace, 3);
  age(one.folder.path + "/b.json.gz", 2);
  REQUIRE(one.find());  // used again, so the other is the oldest
  add(one.folder.path + "/c.json.gz");
  CHECK(small.usage().files == 2);
  CHECK(one.find());
  CHECK_FALSE(small.find(TraceCache::look_at(std::array{one.folder.path + "/b.json.gz"}, {}), {}));
}

TEST_CASE("small traces and cancelled ones leave nothing behind") {
  CacheOfOne one;
  const auto files = one.look();
  const KeptTrace opened = open_anew(std::array{one.trace});
  const TraceCache for_large(one.cache.folder(), {.least_json_bytes = std::uint64_t{1} << 30});
  CHECK_FALSE(for_large.keep(files, opened.trace, opened.folds, opened.statistics, opened.home).value());
  const std::atomic<bool> cancelled{true};
  CHECK_FALSE(one.cache.keep(files, opened.trace, opened.folds, opened.statistics, opened.home, &cancelled).value());
  CHECK((!fs::exists(one.cache.folder()) || fs::is_empty(one.cache.folder())));
}

TEST_CASE("the args of a kept trace are not taken from a file that changed since") {
  CacheOfOne one;
  REQUIRE(one.keep());
  const auto kept = one.find();
  REQUIRE(kept);
  const auto bytes = kept->trace.sources()[0].bytes;
  CHECK_FALSE(bytes->has_changed());
  write_whole_file(one.trace, "{}");
  CHECK(bytes->has_changed());
  std::array<char, 4> out{};
  CHECK(bytes->read_at(0, out) == 0);
}

TEST_CASE("what was used the longest time ago goes first, and what may not go stays") {
  const TemporaryFolder folder;
  std::vector<CachedEntry> entries;
  for (int age = 0; age < 4; ++age) {
    const std::string path = folder.write(std::to_string(age), "content");
    entries.push_back({path, 100 - age, 10});
  }
  remove_least_used(entries, 40, 20, [](const CachedEntry& entry) { return !entry.path.ends_with("/3"); });
  CHECK(fs::exists(entries[0].path));
  CHECK_FALSE(fs::exists(entries[1].path));
  CHECK_FALSE(fs::exists(entries[2].path));
  CHECK(fs::exists(entries[3].path));  // the oldest, which is in use
}

}  // namespace
}  // namespace lacuna

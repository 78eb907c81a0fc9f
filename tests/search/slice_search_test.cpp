#include "model/search/slice_search.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "model/base/ascii.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

std::vector<std::string> names_found(const Trace& trace, std::string_view text) {
  const SearchQuery query = parse_query(text);
  const SliceFilter filter = make_filter(trace, NameSearch(trace.strings()), query);
  std::vector<std::string> names;
  for (const SliceId s : find_matches(trace, filter).order) names.emplace_back(trace.name(s));
  return names;
}

using Names = std::vector<std::string>;

Trace small_trace() {
  TraceMaker make;
  make.thread("aten::mm", 0, 100).launch("cudaLaunchKernel", 10, 20, 7).thread("Optimizer.step", 200, 900);
  make.kernel("sm90_GEMM_a", 30, 90, 7).kernel("sm90_gemm_b", 120, 125, 8, "20");
  make.copy("Memcpy HtoD", 95, 110);
  return make.build();
}

TEST_CASE("by name, whatever the case, in order of time") {
  const Trace trace = small_trace();
  CHECK(names_found(trace, "gemm") == Names{"sm90_GEMM_a", "sm90_gemm_b"});
  CHECK(names_found(trace, "GEMM _b") == Names{"sm90_gemm_b"});
  CHECK(names_found(trace, "optimizer.STEP") == Names{"Optimizer.step"});
  CHECK(names_found(trace, "\"memcpy htod\"") == Names{"Memcpy HtoD"});
  CHECK(names_found(trace, "nothing").empty());
}

TEST_CASE("by category, stream, device, track and duration") {
  const Trace trace = small_trace();
  CHECK(names_found(trace, "cat:kernel gemm stream:20") == Names{"sm90_gemm_b"});
  CHECK(names_found(trace, "stream:7") == Names{"sm90_GEMM_a", "Memcpy HtoD"});
  CHECK(names_found(trace, "stream:2").empty());  // 20 is another stream
  CHECK(names_found(trace, "gpu:0").size() == 3);
  CHECK(names_found(trace, "gpu:1").empty());
  CHECK(names_found(trace, "cat:cpu_op") == Names{"aten::mm", "Optimizer.step"});
  CHECK(names_found(trace, "dur:>100ns") == Names{"aten::mm", "Optimizer.step"});
  CHECK(names_found(trace, "dur:<5ns") == Names{"sm90_gemm_b"});
  CHECK(names_found(trace, "dur:oops").empty());
}

TEST_CASE("the count by name agrees with the slices found") {
  const Trace trace = small_trace();
  const Statistics statistics = compute_statistics(trace);
  for (const char* text : {"gemm", "cat:kernel", "a", "cat:k gemm", "zzz"}) {
    CAPTURE(text);
    const SearchQuery query = parse_query(text);
    const SliceFilter filter = make_filter(trace, NameSearch(trace.strings()), query);
    const auto count = count_by_name(query, filter, statistics);
    REQUIRE(count);
    CHECK(*count == find_matches(trace, filter).order.size());
  }
  const SearchQuery query = parse_query("stream:7");
  CHECK(!count_by_name(query, make_filter(trace, NameSearch(trace.strings()), query), statistics));
}

TEST_CASE("names in one piece: the same as looking at each") {
  std::mt19937 random(5);
  StringPool pool;
  std::vector<std::string> texts = {""};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += "abAB_\0c"[random() % 7];
    pool.intern(text);
  }
  const NameSearch names(pool);
  for (const std::vector<std::string>& words :
       {Names{}, Names{"a"}, Names{"ab"}, Names{"ab", "_"}, Names{"abab"}, Names{"b_a", "a"}, Names{"zz"}}) {
    const std::vector<std::uint8_t> found = names.containing(words);
    REQUIRE(found.size() == pool.size());
    for (std::uint32_t id = 0; id < pool.size(); ++id) {
      const std::string lower = to_lower(pool.get(StringId{id}));
      const bool expected =
          std::ranges::all_of(words, [&](const std::string& word) { return lower.find(word) != std::string::npos; });
      CHECK((found[id] != 0) == expected);
    }
  }
}

TEST_CASE("random traces: the same as a look at every slice") {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    TraceMaker make;
    for (int i = 0; i < 300; ++i) {
      const Nanos start = static_cast<Nanos>(random() % 5000);
      const std::string name = "op" + std::to_string(random() % 20);
      if (random() % 2 == 0) {
        make.kernel(name, start, start + static_cast<Nanos>(random() % 50), 0, random() % 2 ? "7" : "20");
      } else {
        make.thread(name, start, start + static_cast<Nanos>(random() % 50));
      }
    }
    const Trace trace = make.build();
    const SearchQuery query = parse_query("op1 dur:>5ns cat:kernel stream:7");
    const SliceFilter filter = make_filter(trace, NameSearch(trace.strings()), query);
    const SliceMatches matches = find_matches(trace, filter);
    std::set<SliceId> expected;
    for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
      const Lane& lane = trace.lane(LaneId{l});
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const SliceId s{LaneId{l}, i};
        if (trace.name(s).starts_with("op1") && lane.duration(i) >= 5 &&
            trace.category_name(lane.category(i)) == "kernel" && trace.text(trace.track_of(s).stream) == "7")
          expected.insert(s);
      }
    }
    CHECK(std::set<SliceId>(matches.order.begin(), matches.order.end()) == expected);
    for (std::size_t i = 0; i < matches.order.size(); ++i) {
      if (i > 0) CHECK(trace.span(matches.order[i - 1]).begin <= trace.span(matches.order[i]).begin);
      CHECK(matches.find(trace, matches.order[i]) == i);
      CHECK(std::ranges::binary_search(matches.by_lane[matches.order[i].lane.value], matches.order[i].index));
    }
    for (Nanos t = 0; t < 5100; t += 37) {
      const std::size_t at = matches.first_from(trace, t);
      CHECK((at == matches.order.size() || trace.span(matches.order[at]).begin >= t));
      CHECK((at == 0 || trace.span(matches.order[at - 1]).begin < t));
    }
  }
}

TEST_CASE("by args, read from the file") {
  const std::string demo = source_folder() + "/assets/demo.trace.json.gz";
  const Result<Trace> trace = import_files(std::vector<std::string>{demo});
  REQUIRE(trace);
  const auto all = names_found(*trace, "cat:kernel");
  const auto on_stream = names_found(*trace, "cat:kernel arg:stream=7");
  CHECK(!on_stream.empty());
  CHECK(on_stream == names_found(*trace, "cat:kernel stream:7"));
  CHECK(names_found(*trace, "cat:kernel arg:correlation").size() == all.size());
  CHECK(names_found(*trace, "cat:kernel arg:stream=nonsense").empty());
  CHECK(names_found(*trace, "arg:nonsense").empty());
  // Given up before it began.
  const SliceFilter filter = make_filter(*trace, NameSearch(trace->strings()), parse_query("arg:stream"));
  const std::atomic<bool> cancel{true};
  const SliceMatches matches = find_matches(*trace, filter, &cancel);
  CHECK(matches.is_cancelled);
  CHECK(matches.order.empty());
}

TEST_CASE("args of a trace without a file are an error, not a crash") {
  const Trace trace = small_trace();
  const SliceFilter filter = make_filter(trace, NameSearch(trace.strings()), parse_query("arg:stream=7"));
  const SliceMatches matches = find_matches(trace, filter);
  CHECK(!matches.error.empty());
  CHECK(matches.order.empty());
}

}  // namespace
}  // namespace lacuna

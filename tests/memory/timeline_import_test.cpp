// Files of export_memory_timeline open as traces do: counters, and the eight categories over time.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"
#include "model/import/importer.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

// Parameters of 100 bytes that were there; an activation of 40 from 2 to 5 us, which becomes 60 at 4 us.
constexpr const char* kRaw =
    "[[-1, 1, 100, 0], [2000, 2, 40, 4], [3000, 2, 7, 7], [4000, 3, 20, 4], [5000, 4, -60, 4]]";
// The same sums, as the other form of file has them.
constexpr const char* kSums =
    "[[1, 2, 3], [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 0, 0, 40, 0, 0, 0], [0, 100, 8, 0, 0, 0, 0, 0, 0]]]";

std::uint64_t held(const HolderAreas& areas, std::string_view name, std::uint32_t moment) {
  for (const HolderArea& area : areas.areas)
    if (area.name == name) return area.at(moment);
  return ~std::uint64_t{0};
}

TEST_CASE("a memory timeline opens as a trace: a counter of each category and of their sum") {
  const Result<Trace> trace = import_json(kSums, "sums.json");
  REQUIRE(trace.has_value());
  CHECK(trace->sources().front().format == "memory timeline of PyTorch's profiler");
  CHECK(trace->text(trace->processes().front().name) == "GPU memory by category");
  std::vector<std::string> names;
  for (const Track& track : trace->tracks()) {
    REQUIRE(track.kind == TrackKind::kCounter);
    names.emplace_back(trace->text(track.name));
    if (names.back().find("all bytes") == std::string::npos) continue;
    CHECK(track.counter.times == std::vector<Nanos>{1'000, 2'000, 3'000});
    CHECK(track.counter.values == std::vector<double>{100, 140, 108});
  }
  CHECK(names.size() == 9);
  const auto all = read_memory_histories(*trace);
  REQUIRE(all.has_value());
  REQUIRE(all->size() == 1);
  const MemoryHistory& history = *all->front();
  CHECK_FALSE(history.has_pieces());
  CHECK(history.has_group(HolderGroup::kCategory));
  CHECK_FALSE(history.has_group(HolderGroup::kOperator));
  CHECK(history.table.active == std::vector<std::int64_t>{0, 100, 140, 108});
  CHECK(history.table.peak() == 2);
  const HolderAreas areas = make_holder_areas(history, HolderGroup::kCategory);
  REQUIRE(areas.areas.size() == 8);
  CHECK(areas.areas.front().name == "parameter");
  CHECK(held(areas, "parameter", 0) == 0);
  CHECK(held(areas, "parameter", 2) == 100);
  CHECK(held(areas, "activation", 2) == 40);
  CHECK(held(areas, "activation", 3) == 0);
  CHECK(held(areas, "optimizer state", 3) == 8);
}

TEST_CASE("the raw form is summed up, by time and category") {
  const Result<Trace> trace = import_json(kRaw, "raw.json");
  REQUIRE(trace.has_value());
  const auto all = read_memory_histories(*trace);
  REQUIRE(all.has_value());
  REQUIRE(all->size() == 1);
  const MemoryTable& table = all->front()->table;
  CHECK(table.times == std::vector<Nanos>{2'000, 3'000, 4'000, 5'000});
  CHECK(table.active == std::vector<std::int64_t>{0, 140, 147, 167, 107});
}

TEST_CASE("a memory timeline beside a trace: both are there") {
  const PickleFile sums("beside_timeline.json", kSums);
  const PickleFile json("beside_trace.json",
                        R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":2}]})");
  const Result<Trace> trace = import_files(std::vector<std::string>{sums.path(), json.path()});
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == 1);
  const auto all = read_memory_histories(*trace);
  REQUIRE(all.has_value());
  REQUIRE(all->size() == 1);
  CHECK(all->front()->name.ends_with("beside_timeline.json \xC2\xB7 by category"));
}

TEST_CASE("memory timelines that are cut off, empty or of other numbers say so") {
  for (const auto& [text, words] :
       std::vector<std::pair<std::string, std::string>>{{"[[1, 2], [[0, 1, 2", "cut off"},
                                                        {"[[1, 2], [3, 4]]", "without a row that could be read"},
                                                        {"[[]]", "without a row that could be read"},
                                                        {"[[1, \"a\"]]", "not a list of numbers"}}) {
    const Result<Trace> trace = import_json(text, "bad.json");
    REQUIRE_FALSE(trace.has_value());
    CHECK_MESSAGE(trace.error().message().find(words) != std::string::npos, trace.error().message());
  }
}

}  // namespace
}  // namespace lacuna

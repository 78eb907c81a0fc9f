#include "model/job/clock_shifts.h"

#include <algorithm>
#include <cstdlib>

#include <doctest/doctest.h>

#include "model/job/load_job.h"
#include "model/job/rank_extract.h"
#include "tests/job/job_maker.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

/// The end of the last collective kernel of each source.
std::vector<Nanos> last_ends(const Trace& trace) {
  std::vector<Nanos> ends(trace.sources().size(), 0);
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream) continue;
    for (const Lane& lane : trace.lanes_of(track)) {
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (trace.text(lane.name(i)).find("nccl") == std::string_view::npos) continue;
        Nanos& end = ends[trace.process(track.process).source.value];
        end = std::max(end, saturating_add(lane.start(i), lane.duration(i)));
      }
    }
  }
  return ends;
}

}  // namespace

TEST_CASE("files whose clocks differ lie by the ends of their collectives") {
  JobMaker made;
  made.clock_us = {0, 2'500, -1'300, 40};
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const std::string& json : made.make())
    paths.push_back(folder.write(std::to_string(paths.size()) + ".json", json));
  const Result<Trace> plain = import_files(paths);
  REQUIRE(plain);
  const std::vector<Nanos> apart = last_ends(*plain);
  ImportOptions options;
  options.clocks = FileClocks::kGiven;
  REQUIRE(resolve_clocks(paths, options));
  REQUIRE(options.shifts.size() == 4);
  const Result<Trace> lined_up = import_files(paths, options);
  REQUIRE(lined_up);
  const std::vector<Nanos> together = last_ends(*lined_up);
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(std::abs(apart[r] - apart[0] - static_cast<Nanos>(made.clock_us[r] * 1000)) < 1'000);
    CHECK(std::abs(together[r] - together[0]) < 1'000);
  }
  CHECK(together[0] == apart[0]);  // the first stays
  // So do two of the ranks, when each was reduced by itself.
  const Result<LoadedRanks> loaded = load_ranks(paths);
  REQUIRE(loaded);
  const Job job = analyse_job(loaded->ranks);
  const std::uint32_t two[] = {2, 1};
  const std::vector<FileShift> shifts = shifts_of_ranks(job, two);
  REQUIRE(shifts.size() == 2);
  CHECK(shifts[0].path == paths[2]);
  CHECK(shifts[0].shift_ns == 0);
  const Nanos between = options.shifts[1].shift_ns - options.shifts[2].shift_ns;
  CHECK(std::abs(shifts[1].shift_ns - between) <= 1'000);
  CHECK(shifts_of_ranks(job, std::span(two, 1)).empty());
  // Lined up so, the same analysis moves them to the same place.
  Result<std::vector<JobRank>> ranks = extract_ranks(*lined_up);
  REQUIRE(ranks);
  const ClockShifts again = shifts_by_collectives(*lined_up, analyse_job(std::move(*ranks)));
  REQUIRE(again.shifts.size() == 4);
  for (std::size_t r = 0; r < 4; ++r) CHECK(std::abs(again.shifts[r].shift_ns - options.shifts[r].shift_ns) <= 1);
}

TEST_CASE("where the first file has no collectives, the one that leads stays") {
  JobMaker made;
  made.clock_us = {0, 2'500, -1'300, 40};
  const TemporaryFolder folder;
  std::vector<std::string> paths{
      folder.write("0.json", R"({"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":1}]})")};
  for (const std::string& json : made.make())
    paths.push_back(folder.write(std::to_string(paths.size()) + ".json", json));
  const Result<Trace> trace = import_files(paths);
  REQUIRE(trace);
  Result<std::vector<JobRank>> ranks = extract_ranks(*trace);
  REQUIRE(ranks);
  const ClockShifts found = shifts_by_collectives(*trace, analyse_job(std::move(*ranks)));
  REQUIRE(found.shifts.size() == 4);
  const auto lies_at = [&](const FileShift& shift) {
    return std::ranges::find(trace->sources(), shift.path, &TraceSource::path)->shift_ns;
  };
  CHECK(found.shifts[0].shift_ns == lies_at(found.shifts[0]));
  const std::vector<Nanos> apart = last_ends(*trace);
  for (std::size_t r = 1; r < 4; ++r) {
    const Nanos moved = found.shifts[r].shift_ns - lies_at(found.shifts[r]);
    CHECK(std::abs(apart[r + 1] + moved - apart[1]) < 1'000);
  }
}

TEST_CASE("clocks by collectives: words where there are none, one file is as it is") {
  const std::string json =
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":1}]})";
  const TemporaryFolder folder;
  const std::string a = folder.write("a.json", json), b = folder.write("b.json", json);
  ImportOptions options;
  options.clocks = FileClocks::kGiven;
  const Result<void> none = resolve_clocks(std::vector<std::string>{a, b}, options);
  REQUIRE(!none);
  CHECK(none.error().message().find("collectives") != std::string::npos);
  REQUIRE(resolve_clocks(std::vector<std::string>{a}, options));
  CHECK(options.clocks == FileClocks::kFiles);
}

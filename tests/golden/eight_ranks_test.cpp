// Eight ranks side by side: each rank's numbers are those of its own file, which are those of its reference. Of a made
// job (eight_ranks.py), whose waits are known, and of a DLRM run where the shared traces are.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "model/gaps/gaps.h"
#include "model/import/importer.h"
#include "model/job/load_job.h"
#include "model/trace/import_finding.h"
#include "tests/golden/check_reference.h"
#include "tests/golden/golden_support.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

/// Every slice of one source: where it lies, what it is, and in what it nests.
using SliceFacts = std::tuple<int, std::string, std::string, std::string, std::uint32_t, std::uint32_t, Nanos, Nanos,
                              std::string, std::string, std::uint64_t, std::uint32_t>;

std::vector<SliceFacts> slices_of(const Trace& trace, SourceId source, Nanos shift) {
  std::vector<SliceFacts> facts;
  for (const Lane& lane : trace.lanes()) {
    const Track& track = trace.track(lane.track);
    const Process& process = trace.process(track.process);
    if (process.source != source) continue;
    const auto text = [&](StringId id) { return std::string(trace.text(id)); };
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      facts.emplace_back(static_cast<int>(track.kind), text(process.pid), text(track.tid), text(track.stream),
                         lane.nest, lane.depth, lane.start(i) - shift, lane.duration(i), text(lane.name(i)),
                         std::string(trace.category_name(lane.category(i))), lane.file_offset(i), lane.parent(i));
  }
  std::ranges::sort(facts);
  return facts;
}

SourceId source_of(const Trace& trace, SliceId slice) {
  return trace.process(trace.track_of(slice).process).source;
}

/// Each rank's numbers in the folder, whose other files are no traces.
void check_eight_ranks(const std::filesystem::path& folder, std::uint64_t others) {
  const std::string ranks = folder.string();
  const auto loaded = import_files(std::span(&ranks, 1));
  REQUIRE(loaded.has_value());
  const Trace& all = *loaded;
  REQUIRE(all.sources().size() == 8);
  CHECK(all.report().count(Finding::kNotATraceFile) == others);
  const std::vector<StreamActivity> streams = analyze_streams(all);
  std::uint64_t slices = 0;
  for (std::uint32_t s = 0; s < 8; ++s) {
    CAPTURE(s);
    const TraceSource& source = all.sources()[s];
    CHECK(source.rank == s);
    CHECK(source.label == "rank " + std::to_string(s));
    // Their ts are whole microseconds since 1970: nothing is to be shifted.
    CHECK(source.alignment == Alignment::kAbsoluteTime);
    CHECK(source.shift_ns == 0);

    const Trace alone = load_golden(source.path);
    slices += alone.slice_count();
    CHECK((slices_of(all, SourceId{s}, source.shift_ns) == slices_of(alone, SourceId{0}, 0)));
    const auto of_source = [&](const auto& links, auto slice) {
      return std::ranges::count_if(links, [&](const auto& link) { return source_of(all, link.*slice) == SourceId{s}; });
    };
    CHECK(static_cast<std::uint64_t>(of_source(all.links().launches(), &LaunchLink::activity)) == alone.links().linked);
    CHECK(static_cast<std::size_t>(of_source(all.links().flows(), &FlowArrow::from)) == alone.links().flows().size());
    for (const LaunchLink& link : all.links().launches())
      REQUIRE(source_of(all, link.launch) == source_of(all, link.activity));

    const nlohmann::json reference = read_json(source.path + ".ref.json");
    std::size_t compared = 0;
    for (const auto& expected : reference["streams_all_gpu_activity"]) {
      const auto found = std::ranges::find_if(streams, [&](const StreamActivity& stream) {
        return all.process(all.track(stream.track).process).source == SourceId{s} &&
               all.text(stream.stream) == expected["stream"].get<std::string>() &&
               all.text(stream.device) == expected["device"].get<std::string>();
      });
      REQUIRE(found != streams.end());
      ++compared;
      CHECK(found->events == expected["events"].get<std::uint64_t>());
      CHECK(found->first_start == expected["first_start_ns"].get<Nanos>());
      CHECK(found->last_end == expected["last_end_ns"].get<Nanos>());
      CHECK(found->busy == expected["busy_ns"].get<Nanos>());
      CHECK(found->idle() == expected["idle_ns"].get<Nanos>());
    }
    CHECK(compared > 0);
  }
  CHECK(all.slice_count() == slices);
}

}  // namespace

TEST_CASE("eight ranks together have the numbers of each alone") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  check_eight_ranks(folder / "param_v100_dlrm_8rank", 16);  // .facts.json and .ref.json
}

TEST_CASE("eight made ranks together have the numbers of each alone, and waited as long as was made") {
  const auto folder = fixtures() / "eight_ranks";
  check_eight_ranks(folder, 9);  // .ref.json, truth.json
  for (std::uint32_t r = 0; r < 8; ++r) {
    const std::string path = (folder / ("rank" + std::to_string(r) + ".json.gz")).string();
    CHECK(check_reference(load_golden(path), read_json(path + ".ref.json")) == 4);
  }
  const nlohmann::json truth = read_json(folder / "truth.json");
  const std::string paths[] = {folder.string()};
  auto loaded = load_ranks(paths);
  REQUIRE(loaded.has_value());
  const Job job = analyse_job(std::move(loaded->ranks), std::move(loaded->problems));
  REQUIRE(job.ranks.size() == 8);
  CHECK(job.unmatched == 0);
  CHECK(job.collectives.size() == 3 * (3 * 4 + 1));
  CHECK(job.waited == truth["waited_ns"].get<std::vector<Nanos>>());
  REQUIRE(!job.stragglers.empty());
  CHECK(job.ranks[job.stragglers[0].rank].rank == truth["last"].get<std::int64_t>());
}

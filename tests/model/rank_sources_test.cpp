#include "model/build/rank_sources.h"

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

Process ranked(std::uint32_t source, std::optional<std::int64_t> rank) {
  Process process;
  process.source = SourceId{source};
  process.rank = rank;
  return process;
}

TraceSource counted(std::string path) {
  TraceSource source;
  source.path = std::move(path);
  source.file_bytes = 100;
  source.world_size = 2;
  source.phase_counts['X'] = 7;
  return source;
}

}  // namespace

TEST_CASE("ranks of one file become sources; what has no rank stays with the file, and so do its counts") {
  std::vector<TraceSource> sources{counted("job.json")};
  std::vector<Process> processes{ranked(0, 1), ranked(0, {}), ranked(0, 0), ranked(0, 1)};
  split_by_rank(sources, processes);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].is_around_ranks);
  CHECK_FALSE(sources[0].rank);
  CHECK(sources[0].phase_counts['X'] == 7);
  CHECK(sources[1].rank == 0);
  CHECK(sources[1].label == "rank 0");
  CHECK(sources[1].title() == "job.json · rank 0");
  CHECK(sources[2].rank == 1);
  CHECK(sources[2].world_size == 2);
  CHECK(sources[2].phase_counts['X'] == 0);
  CHECK(sources[2].file_bytes == 0);
  CHECK(processes[0].source == SourceId{2});
  CHECK(processes[1].source == SourceId{0});
  CHECK(processes[2].source == SourceId{1});
  CHECK(processes[3].source == SourceId{2});
}

TEST_CASE("without a launcher the first rank takes the file; one rank alone is the file's; files without stay") {
  std::vector<TraceSource> sources{counted("a"), counted("b"), counted("c")};
  sources[0].label = "a";
  std::vector<Process> processes{ranked(0, 4), ranked(0, 5), ranked(1, 2), ranked(1, {}), ranked(2, {})};
  split_by_rank(sources, processes);
  REQUIRE(sources.size() == 4);
  CHECK(sources[0].rank == 4);
  CHECK(sources[0].label == "a · rank 4");
  CHECK_FALSE(sources[0].is_around_ranks);
  CHECK(sources[0].phase_counts['X'] == 7);
  CHECK(sources[1].rank == 2);
  CHECK(sources[1].title() == "b");
  CHECK_FALSE(sources[2].rank);
  CHECK(sources[3].label == "a · rank 5");
  CHECK(sources[3].is_rank_of_file);
  CHECK(processes[1].source == SourceId{3});
}

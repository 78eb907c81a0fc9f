// Lines of NCCL's inspector, one file a rank, as a job.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/job/job.h"
#include "model/job/load_job.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

TEST_CASE("collectives of NCCL's inspector meet by communicator and number, and the late rank is found") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 3; ++rank) {
    std::string lines;
    for (int number = 0; number < 12; ++number) {
      const std::int64_t due = 1'700'000'000'000'000 + number * 1000;
      const std::int64_t begin = due + (rank == 1 && number > 3 ? 200 : 0);
      lines += fmt::format(
          R"({{"header":{{"id":"0xab","rank":{},"n_ranks":3,"nnodes":1}},"metadata":{{"dump_timestamp_us":{}}},)"
          R"("coll_perf":{{"coll":"AllReduce","coll_sn":{},"coll_msg_size_bytes":1024,"coll_exec_time_us":{},)"
          R"("event_trace_ts":{{"kernel_events":[{{"kernel_start_ts":{},"kernel_stop_ts":{}}}]}}}}}})"
          "\n",
          rank, due + 500, number, due + 400 - begin, begin, due + 400);
    }
    folder.write(fmt::format("host-pid{}.log", 70 + rank), lines);
  }
  const auto loaded = load_ranks(std::vector<std::string>{folder.path}, {}, 1, nullptr);
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->ranks.size() == 3);
  const Job job = analyse_job(loaded->ranks);
  CHECK(job.unmatched == 0);
  CHECK(job.collectives.size() == 12);
  REQUIRE(job.stragglers.size() == 1);
  CHECK(job.ranks[job.stragglers[0].rank].rank == 1);
}

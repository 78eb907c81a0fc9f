// Flight recorder files that lie beside the traces of a job.
#include "model/job/flight_dumps.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/base/os/machine.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

std::string flight_entry(int sequence, std::string_view state) {
  return dict_opcodes(text_opcode("process_group") + list_opcodes(text_opcode("0") + text_opcode("default_pg")) +
                      text_opcode("collective_seq_id") + "K" + le(static_cast<unsigned>(sequence), 1) +
                      text_opcode("p2p_seq_id") + "K" + le(0, 1) + text_opcode("is_p2p") + "\x89" +
                      text_opcode("profiling_name") + text_opcode("nccl:all_reduce") + text_opcode("state") +
                      text_opcode(state) + text_opcode("retired") + (state == "completed" ? "\x88" : "\x89"));
}
std::string flight_dump(const std::string& entries) {
  return pickle_of(
      dict_opcodes(text_opcode("version") + text_opcode("2.10") + text_opcode("entries") + list_opcodes(entries)));
}

TEST_CASE("the dumps in the folder of a trace are found, whatever else lies there") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("lacuna_flight_{}", process_id());
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
    return (folder / name).string();
  };
  const std::vector<std::string> paths{write("rank0.json", R"({"traceEvents":[]})")};
  CHECK(find_flight_dumps(paths).dumps.empty());
  const std::string done = flight_entry(1, "completed");
  write("nccl_trace_rank_1", flight_dump(done));
  write("nccl_trace_rank_0", flight_dump(done + flight_entry(2, "started")));
  write("snapshot.pickle", snapshot_opcodes("", block_opcodes(4096, 4096, "inactive")));
  write("model.pkl",
        "\x80\x04"
        "c__main__\nNet\n.");
  const HangFiles found = find_flight_dumps(paths);
  CHECK(found.problems.empty());
  REQUIRE(found.dumps.size() == 2);
  CHECK(found.dumps[0].rank == 0);
  REQUIRE(found.analysis.hung.size() == 1);
  CHECK(found.analysis.hung[0].missing == std::vector<std::int64_t>{1});
  // Whatever protocol of Python 3.
  std::string newest = flight_dump(done);
  newest[1] = 5;
  write("nccl_trace_rank_3", newest);
  CHECK(find_flight_dumps(paths).dumps.size() == 3);
  // One that was cut off is told.
  write("nccl_trace_rank_2", flight_dump(done).substr(0, 40));
  CHECK(find_flight_dumps(paths).problems.size() == 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lacuna

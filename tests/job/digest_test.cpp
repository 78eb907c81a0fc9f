#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "model/job/digest_file.h"
#include "model/job/job.h"
#include "model/job/load_job.h"
#include "tests/job/job_maker.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a digest gives back what was written") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/job.digest";
  JobMaker made;
  made.slow_gpu = 1;
  made.has_sequence = true;
  made.has_clocks = true;
  const std::vector<JobRank> ranks = made.reduce();
  REQUIRE(write_digest(ranks, path));
  CHECK(is_digest(path));
  const auto read = read_digest(path);
  REQUIRE(read);
  REQUIRE(read->size() == ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const JobRank &a = ranks[r], &b = (*read)[r];
    CHECK(a.rank == b.rank);
    CHECK(a.world_size == b.world_size);
    CHECK(a.texts == b.texts);
    CHECK(a.groups.size() == b.groups.size());
    CHECK(a.groups[0].ranks == b.groups[0].ranks);
    REQUIRE(a.collectives.size() == b.collectives.size());
    for (std::size_t i = 0; i < a.collectives.size(); ++i) {
      CHECK(a.collectives[i].start == b.collectives[i].start);
      CHECK(a.collectives[i].end == b.collectives[i].end);
      CHECK(a.collectives[i].own_work == b.collectives[i].own_work);
      CHECK(a.collectives[i].released_by == b.collectives[i].released_by);
      CHECK(a.collectives[i].name == b.collectives[i].name);
      CHECK(a.collectives[i].group == b.collectives[i].group);
      CHECK(a.collectives[i].in_elements == b.collectives[i].in_elements);
      CHECK(a.collectives[i].comms_id == b.collectives[i].comms_id);
    }
    REQUIRE(a.steps.size() == b.steps.size());
    CHECK(a.steps[1].number == b.steps[1].number);
    CHECK(a.steps[0].lowest_clock_mhz == (r == 1 ? 1095 : 1980));
    CHECK(a.steps[0].lowest_clock_mhz == b.steps[0].lowest_clock_mhz);
    CHECK(a.steps[0].lowest_clock_start == b.steps[0].lowest_clock_start);
    CHECK(b.texts[b.steps[0].clock_reason] == (r == 1 ? "power cap" : ""));
    for (std::size_t c = 0; c < kGapCauseCount; ++c) CHECK(a.steps[1].idle[c].total == b.steps[1].idle[c].total);
    REQUIRE(a.kernels.size() == b.kernels.size());
    CHECK(a.kernels[0].total == b.kernels[0].total);
  }
  const Job one = analyse_job(ranks), two = analyse_job(*read);
  CHECK(one.waited == two.waited);
  CHECK(one.stragglers[0].sentence == two.stragglers[0].sentence);
}

TEST_CASE("a pipe is no digest, and keeps what is in it; nor is a folder, or a file that is too short") {
#if !defined(_WIN32)  // where no path leads to a pipe
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(write(ends[1], "ARROW1\0\0more", 12) == 12);
  close(ends[1]);  // so that whoever reads too much finds an end
  CHECK_FALSE(is_digest("/proc/self/fd/" + std::to_string(ends[0])));
  std::array<char, 16> left{};
  CHECK(read(ends[0], left.data(), left.size()) == 12);
  close(ends[0]);
#endif
  const TemporaryFolder folder;
  CHECK_FALSE(is_digest(folder.path));
  CHECK_FALSE(is_digest(folder.path + "/none"));
  CHECK_FALSE(is_digest(folder.write("short", std::string("ARROW1\0", 7))));
  CHECK(is_digest(folder.write("long enough", std::string("ARROW1\0\0", 8))));
}

TEST_CASE("a digest replaces a digest and nothing else") {
  const TemporaryFolder folder;
  JobMaker made;
  made.steps = 1;
  made.layers = 1;
  const auto ranks = made.reduce();
  const std::string theirs = folder.write("notes.txt", "theirs");
  CHECK_FALSE(write_digest(ranks, theirs));
  CHECK(std::filesystem::file_size(theirs) == 6);
  const std::string path = folder.path + "/one.digest";
  REQUIRE(write_digest(ranks, path));
  CHECK(write_digest(ranks, path));
}

TEST_CASE("a damaged digest is an error, never a crash") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/one.digest";
  JobMaker made;
  made.steps = 1;
  made.layers = 1;
  REQUIRE(write_digest(made.reduce(), path));
  const std::string whole = bytes_of(path);
  const std::string broken = folder.path + "/broken.digest";
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size() / 2; size += 97) {
    write_bytes(broken, whole.substr(0, size));
    if (!read_digest(broken)) ++refused;
  }
  CHECK(refused > 0);
  for (std::size_t at = 8; at < whole.size(); at += 31)
    for (const char bit : {char(0x01), char(0x80), char(0x7f)}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ bit);
      write_bytes(broken, bytes);
      // Whatever is read must bear to be analysed.
      if (auto read = read_digest(broken)) analyse_job(std::move(*read));
    }
  // Where a table says what it has, 0 leaves something out.
  constexpr std::size_t kDescribed = 8'192;
  for (std::size_t at = 8; at < std::min(whole.size(), kDescribed); ++at) {
    if (whole[at] == 0) continue;
    std::string bytes = whole;
    bytes[at] = 0;
    write_bytes(broken, bytes);
    if (auto read = read_digest(broken)) analyse_job(std::move(*read));
  }
}

TEST_CASE("what a damaged digest claims to hold takes no memory") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/one.digest";
  REQUIRE(write_digest(JobMaker().reduce(), path));
  const std::string whole = bytes_of(path);
  const auto most_memory_kb = [] {  // that was ever addressed
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
      if (long kb = 0; word == "VmPeak:" && status >> kb) return kb;
    return 0L;
  };
  const long before = most_memory_kb();
  for (std::size_t at = 8; at + 8 <= whole.size(); at += 8) {
    std::int64_t length = 0;
    std::memcpy(&length, &whole[at], sizeof length);
    if (length <= 0 || length > static_cast<std::int64_t>(whole.size())) continue;
    length += std::int64_t{3} << 30;
    std::string bytes = whole;
    std::memcpy(&bytes[at], &length, sizeof length);
    write_bytes(path, bytes);
    (void)read_digest(path);
  }
  CHECK(most_memory_kb() - before < 1 << 20);
}

TEST_CASE("ranks are loaded from traces and digests alike, and broken files are told") {
  const TemporaryFolder folder;
  JobMaker made;
  made.slow_gpu = 1;
  const std::vector<std::string> traces = made.make();
  const auto place = [&](const std::string& name) { return folder.path + "/" + name; };
  for (std::size_t r = 0; r < 3; ++r) write_bytes(place("rank" + std::to_string(r) + ".json"), traces[r]);
  write_bytes(place("rank3.json"), traces[3].substr(0, 40));
  write_bytes(place("truth.json"), "{\"ranks\": 4}");
  auto loaded = load_ranks(std::vector<std::string>{folder.path});
  REQUIRE(loaded);
  CHECK(loaded->ranks.size() == 3);
  REQUIRE(loaded->problems.size() == 2);
  CHECK(loaded->problems[0].kind == JobProblem::Kind::kUnreadable);
  CHECK(loaded->problems[0].rank == 3);
  CHECK(loaded->problems[1].kind == JobProblem::Kind::kNote);

  auto ranks = reduce_trace(place("rank1.json"));
  REQUIRE(ranks);
  REQUIRE(write_digest(*ranks, place("rank1.digest")));
  loaded = load_ranks(std::vector<std::string>{place("rank0.json"), place("rank1.digest")});
  REQUIRE(loaded);
  CHECK(loaded->ranks.size() == 2);
  CHECK(!load_ranks(std::vector<std::string>{place("nothing*.json")}));
}

TEST_CASE("a folder of digests is told from one of traces, and a digest's trace is found beside it") {
  const TemporaryFolder traces, digests;
  const JobMaker made;
  const std::string trace = traces.write("rank1.json", made.make()[1]);
  auto ranks = reduce_trace(trace);
  REQUIRE(ranks);
  const std::string digest = digests.path + "/rank1.digest";
  REQUIRE(write_digest(*ranks, digest));
  CHECK(name_digests(std::vector<std::string>{digests.path}));
  CHECK(name_digests(std::vector<std::string>{trace, digest}));
  CHECK(!name_digests(std::vector<std::string>{traces.path, trace}));
  CHECK(!name_digests(std::vector<std::string>{digests.path + "/nothing"}));
  CHECK(!name_digests({}));

  LoadRanksProgress progress;
  auto loaded = load_ranks(std::vector<std::string>{digests.path}, {}, 0, &progress);
  REQUIRE(loaded);
  CHECK(loaded->ranks.front().file == trace);
  CHECK(progress.files == 1);
  CHECK(progress.done == 1);
  const std::string beside = digests.path + "/rank1.json";
  std::filesystem::rename(trace, beside);
  loaded = load_ranks(std::vector<std::string>{digest});
  REQUIRE(loaded);
  CHECK(loaded->ranks.front().file == beside);
  progress.cancel = true;
  loaded = load_ranks(std::vector<std::string>{digest}, {}, 0, &progress);
  REQUIRE(!loaded);
  CHECK(loaded.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a rank is told from a file's name") {
  CHECK(rank_of_file_name("/a/rank12.json.gz") == 12);
  CHECK(rank_of_file_name("trace_rank-3.pt.trace.json") == 3);
  CHECK(rank_of_file_name("rank_04.json") == 4);
  CHECK(rank_of_file_name("worker7_step_12.1694.pt.trace.json") == 7);
  CHECK(rank_of_file_name("/rank3/trace.json") == -1);
  CHECK(rank_of_file_name("frank.json") == -1);
  CHECK(rank_of_file_name("rank0.json") == 0);
}

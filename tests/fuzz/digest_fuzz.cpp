// Digests of ranks, as another machine or a bad disk might have changed them, and the analysis of what is read.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/import/importer.h"
#include "model/job/digest_file.h"
#include "model/job/job.h"
#include "model/job/rank_extract.h"
#include "tests/fuzz/targets.h"

namespace {

using namespace lacuna;

/// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("digest", 0)) {}
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }
  void write(std::string_view bytes) const {
    fuzz::require(::ftruncate(file_, 0) == 0, "memory can be written");
    fuzz::require(::pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
                  "memory can be written");
  }

 private:
  const int file_;
};

std::vector<JobRank> made_ranks() {
  std::vector<JobRank> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    std::string events;
    for (int i = 0; i < 12; ++i)
      events += fmt::format(
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{0},"dur":5,"args":{{"correlation":{1}}}}},)"
          R"({{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":{2},"dur":{3},"args":{{"correlation":{1},)"
          R"("device":0,"stream":7,"Collective name":"allreduce","In msg nelems":64,"Group size":3,"Process Group Name":"{4}",)"
          R"("Process Group Ranks":"[0, 1, 2]"}}}},)"
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{5}","pid":1,"tid":1,"ts":{0},"dur":90}},)",
          i * 100, i + 1, i * 100 + 10 + 3 * rank, 50 - 3 * rank, i % 2, i);
    const auto trace = import_json(fmt::format(
        R"({{"distributedInfo":{{"rank":{},"world_size":3}},"traceEvents":[{}{{"ph":"M","name":"process_name",)"
        R"("pid":1,"args":{{"name":"p"}}}}]}})",
        rank, events));
    fuzz::require(trace.has_value(), "the seed is a trace");
    auto extracted = extract_ranks(*trace);
    fuzz::require(extracted.has_value() && extracted->size() == 1, "the seed is a rank");
    ranks.push_back(std::move(extracted->front()));
  }
  return ranks;
}

std::string seed_digest() {
  const std::string path = fmt::format("/tmp/lacuna_digest_fuzz_{}", ::getpid());
  fuzz::require(write_digest(made_ranks(), path).has_value(), "a digest can be written");
  std::string bytes(1 << 20, '\0');
  std::FILE* file = std::fopen(path.c_str(), "rb");
  fuzz::require(file != nullptr, "a digest can be read");
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  ::unlink(path.c_str());
  return bytes;
}

}  // namespace

/// Three bytes of a place and one of what is written there, and so on.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string kSeed = seed_digest();
  static const MemoryFile kFile;
  std::string bytes = kSeed;
  for (; size >= 4; data += 4, size -= 4)
    bytes[(std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % bytes.size()] =
        static_cast<char>(data[3]);
  if (size == 1) bytes.resize(bytes.size() * data[0] / 256);  // cut off
  kFile.write(bytes);
  auto ranks = read_digest(kFile.path());
  if (!ranks) return 0;
  const Job job = analyse_job(std::move(*ranks));
  lacuna::fuzz::require(job.cells.size() == job.ranks.size() * job.steps.size(), "every rank has its steps");
  for (const JobCollective& c : job.collectives) {
    lacuna::fuzz::require(c.first + c.count <= job.parts.size() && c.last < c.count, "collectives have their parts");
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
      lacuna::fuzz::require(job.parts[p].rank < job.ranks.size(), "parts are of ranks");
      lacuna::fuzz::require(job.parts[p].wait >= 0, "nobody waits for less than no time");
      (void)job.name_of(c).size();
    }
  }
  return 0;
}

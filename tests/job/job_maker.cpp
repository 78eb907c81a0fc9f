#include "tests/job/job_maker.h"

#include <algorithm>
#include <map>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/job/rank_extract.h"

namespace lacuna {
namespace {

struct MadeRank {
  double cpu = 0, gpu = 0;
  int correlation = 100;
  std::string events;
};

class Making {
 public:
  explicit Making(const JobMaker& job) : job_(job), ranks_(static_cast<std::size_t>(job.ranks)) {
    job.waited_us.assign(ranks_.size(), 0);
  }

  std::vector<std::string> run() {
    for (step_ = 0; step_ < job_.steps; ++step_) {
      std::vector<double> begins;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        begins.push_back(ranks_[r].cpu);
        const double load =
            100 + 7.0 * static_cast<double>(r) + (is(r, job_.slow_data) && step_ == job_.slow_data_step ? 20'000 : 0);
        add(r, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, ranks_[r].cpu, load,
            "");
        ranks_[r].cpu += load;
      }
      for (std::size_t r = 0; job_.has_clocks && step_ == 0 && r < ranks_.size(); ++r) {
        add_counters(r, begins[r], 1980, 0);
        if (is(r, job_.slow_gpu)) add_counters(r, begins[r] + 300, 1095, 1);
      }
      for (int layer = 0; layer < job_.layers; ++layer) {
        for (std::size_t r = 0; r < ranks_.size(); ++r)
          for (int n = is(r, job_.more_work) ? 2 : 1; n > 0; --n) kernel(r);
        for (std::size_t first = 0; first + 1 < ranks_.size(); first += 2) collective({first, first + 1}, "tp", 50);
      }
      std::vector<std::size_t> all(ranks_.size());
      for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
      collective(all, "dp", 200);
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        ranks_[r].cpu = std::max(ranks_[r].cpu, ranks_[r].gpu) + 10;
        add(r, "user_annotation", fmt::format("ProfilerStep#{}", job_.first_step + step_), 1, begins[r],
            ranks_[r].cpu - begins[r], "");
      }
    }
    std::vector<std::string> traces;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      traces.push_back(fmt::format(
          R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},"baseTimeNanoseconds":1760000000000000000,)"
          R"("traceEvents":[{}{{"ph":"M","name":"process_name","pid":1,"args":{{"name":"python"}}}}]}})",
          r, job_.ranks, ranks_[r].events));
    return traces;
  }

 private:
  static bool is(std::size_t rank, int chosen) { return chosen >= 0 && rank == static_cast<std::size_t>(chosen); }

  double by_clock(std::size_t r, double t) const {
    const double drift = r < job_.drift_ppm.size() ? job_.drift_ppm[r] : 0;
    return 5'000'000 + t * (1 + drift * 1e-6) + (r < job_.clock_us.size() ? job_.clock_us[r] : 0);
  }

  void add(std::size_t r, std::string_view category, std::string_view name, int pid, double start, double duration,
           const std::string& args, int tid = 1) {
    if (r < job_.begin_at.size() && step_ < job_.begin_at[r]) return;
    const double begin = by_clock(r, start), end = by_clock(r, start + duration);
    ranks_[r].events +=
        fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}},)",
                    category, name, pid, tid, begin, end - begin, args);
  }

  /// As a recording has them (model/trace/hardware_tracks.h).
  void add_counters(std::size_t r, double time, int mhz, int is_capped) {
    const auto add_one = [&](std::string_view name, std::string_view series, int value) {
      ranks_[r].events +=
          fmt::format(R"({{"ph":"C","name":"{}","pid":3000000000,"tid":0,"ts":{:.3f},"args":{{"{}":{}}}}},)", name,
                      by_clock(r, time), series, value);
    };
    ranks_[r].events +=
        R"({"ph":"M","name":"process_name","pid":3000000000,"args":{"name":"Hardware of GPU 0: NVIDIA H100"}},)";
    add_one("SM clock", "MHz", mhz);
    add_one("GPU busy", "%", 95);
    add_one("Throttled", "power cap", is_capped);
    add_one("Throttled", "too hot", 0);
  }

  double launch(std::size_t r, std::string_view name) {
    MadeRank& rank = ranks_[r];
    ++rank.correlation;
    rank.cpu += is(r, job_.launch_bound) && step_ == job_.launch_bound_step ? 3000 : 10;
    add(r, "cuda_runtime", name, 1, rank.cpu, 5, fmt::format(R"("correlation":{})", rank.correlation));
    rank.cpu += 5;
    return rank.cpu;
  }

  void kernel(std::size_t r) {
    MadeRank& rank = ranks_[r];
    const double begin = rank.cpu;
    const double issued = launch(r, "cudaLaunchKernel");
    add(r, "cpu_op", "aten::mm", 1, begin, issued - begin + 1, "");
    const double start = std::max(rank.gpu, issued + 3);
    const double time = is(r, job_.slow_gpu) ? 1000 : 500;
    add(r, "kernel", "gemm", job_.device, start, time,
        fmt::format(R"("correlation":{},"device":{},"stream":7,"grid":[4,1,1],"block":[64,1,1])", rank.correlation,
                    job_.device),
        7);
    rank.gpu = start + time;
  }

  void collective(const std::vector<std::size_t>& group, std::string_view what, double transfer) {
    std::vector<double> came(ranks_.size(), 0);
    double last = 0;
    for (const std::size_t r : group) {
      const double issued = launch(r, "cudaLaunchKernelExC");
      came[r] = std::max(ranks_[r].gpu, issued + 3);
      last = std::max(last, came[r]);
    }
    const std::string name = what == "dp" ? "9" : std::to_string(1 + group.front());
    const int sequence = ++sequences_[name];
    for (const std::size_t r : group) {
      std::string args = fmt::format(R"("correlation":{},"device":{},"stream":20)", ranks_[r].correlation, job_.device);
      if (job_.has_group_arguments) {
        std::string list;
        for (const std::size_t member : group) list += (list.empty() ? "" : ", ") + std::to_string(member);
        args += fmt::format(
            R"(,"Collective name":"allreduce","dtype":"Float","In msg nelems":1024,"Out msg nelems":1024,"Group size":{},)"
            R"("Process Group Name":"{}","Process Group Description":"{}","Process Group Ranks":"[{}]")",
            group.size(), name, what, list);
      }
      if (job_.has_sequence)
        args += fmt::format(R"(,"Seq":{},"Comms Id":"{}")", sequence,
                            1000 * group.front() + 17 * static_cast<std::size_t>(sequence) + (what == "dp" ? 7 : 0));
      add(r, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", job_.device, came[r], last + transfer - came[r], args,
          20);
      ranks_[r].gpu = last + transfer;
      job_.waited_us[r] += last - came[r];
    }
  }

  const JobMaker& job_;
  std::vector<MadeRank> ranks_;
  std::map<std::string, int> sequences_;
  int step_ = 0;
};

}  // namespace

std::vector<std::string> JobMaker::make() const {
  return Making(*this).run();
}

std::vector<JobRank> JobMaker::reduce() const {
  std::vector<JobRank> reduced;
  for (const std::string& json : make()) {
    const Result<Trace> trace = import_json(json);
    REQUIRE(trace);
    auto ranks_of_trace = extract_ranks(*trace);
    REQUIRE(ranks_of_trace);
    REQUIRE(ranks_of_trace->size() == 1);
    reduced.push_back(std::move(ranks_of_trace->front()));
  }
  return reduced;
}

}  // namespace lacuna

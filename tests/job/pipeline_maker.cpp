#include "tests/job/pipeline_maker.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/job/rank_extract.h"

namespace lacuna {
namespace {

struct PipelineSlice {
  std::string_view what;      // "forward-compute", "forward-send", "grads-reduce-scatter" …
  double ready = 0;           // when the rank had come to it
  double start = 0, end = 0;  // of the transfer, or of the work
  int peer = -1;              // stage
};

class PipelineRun {
 public:
  explicit PipelineRun(const PipelineMaker& job) : job_(job), slices(size()) {
    double begin = 0;
    for (int step = 0; step < job.steps; ++step) begin = run_step(begin);
  }

  std::size_t size() const { return static_cast<std::size_t>(job_.stages * job_.data_parallel); }
  std::size_t rank(int stage, int dp) const { return static_cast<std::size_t>(stage * job_.data_parallel + dp); }

 private:
  const PipelineMaker& job_;

 public:
  std::vector<std::vector<std::vector<PipelineSlice>>> slices;  // by rank and step
  std::vector<std::pair<double, double>> spans;                 // of steps

 private:
  struct Stage {
    std::vector<bool> plan;  // forward?
    std::size_t next = 0;
    double free = 0;                // of its compute stream
    std::vector<double> ready[2];   // by direction: when what is sent was computed
    double sends_free[2] = {0, 0};  // by direction: when the stream of its sends is
    double receives_free[2] = {0, 0};
    std::size_t done[2] = {0, 0};
  };

  static constexpr std::string_view kSends[] = {"backward-send", "forward-send"};
  static constexpr std::string_view kReceives[] = {"backward-recv", "forward-recv"};
  static constexpr std::string_view kComputes[] = {"backward-compute", "forward-compute"};

  double run_step(double begin) {
    for (auto& steps : slices) steps.emplace_back();
    std::vector<std::vector<Stage>> all;
    for (int dp = 0; dp < job_.data_parallel; ++dp) {
      all.emplace_back(static_cast<std::size_t>(job_.stages));
      for (int s = 0; s < job_.stages; ++s) {
        Stage& stage = at(all, s, dp);
        stage.free = stage.sends_free[0] = stage.sends_free[1] = begin;
        stage.receives_free[0] = stage.receives_free[1] = begin;
        const int warm = std::min(job_.stages - 1 - s, job_.microbatches);
        for (int i = 0; i < warm; ++i) stage.plan.push_back(true);
        for (int i = warm; i < job_.microbatches; ++i) stage.plan.insert(stage.plan.end(), {true, false});
        for (int i = 0; i < warm; ++i) stage.plan.push_back(false);
      }
      for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (int s = 0; s < job_.stages; ++s)
          while (run_one(all, s, dp)) goes_on = true;
      }
      for (int s = 0; s < job_.stages; ++s) REQUIRE(at(all, s, dp).next == at(all, s, dp).plan.size());
    }
    double end = begin;
    std::vector<double> ready(size());
    for (int dp = 0; dp < job_.data_parallel; ++dp) {
      const double first = at(all, 0, dp).free, last = at(all, job_.stages - 1, dp).free;
      const double both = std::max(first, last) + job_.transfer;
      for (int s = 0; s < job_.stages; ++s) {
        double& came = ready[rank(s, dp)];
        came = at(all, s, dp).free;
        add(s, dp, {"layernorm-grads-all-reduce", came, came, came + 2, -1});
        came += 2;
        if (s != 0 && s != job_.stages - 1) continue;
        add(s, dp, {"embedding-grads-all-reduce", came, both, both + 50, -1});
        came = both + 50;
      }
    }
    for (int s = 0; s < job_.stages; ++s) {
      double last = 0;
      for (int dp = 0; dp < job_.data_parallel; ++dp) last = std::max(last, ready[rank(s, dp)]);
      for (int dp = 0; dp < job_.data_parallel; ++dp)
        add(s, dp, {"grads-reduce-scatter", ready[rank(s, dp)], last, last + job_.reduction, -1});
      end = std::max(end, last + job_.reduction);
    }
    spans.emplace_back(begin, end + 5);
    return end + 10;
  }

  Stage& at(std::vector<std::vector<Stage>>& all, int s, int dp) const {
    return all[static_cast<std::size_t>(dp)][static_cast<std::size_t>(s)];
  }
  void add(int s, int dp, PipelineSlice slice) { slices[rank(s, dp)].back().push_back(slice); }

  /// Receives, computes and hands over; false where what it would receive has not been computed yet.
  bool run_one(std::vector<std::vector<Stage>>& all, int s, int dp) {
    Stage& stage = at(all, s, dp);
    if (stage.next == stage.plan.size()) return false;
    const bool forward = stage.plan[stage.next];
    const int from = forward ? s - 1 : s + 1;
    double start = stage.free;
    if (from >= 0 && from < job_.stages) {
      Stage& sender = at(all, from, dp);
      const std::size_t n = stage.done[forward];
      if (n >= sender.ready[forward].size()) return false;
      const double came = std::max(stage.free, stage.receives_free[forward]);
      const double sent = std::max(sender.ready[forward][n], sender.sends_free[forward]);
      const double both = std::max(came, sent), end = both + job_.transfer;
      add(from, dp, {kSends[forward], sent, both, end, s});
      add(s, dp, {kReceives[forward], came, both, end, from});
      sender.sends_free[forward] = stage.receives_free[forward] = end;
      start = std::max(start, end);
    }
    ++stage.done[forward];
    const bool is_slow = static_cast<int>(rank(s, dp)) == job_.slow_rank;
    const double time = (forward ? job_.forward : job_.backward) * (is_slow ? job_.slowness : 1);
    add(s, dp, {kComputes[forward], start, start, start + time, -1});
    stage.free = start + time;
    stage.ready[forward].push_back(stage.free);
    ++stage.next;
    return true;
  }
};

bool is_compute(std::string_view what) {
  return what.ends_with("-compute");
}

}  // namespace

std::vector<std::string> PipelineMaker::traces() const {
  const PipelineRun run(*this);
  std::vector<std::string> made;
  for (int s = 0; s < stages; ++s)
    for (int dp = 0; dp < data_parallel; ++dp) {
      const std::size_t rank = run.rank(s, dp);
      std::string events, pipeline, replicas;
      for (int i = 0; i < stages; ++i) pipeline += fmt::format("{}{}", i == 0 ? "" : ", ", run.rank(i, dp));
      for (int i = 0; i < data_parallel; ++i) replicas += fmt::format("{}{}", i == 0 ? "" : ", ", run.rank(s, i));
      int correlation = 100;
      const auto slice = [&](std::string_view category, std::string_view name, int pid, int tid, double start,
                             double end, const std::string& args) {
        events += fmt::format(
            R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}},)",
            category, name, pid, tid, 5'000'000 + start, end - start, args);
      };
      const auto on_gpu = [&](std::string_view name, int stream, double issued, double start, double end,
                              const std::string& args) {
        ++correlation;
        slice("cuda_runtime", "cudaLaunchKernel", 1, 1, issued, issued + 0.1,
              fmt::format(R"("correlation":{})", correlation));
        slice("kernel", name, 0, stream, start, end,
              fmt::format(R"("correlation":{},"device":0,"stream":{}{})", correlation, stream, args));
      };
      for (std::size_t step = 0; step < run.slices[rank].size(); ++step) {
        auto all = run.slices[rank][step];
        std::ranges::stable_sort(all, {}, &PipelineSlice::ready);
        double issued = run.spans[step].first - 9;  // the CPU runs ahead of all of it
        const double begin = issued - 0.5;
        for (const PipelineSlice& one : all) {
          issued += 0.1;
          const std::string_view what = one.what;
          if (is_compute(what)) {
            on_gpu(what == "forward-compute" ? "gemm_forward" : "gemm_backward", 7, issued, one.start, one.end,
                   R"(,"grid":[4,1,1],"block":[64,1,1])");
          } else if (what == "grads-reduce-scatter") {
            on_gpu(
                "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", 30, issued, one.ready, one.end,
                fmt::format(
                    R"(,"Collective name":"_reduce_scatter_base","dtype":"Float","In msg nelems":4096,"Out msg nelems":512,)"
                    R"("Group size":{},"Process Group Name":"dp {}","Process Group Description":"dp","Process Group Ranks":"[{}]")",
                    data_parallel, s, replicas));
          } else if (what == "embedding-grads-all-reduce") {
            on_gpu(
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 31, issued, one.ready, one.end,
                fmt::format(
                    R"(,"Collective name":"allreduce","dtype":"Float","In msg nelems":64,"Out msg nelems":64,"Group size":2,)"
                    R"("Process Group Name":"embd {}","Process Group Description":"embd","Process Group Ranks":"[{}, {}]")",
                    dp, run.rank(0, dp), run.rank(stages - 1, dp)));
          } else if (one.peer >= 0) {
            const bool sends = what.ends_with("send"), forward = what.starts_with("forward");
            on_gpu(
                "ncclDevKernel_SendRecv", (forward ? 20 : 22) + (sends ? 0 : 1), issued, one.ready, one.end,
                fmt::format(
                    R"(,"Collective name":"{}","dtype":"BFloat16","In msg nelems":1024,"Out msg nelems":1024,"Group size":{},)"
                    R"("Process Group Name":"pp {}","Process Group Description":"pp","Process Group Ranks":"[{}]","{}":{})",
                    sends ? "send" : "recv", stages, dp, pipeline, sends ? "Dst Rank" : "Src Rank", one.peer));
          }
        }
        slice("user_annotation", fmt::format("ProfilerStep#{}", 10 + step), 1, 1, begin, run.spans[step].second, "");
      }
      made.push_back(fmt::format(
          R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},"baseTimeNanoseconds":1760000000000000000,)"
          R"("traceEvents":[{}{{"ph":"M","name":"process_name","pid":1,"args":{{"name":"python"}}}}]}})",
          rank, run.size(), events));
    }
  return made;
}

std::vector<JobRank> PipelineMaker::reduce() const {
  std::vector<JobRank> reduced;
  for (const std::string& json : traces()) {
    const Result<Trace> trace = import_json(json);
    REQUIRE(trace);
    auto ranks = extract_ranks(*trace);
    REQUIRE(ranks);
    REQUIRE(ranks->size() == 1);
    reduced.push_back(std::move(ranks->front()));
  }
  return reduced;
}

std::string PipelineMaker::timeline(bool waits) const {
  const PipelineRun run(*this);
  std::string events;
  constexpr std::string_view kRoles[] = {"compute", "pp-comm", "dp-comm"};
  for (int dp = 0; dp < data_parallel; ++dp) {
    events += fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"DP rank [{0}]"}}}},)", dp);
    for (int s = 0; s < stages; ++s)
      for (int role = 0; role < 3; ++role)
        events += fmt::format(
            R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"PP rank {}, TP rank 0, {}"}}}},)", dp,
            3 * s + role, s, kRoles[role]);
    for (int s = 0; s < stages; ++s)
      for (std::size_t step = 0; step < run.spans.size(); ++step)
        for (const PipelineSlice& one : run.slices[run.rank(s, dp)][step]) {
          const double start = waits ? one.ready : one.start;
          events += fmt::format(
              R"({{"ph":"X","cat":"{0}","name":"{0}","pid":{1},"tid":{2},"ts":{3:.3f},"dur":{4:.3f},"args":{{"step":{5}}}}},)",
              one.what, dp,
              3 * s + (is_compute(one.what) ? 0
                       : one.peer >= 0      ? 1
                                            : 2),
              start, one.end - start, 10 + step);
        }
  }
  events.pop_back();
  return "{\"traceEvents\": [" + events + "]}";
}

}  // namespace lacuna

// What is measured of GPUs and host beside a recording, on its way into the trace.

#include <algorithm>

#include <fmt/format.h>

#include "capture/metrics/metrics_sampler.h"
#include "capture/session/session.h"

namespace lacuna {

void Session::measure(int pid, const std::vector<std::string>& environment) {
  if (!options_.metrics.is_set()) return;
  constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES=";
  std::optional<std::string> visible;
  for (const std::string& variable : environment)
    if (variable.starts_with(kVisible)) visible = variable.substr(kVisible.size());
  metrics_ = std::make_unique<MetricsSampler>(options_.metrics, pid, visible ? &*visible : nullptr);
}

void Session::take_metrics() {
  if (metrics_ == nullptr) return;
  MetricsSampler::Delivery delivery = metrics_->take();
  using What = StreamedName::What;
  for (const MetricsSampler::Name& name : delivery.names) {
    sink_.add(StreamedName{What::kProcess, name.pid, 0, name.text});
    sink_.add(StreamedName{What::kProcessLabels, name.pid, 0, name.labels});
    sink_.add(StreamedName{What::kProcessSortIndex, name.pid, 0, fmt::format("{}", name.order)});
  }
  for (auto& [gpu, pids] : delivery.users) gpu_users_[gpu] = {pids.begin(), pids.end()};
  // A GPU that one rank uses is shown with it.
  for (const auto& [gpu, pids] : gpu_users_) {
    std::optional<std::int32_t> rank;
    for (const auto& process : processes_) {
      if (process->decoder.rank().rank < 0 || std::ranges::find(pids, process->decoder.identity().pid) == pids.end())
        continue;
      if (rank && *rank != process->decoder.rank().rank) {
        rank = -1;
        break;
      }
      rank = process->decoder.rank().rank;
    }
    if (!rank || *rank < 0 || (gpu_ranks_.contains(gpu) && gpu_ranks_[gpu] == *rank)) continue;
    gpu_ranks_[gpu] = *rank;
    sink_.add(StreamedName{What::kProcessRank, kHardwarePid + gpu, 0, fmt::format("{}", *rank)});
    sink_.add(
        StreamedName{What::kProcessSortIndex, kHardwarePid + gpu, 0, fmt::format("{}", place_of_gpu(*rank, gpu))});
  }
  for (const MetricSample& sample : delivery.samples) {
    StreamedInstant counter{{sample.pid, sample.pid, TrackKind::kThread, 0},
                            sample.name,
                            {},
                            clocks_.trace_time(sample.time),
                            sample.values};
    counter.is_counter = true;
    sink_.add(counter);
  }
  for (std::string& message : delivery.messages) messages_.push_back({wire::MessageKind::kInfo, 0, std::move(message)});
}

}  // namespace lacuna

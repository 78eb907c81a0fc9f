#include "model/report/machine_limits.h"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "model/trace/hardware_tracks.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

bool is_pid_of_cores(std::string_view pid) {
  std::uint32_t number = 0;
  return std::from_chars(pid.data(), pid.data() + pid.size(), number).ec == std::errc{} && number == kCoresPid;
}

/// Each sample is the mean since the one before.
std::optional<double> mean_of_samples(const CounterSeries& series, TimeSpan window) {
  double sum = 0;
  Nanos known = 0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const TimeSpan since{i == 0 ? window.begin : series.times[i - 1], series.times[i]};
    const Nanos inside = since.begin < since.end ? since.intersect(window).duration() : 0;
    sum += series.values[i] * static_cast<double>(inside);
    known += inside;
  }
  return known == 0 ? std::nullopt : std::optional(sum / static_cast<double>(known));
}

}  // namespace

MachineLimits read_machine_limits(const Trace& trace, SourceId source, TimeSpan window) {
  constexpr double kPercent = 100;
  MachineLimits limits;
  const auto title = [](const char* counter, const char* series) {
    return fmt::format("{} \xC2\xB7 {}", counter, series);
  };
  const std::string quota = title(kQuotaCounter, kQuotaSeries), held_back = title(kQuotaCounter, kHeldBackSeries),
                    cpu = title(kProgramCpuCounter, kProgramCpuSeries), faults = title(kFaultsCounter, kFaultsSeries),
                    disk_faults = title(kFaultsCounter, kDiskFaultsSeries);
  for (const Track& track : tracks_of(trace, TrackKind::kCounter, source)) {
    if (is_pid_of_cores(trace.text(trace.process(track.process).pid))) {
      ++limits.cores;
      continue;
    }
    const std::string_view name = trace.text(track.name);
    const auto mean = [&] { return mean_of_samples(track.counter, window); };
    if (name == quota) {
      if (const auto cores = mean()) limits.quota_cores = *cores / kPercent;
    } else if (name == held_back) {
      limits.throttled = mean().value_or(0) / kPercent;
    } else if (name == cpu) {
      limits.program_cores = mean().value_or(0) / kPercent;
    } else if (name == faults) {
      limits.faults_per_second = mean().value_or(0);
    } else if (name == disk_faults) {
      limits.disk_faults_per_second = mean().value_or(0);
    }
  }
  return limits;
}

}  // namespace lacuna

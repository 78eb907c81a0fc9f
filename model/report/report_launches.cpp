#include <algorithm>
#include <array>

#include "model/base/quantiles.h"
#include "model/causes/known_names.h"
#include "model/causes/launch_delay.h"
#include "model/report/report_parts.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// Calls that start a kernel or a graph, in CUDA's and HIP's runtime and driver API. CUPTI appends
/// _ptsz, _v11060 and the like.
bool is_kernel_launch(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPrefixes = {
      "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaGraphLaunch",
      "cuLaunchKernel",   "cuLaunchCooperativeKernel",   "cuGraphLaunch",
      "hipLaunchKernel",  "hipExtLaunchKernel",          "hipGraphLaunch"};
  constexpr std::array<std::string_view, 4> kOthers = {"hipModuleLaunchKernel", "hipExtModuleLaunchKernel",
                                                       "hipExtLaunchMultiKernelMultiDevice", "urEnqueueKernelLaunch"};
  return std::ranges::any_of(kPrefixes, [&](auto p) { return name.starts_with(p); }) ||
         std::ranges::find(kOthers, name) != kOthers.end();
}

/// Calls that start a copy or a set on the GPU.
bool is_transfer(std::string_view name) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"cudaMemcpy", "cudaMemset", "cuMemcpy",
                                                         "cuMemset",   "hipMemcpy",  "hipMemset"};
  return std::ranges::any_of(kPrefixes, [&](auto p) { return name.starts_with(p); });
}

/// Calls in which the driver gives out or takes back memory, or pins it.
bool is_allocation(std::string_view name) {
  constexpr std::array<std::string_view, 10> kPrefixes = {"cudaMalloc", "cudaFree",     "cudaHostAlloc", "cuMemAlloc",
                                                          "cuMemFree",  "cuMemMap",     "cuMemCreate",   "hipMalloc",
                                                          "hipFree",    "hipHostMalloc"};
  return std::ranges::any_of(kPrefixes, [&](auto p) { return name.starts_with(p); }) && name.find("Async") == name.npos;
}

/// Calls visit(SliceId, lane, index) for every slice of the threads of `source`.
template <class Visit>
void for_each_thread_slice(const Trace& trace, SourceId source, Visit&& visit) {
  for (const Track& track : tracks_of(trace, TrackKind::kThread, source)) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) visit(SliceId{id, i}, lane, i);
    }
  }
}

}  // namespace

void report_launches(const Trace& trace, Report& report) {
  std::vector<Nanos> calls, gpu_times, delays, periods;
  std::vector<Nanos> last_on_track(trace.tracks().size(), kMinNanos);
  // The measured steps on the CPU, which may be ahead of their window on the GPU.
  const MeasuredSteps& steps = report.steps;
  const TimeSpan issuing = steps.has_steps()
                               ? TimeSpan{steps.steps[steps.warm_up_count].span.begin, steps.steps.back().span.end}
                               : report.window;
  const std::vector<LaunchGroup> groups = launch_groups(trace);
  for (const LaunchGroup& group : groups) {
    const TrackId track = trace.lane(group.launch).track;
    if (!belongs(trace, trace.track(track), report.source)) continue;
    const TimeSpan call = trace.span(group.launch);
    if (!issuing.contains(call.begin)) continue;
    ++report.launch.launches;
    report.launch.graphs += group.is_graph();
    report.launch.short_ones += group.is_short();
    calls.push_back(group.cpu_time);
    gpu_times.push_back(group.gpu_time);
    delays.push_back(group.delay);
    Nanos& last = last_on_track[track.value];
    if (last != kMinNanos) periods.push_back(saturating_sub(call.begin, last));
    last = call.begin;
  }
  report.launch.median_call = median_of(std::move(calls));
  report.launch.median_gpu = median_of(std::move(gpu_times));
  report.launch.median_delay = median_of(std::move(delays));
  report.launch.median_period = median_of(std::move(periods));
}

void report_missing(const Trace& trace, Report& report) {
  MissingReport& missing = report.missing;
  missing.has_steps = report.steps.has_steps();
  Nanos last_gpu_end = kMinNanos, first_call_end = kMaxNanos;
  std::uint64_t least_correlation = ~std::uint64_t{0};  // of calls: correlations count calls
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, report.source)) {
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (is_gpu_activity(trace.category_class(lane.category(i)))) {
          ++missing.activities;
          missing.without_times +=
              lane.duration(i) == 0 && (lane.start(i) < report.window.begin || lane.start(i) > report.window.end);
          last_gpu_end = std::max(last_gpu_end, lane.end(i));
        }
  }
  missing.has_gpu = missing.activities > 0;
  missing.has_samples = std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    return track.kind == TrackKind::kStacks && belongs(trace, track, report.source);
  });

  NameMemo launches(trace.strings(), is_kernel_launch);
  NameMemo transfers(trace.strings(), is_transfer);
  const auto& links = trace.links().launches();
  auto link = links.begin();
  for_each_thread_slice(trace, report.source, [&](SliceId slice, const Lane& lane, std::uint32_t i) {
    const CategoryClass category = trace.category_class(lane.category(i));
    if (category == CategoryClass::kPythonFunction) missing.has_stacks = true;
    if (category == CategoryClass::kCpuOperator) missing.has_cpu = true;
    if (category != CategoryClass::kRuntime) return;
    if (lane.correlation(i) != 0) least_correlation = std::min(least_correlation, lane.correlation(i));
    const bool is_launch = launches(lane.name(i));
    if (!is_launch && !transfers(lane.name(i))) return;
    missing.launch_calls += is_launch;
    if (is_launch) first_call_end = std::min(first_call_end, lane.end(i));
    while (link != links.end() && link->launch < slice) ++link;
    if (link != links.end() && link->launch == slice) return;
    if (!is_launch) {
      ++missing.copies_without_work;
      return;
    }
    ++missing.launches_without_work;
    missing.launches_at_end += lane.start(i) >= last_gpu_end;
    SliceId& first = missing.first_launch_without_work;
    if (!first.valid() || lane.start(i) < trace.span(first).begin) first = slice;
  });

  // Without calls nothing tells when the work was launched.
  if (first_call_end == kMaxNanos) first_call_end = kMinNanos;
  if (least_correlation == ~std::uint64_t{0}) least_correlation = 0;
  std::vector<TimeSpan> at_start;
  Links::Hint hint;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lanes()[l];
    const Track& track = trace.track(lane.track);
    if (track.kind != TrackKind::kGpuStream || !belongs(trace, track, report.source)) continue;
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const SliceId slice{LaneId{l}, i};
      if (!is_gpu_activity(trace.category_class(lane.category(i)))) continue;
      if (const SliceId launch = trace.links().launch_of(slice, hint); launch.valid()) {
        missing.before_launch += lane.start(i) < saturating_sub(trace.span(launch).begin, kClockErrorNs);
        continue;
      }
      ++missing.unlinked;
      const bool is_earlier = lane.correlation(i) != 0 && lane.correlation(i) < least_correlation;
      if (lane.start(i) < first_call_end || is_earlier) {
        ++missing.unlinked_at_start;
        at_start.push_back(lane.span(i));
      }
      SliceId& first = missing.first_unlinked;
      if (!first.valid() || lane.start(i) < trace.span(first).begin) first = slice;
    }
  }
  missing.unlinked_at_start_busy = IntervalSet(std::move(at_start)).covered(report.window);
}

void report_interruptions(const Trace& trace, Report& report) {
  NameMemo allocates(trace.strings(), is_allocation);
  NameMemo profiles(trace.strings(), is_profiler_overhead);
  std::vector<TimeSpan> profiler, code_loading;
  for_each_thread_slice(trace, report.source, [&](SliceId slice, const Lane& lane, std::uint32_t i) {
    const CategoryClass category = trace.category_class(lane.category(i));
    if (category == CategoryClass::kOverhead) {
      (profiles(lane.name(i)) ? profiler : code_loading).push_back(lane.span(i));
    } else if (category == CategoryClass::kRuntime && allocates(lane.name(i))) {
      const Nanos time = lane.span(i).intersect(report.window).duration();
      if (time == 0) return;
      report.allocation_calls = saturating_add(report.allocation_calls, time);
      ++report.allocation_count;
      SliceId& longest = report.longest_allocation;
      if (!longest.valid() || lane.duration(i) > trace.span(longest).duration()) longest = slice;
    }
  });
  report.profiler = IntervalSet(std::move(profiler)).covered(report.window);
  report.code_loading = IntervalSet(std::move(code_loading)).covered(report.window);
}

}  // namespace lacuna

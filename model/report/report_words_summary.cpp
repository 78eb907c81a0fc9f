// The verdict in words, and the advice.

#include <algorithm>

#include <fmt/format.h>

#include "model/report/advice.h"
#include "model/report/report_writer.h"

namespace lacuna {
namespace {

/// From this part of the window on, work from before the recording is worth a warning.
constexpr double kForeignWork = 0.01;

}  // namespace

void ReportWriter::summary() {
  open("summary", "Summary");
  const TimeUse& use = report_.use;
  const DeviceReport* device = report_.busiest();
  line(fmt::format("Measured: {}, {} of wall time.", measured_window_name(trace_, report_), f_.duration(use.wall)),
       ReportTone::kFact, {{report_.window, {}}});
  if (device == nullptr) {
    if (report_.cpu.is_known) return verdict_of_cpu();
    if (report_.program.is_known) return verdict_of_program();
    line("No kernel, copy or set: the trace says nothing of a GPU.", ReportTone::kWarning);
    return;
  }
  for (const DeviceReport& each : report_.devices) verdict(each);
  if (has_several_gpus()) line("Kernels, operators, copies and the table of times below are of all GPUs together.");
  behind();
  const MissingReport& missing = report_.missing;
  if (TimeUse::part(missing.unlinked_at_start_busy, use.wall) >= kForeignWork)
    line(fmt::format("{} of the busy time ({} of the window) is work that was launched before the recording "
                     "began: this window pays for what came before it.",
                     f_.duration(missing.unlinked_at_start_busy), of_window(missing.unlinked_at_start_busy)),
         ReportTone::kWarning, places(missing.first_unlinked));
  const bool is_busy = TimeUse::part(device->busy, use.wall) >= kBusyEnough;
  if (missing.has_stacks && !is_busy)
    line(
        "Python stacks were recorded (with_stack), which slows the CPU down: without the profiler the "
        "GPU waits less than shown here.",
        ReportTone::kWarning);
  const LaunchReport& launch = report_.launch;
  if (launch.launches > 0)
    line(
        fmt::format("{} launches: the CPU issues one every {} (median) and spends {} in the call; what it "
                    "starts takes the GPU {}; {} of them need less time on the GPU than the call takes{}.",
                    f_.count(launch.launches), f_.duration(launch.median_period), f_.duration(launch.median_call),
                    f_.duration(launch.median_gpu),
                    f_.percent(static_cast<double>(launch.short_ones) / static_cast<double>(launch.launches)),
                    launch.graphs > 0 ? fmt::format(" ({} start several activities: graphs)", f_.count(launch.graphs))
                                      : std::string{}));
}

void ReportWriter::verdict(const DeviceReport& device) {
  const bool is_busy = TimeUse::part(device.busy, report_.use.wall) >= kBusyEnough;
  const ReportTone tone = is_busy ? ReportTone::kGood : ReportTone::kWarning;
  const std::string gaps = f_.duration(saturating_sub(device.idle, device.at_edges));
  line(fmt::format(
           "GPU {} was busy {} of that time ({}; what overlaps counts once) and idle {}: {}.",
           trace_.text(device.device), of_window(device.busy), f_.duration(device.busy), f_.duration(device.idle),
           device.at_edges == 0 ? std::string("gaps of any length")
                                : fmt::format("gaps of any length ({}), and the time before its first or after its "
                                              "last activity ({})",
                                              gaps, f_.duration(device.at_edges))),
       tone, {{report_.window, {}}});
  sections_.back().lines.back().idle_of = device.device;
  line(fmt::format("{}{}: {}. {}", has_several_gpus() ? "Verdict on GPU " : "Verdict",
                   has_several_gpus() ? trace_.text(device.device) : std::string_view{}, bound_name(device.bound),
                   reason(device)),
       tone, verdict_places(device));
}

std::string ReportWriter::reason(const DeviceReport& device) const {
  const TimeUse& use = device.use;
  const Nanos launch = device.lost(GapCause::kLaunchBound) + device.lost(GapCause::kKernelSpacing);
  switch (device.bound) {
    case Bound::kCompute:
      return fmt::format("It was busy for {} or more, and computes for {} of the time.{}", f_.percent(kBusyEnough),
                         of_window(use.compute),
                         report_.kernel.waiting == 0
                             ? std::string{}
                             : fmt::format(" Kernels that only wait, {} of the time of all kernels, do not count.",
                                           part(report_.kernel.waiting, report_.kernel.total)));
    case Bound::kCommunication:
      return fmt::format("Communication that no computation hides takes {} of the time.", of_window(use.exposed()));
    case Bound::kDependency:
      if (use.at(TimeKind::kWaiting) > device.idle)
        return fmt::format("For {} of the time it only runs kernels that wait for an event or a semaphore.",
                           of_window(use.at(TimeKind::kWaiting)));
      return fmt::format("Most of {} idle time has that cause; see below.", f_.duration(device.idle));
    case Bound::kCopies:
      return fmt::format("Copies and sets that no kernel hides take {} of the time.",
                         of_window(use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset)));
    case Bound::kLaunch:
      return fmt::format(
          "Of {} idle time, {} passed because the next launch came too late, or between launches "
          "that were queued ({}).",
          f_.duration(device.idle), part(launch, device.idle), f_.duration(device.lost(GapCause::kKernelSpacing)));
    case Bound::kMixed:
      return fmt::format("Of {} idle time, no cause makes up half; see below.", f_.duration(device.idle));
    case Bound::kUnknown:
      return fmt::format(
          "Of {} idle time, {} was before its first or after its last activity, {} outside of the "
          "steps, and for {} the trace does not tell.",
          f_.duration(device.idle), f_.duration(device.at_edges), f_.duration(device.lost(GapCause::kOutsideSteps)),
          f_.duration(device.lost(GapCause::kUnknown)));
    default:
      return fmt::format("Most of {} idle time has that cause; see below.", f_.duration(device.idle));
  }
}

std::vector<ReportPlace> ReportWriter::verdict_places(const DeviceReport& device) const {
  const bool communicates = device.bound == Bound::kCommunication;
  if (device.bound == Bound::kCompute || communicates)
    for (const ReportKernel& kernel : report_.kernels)
      if ((communicates ? kernel.kernel_class == KernelClass::kCommunication : kernel.computes()) &&
          trace_.track_of(kernel.longest).device == device.device)
        return places(kernel.longest);
  if (device.bound == Bound::kCopies && !report_.copies.empty()) return places(report_.copies.front().longest);
  std::size_t most = 0;
  for (std::size_t c = 1; c < kGapCauseCount; ++c)
    if (device.by_cause[c] > device.by_cause[most]) most = c;
  if (device.by_cause[most] == 0) return {};
  return places(device.longest[most]);
}

/// How far the GPU lags behind at the end of the steps.
void ReportWriter::behind() {
  std::vector<Nanos> lags;
  for (const StepReport& step : report_.by_step)
    if (!step.step.is_warm_up && step.gpu_end != 0) lags.push_back(step.gpu_lag());
  if (lags.empty()) return;
  const Nanos lag = lower_median(lags);
  // The step that is the median is the place.
  const auto shown = std::ranges::find_if(report_.by_step, [&](const StepReport& step) {
    return !step.step.is_warm_up && step.gpu_end != 0 && step.gpu_lag() == lag;
  });
  line(lag == 0 ? std::string("At the end of a step the GPU has nothing of it left to do: the CPU "
                              "does not run ahead.")
                : fmt::format("At the end of a step the GPU still works on it for {} (median): so "
                              "far the CPU runs ahead.",
                              f_.duration(lag)),
       ReportTone::kFact,
       lag > 0 && shown != report_.by_step.end()
           ? std::vector<ReportPlace>{{{shown->step.span.end, shown->gpu_end}, {}}}
           : std::vector<ReportPlace>{});
  const std::vector<Nanos> paces = report_.gpu_paces();
  if (lag == 0 || paces.size() < 2) return;
  Nanos shortest = kMaxNanos, longest = 0;
  for (const StepReport& step : report_.by_step) {
    if (step.step.is_warm_up) continue;
    shortest = std::min(shortest, step.step.span.duration());
    longest = std::max(longest, step.step.span.duration());
  }
  const auto [least, most] = std::ranges::minmax_element(paces);
  line(fmt::format("The GPU ends a step every {} to {}; on the CPU steps take {} to {}, as it runs "
                   "ahead and is held up in turns.",
                   f_.duration(*least), f_.duration(*most), f_.duration(shortest), f_.duration(longest)),
       ReportTone::kFact, {});
}

/// What the replay says, before the advice; empty where it says nothing.
std::string ReportWriter::gain_of(const AdviceGiven& given) const {
  if (!given.gain) return {};
  if (*given.gain <= 0) return "Gains nothing alone, by a replay: something else holds it back. ";
  return fmt::format("Gains up to {} of {} ({}), by a replay. ", f_.duration(*given.gain), f_.duration(given.replayed),
                     part(*given.gain, given.replayed));
}

void ReportWriter::advice() {
  open("advice", "Advice");
  const AdviceFacts facts = advice_facts(trace_, report_);
  for (const AdviceGiven& given : report_.advice) {
    const AdviceRule& rule = advice_rules()[given.rule];
    const double value = facts.*rule.value;
    const std::string shown =
        rule.value == &AdviceFacts::step_spread ? fmt::format("{:.2f} times", value) : f_.percent(value);
    line(fmt::format("{}{} (Rule: {}; here {}.)", gain_of(given), rule.text, rule.threshold, shown),
         ReportTone::kAdvice, given.places);
  }
  if (report_.advice.empty()) line("No rule fires.");
}

}  // namespace lacuna

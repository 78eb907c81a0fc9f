// The verdict in words, and the advice.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/quantiles.h"
#include "model/report/advice.h"
#include "model/report/report_writer.h"

namespace lacuna {
namespace {

/// From this part of the window on, work from before the recording is worth a warning.
constexpr double kForeignWork = 0.01;

const MachineLimits& limits_of(const Report& report) {
  return report.program.is_known ? report.program.limits : report.cpu.limits;
}

/// A cause that takes much of the window, and whose end would gain little of that.
bool is_held_back(const DeviceReport& device, GapCause cause, const AdviceGiven& given) {
  constexpr double kMuch = 0.3;
  constexpr Nanos kLittle = 5;
  const Nanos lost = device.lost(cause);
  return TimeUse::part(lost, device.use.wall) > kMuch && *given.gain < lost / kLittle;
}

}  // namespace

void ReportWriter::summary() {
  open("summary", "Summary");
  const TimeUse& use = report_.use;
  const DeviceReport* device = report_.busiest();
  if (use.wall <= 0)
    return line(fmt::format("What was measured took no time: {}.", report_.steps.window_name(trace_)),
                ReportTone::kWarning);
  line(fmt::format("Measured: {}, {} of wall time{}.", report_.steps.window_name(trace_), f_.duration(use.wall),
                   device != nullptr && report_.steps.has_steps()
                       ? ", from the start of the first to the end of all GPU work that they launched"
                       : ""),
       ReportTone::kFact, {{report_.window, {}}});
  if (device == nullptr) {
    if (report_.cpu.is_known) return verdict_of_cpu();
    if (report_.program.is_known) return verdict_of_program();
    line("No kernel, copy or set: the trace has no GPU activity.", ReportTone::kWarning);
    return;
  }
  for (const DeviceReport& each : report_.devices) verdict(each);
  how_sure();
  if (has_several_gpus()) line("Kernels, operators, copies and the table of times below are of all GPUs together.");
  behind();
  const MissingReport& missing = report_.missing;
  if (TimeUse::part(missing.unlinked_at_start_busy, use.wall) >= kForeignWork)
    line(fmt::format("{} of the busy time ({} of the window) is work that was launched before the recording "
                     "began: for that time the GPU worked on earlier launches.",
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
    line(fmt::format(
        "{}: the CPU {}spends {} in the call; the GPU needs {} for what a call starts; {} of the calls take longer "
        "than the GPU needs for their work{}.",
        count_of(launch.launches, "launch"),
        launch.median_period > 0 ? fmt::format("issues one every {} (median) and ", f_.duration(launch.median_period))
                                 : std::string{},
        f_.duration(launch.median_call), f_.duration(launch.median_gpu),
        f_.percent(static_cast<double>(launch.short_ones) / static_cast<double>(launch.launches)),
        launch.graphs > 0 ? fmt::format(" ({} start several activities: graphs)", f_.count(launch.graphs))
                          : std::string{}));
}

void ReportWriter::verdict(const DeviceReport& device) {
  const std::size_t first = sections_.back().lines.size();
  const bool is_busy = !device.verdict.cause && device.verdict.bound == Bound::kCompute;
  const ReportTone tone = is_busy ? ReportTone::kGood : ReportTone::kWarning;
  line(fmt::format("{} was busy {} of that time ({}; what overlaps counts once) and {}.", gpu_name(device),
                   of_window(device.busy), f_.duration(device.busy),
                   device.idle > 0 ? "idle " + f_.duration(device.idle) : "never idle"),
       tone, {{report_.window, {}}});
  sections_.back().lines.back().idle_of = device.device;
  const bool is_guess = device.confidence.level == Confidence::Level::kLow;
  line(fmt::format("Verdict{}{}: {}. {}", has_several_gpus() ? " on " + gpu_name(device) : std::string{},
                   is_guess ? ", on less than half of the evidence" : "", bound_name(device.verdict.bound),
                   reason(device)),
       is_guess ? ReportTone::kWarning : tone, verdict_places(device));
  const Nanos profiler = device.lost(GapCause::kProfilerOverhead);
  if (profiler > 0 && device.verdict.of < report_.use.wall)
    line(fmt::format("The profiler itself kept {} idle for {} ({} of the window): the verdict leaves that out.",
                     gpu_name(device), f_.duration(profiler), of_window(profiler)),
         ReportTone::kFact, places(device.longest[static_cast<std::size_t>(GapCause::kProfilerOverhead)]));
  for (std::size_t l = first; l < sections_.back().lines.size(); ++l) sections_.back().lines[l].about = device.device;
}

std::string ReportWriter::reason(const DeviceReport& device) const {
  const GpuVerdict& verdict = device.verdict;
  const std::string share = part(verdict.time, verdict.of);
  if (!verdict.cause && verdict.of <= 0) return "Nothing of what was measured took any time.";
  if (!verdict.cause) {
    switch (verdict.bound) {
      case Bound::kDependency:
        return fmt::format("For {} of the time it only runs kernels that wait for an event or a semaphore.", share);
      case Bound::kCommunication:
        return fmt::format("Communication that no computation hides takes {} of the time.", share);
      case Bound::kCopies:
        return fmt::format("Copies and sets that no kernel hides take {} of the time.", share);
      default:
        return fmt::format("It computes for {} of the time.{}", share, only_waiting(device));
    }
  }
  // The causes that come next, so that nobody takes a part for the whole.
  std::string others;
  GapCause next = *verdict.cause;
  for (const GapCause cause : all_gap_causes())
    if (cause != *verdict.cause && (next == *verdict.cause || device.lost(cause) > device.lost(next))) next = cause;
  if (device.lost(next) * 10 >= device.idle)
    others = fmt::format(" Next: {}, {} ({}).", cause_name(next), f_.duration(device.lost(next)),
                         part(device.lost(next), device.idle));
  if (verdict.time == 0) return "It is idle, and the trace does not show why.";
  return fmt::format("Of {} idle time, {} ({}) has this cause: {}.{}{} {}", f_.duration(device.idle),
                     f_.duration(verdict.time), part(verdict.time, device.idle), cause_name(*verdict.cause), others,
                     only_waiting(device), cause_definition(*verdict.cause));
}

/// Kernels that wait take the GPU and do nothing.
std::string ReportWriter::only_waiting(const DeviceReport& device) const {
  const Nanos waiting = device.use.at(TimeKind::kWaiting);
  if (waiting == 0) return {};
  return fmt::format(" Kernels that only wait take {} of the time beside that, and count as waiting.",
                     of_window(waiting));
}

/// What the verdict rests on.
void ReportWriter::how_sure() {
  const Confidence& sure = report_.confidence;
  std::vector<std::string> parts;
  const auto least = std::ranges::min_element(report_.devices, {}, [](const DeviceReport& device) {
    return device.idle > 0 ? device.confidence.idle_explained : 1;
  });
  if (report_.most_idle()->idle > 0)
    parts.push_back(
        fmt::format(fmt::runtime(has_several_gpus() ? "of each one's idle time at least {} has a known cause"
                                                    : "{} of the idle time has a known cause"),
                    f_.percent(least->confidence.idle_explained)));
  if (sure.measured_steps > 0) parts.push_back(count_of(sure.measured_steps, "step") + " measured");
  if (report_.missing.launch_calls > 0)
    parts.push_back(fmt::format("{} of the launches have their work in the file", f_.percent(sure.launches_with_work)));
  parts.push_back(fmt::format("{} of the GPU work has its launch", f_.percent(sure.work_with_launch)));
  if (sure.in_order < 1)
    parts.push_back(fmt::format("{} of it starts before that launch, which is impossible (the clocks do not agree)",
                                f_.percent(1 - sure.in_order)));
  constexpr std::array<std::string_view, 3> kWords{"quite sure", "fairly sure", "not sure"};
  std::array<std::vector<std::string>, kWords.size()> of;  // the GPUs by level
  for (const DeviceReport& device : report_.devices)
    of[static_cast<std::size_t>(device.confidence.level)].push_back(gpu_name(device));
  const auto is_of_all = [&](const auto& gpus) { return gpus.size() == report_.devices.size(); };
  std::vector<std::string> levels;
  for (std::size_t level = kWords.size(); level-- > 0;)
    if (!of[level].empty())
      levels.push_back(is_of_all(of[level]) ? std::string(kWords[level])
                                            : fmt::format("{} of {}", kWords[level], fmt::join(of[level], ", ")));
  line(fmt::format("How sure: {}; {}.", fmt::join(levels, ", "), fmt::join(parts, ", ")),
       is_of_all(of[static_cast<std::size_t>(Confidence::Level::kHigh)]) ? ReportTone::kFact : ReportTone::kWarning);
}

std::vector<ReportPlace> ReportWriter::verdict_places(const DeviceReport& device) const {
  const bool communicates = device.verdict.bound == Bound::kCommunication && !device.verdict.cause;
  if (device.verdict.bound == Bound::kCompute || communicates)
    for (const ReportKernel& kernel : report_.kernels)
      if ((communicates ? kernel.kernel_class == KernelClass::kCommunication : kernel.computes()) &&
          trace_.track_of(kernel.longest).device == device.device)
        return places(kernel.longest);
  if (device.verdict.bound == Bound::kCopies && !report_.copies.empty()) return places(report_.copies.front().longest);
  if (!device.verdict.cause || device.lost(*device.verdict.cause) == 0) return {};
  return places(device.longest[static_cast<std::size_t>(*device.verdict.cause)]);
}

/// How far the GPU lags behind at the end of the steps.
void ReportWriter::behind() {
  std::vector<Nanos> lags;
  for (const StepReport& step : report_.by_step)
    if (!step.step.is_warm_up && step.step.launches > 0) lags.push_back(step.gpu_lag());
  if (lags.empty()) return;
  const Nanos lag = lower_median(lags);
  const auto shown = std::ranges::find_if(report_.by_step, [&](const StepReport& step) {
    return !step.step.is_warm_up && step.step.launches > 0 && step.gpu_lag() == lag;
  });
  line(lag == 0 ? std::string("The CPU does not run ahead: the GPU has done all work of a step when the step ends.")
                : fmt::format("When a step ends on the CPU, the GPU works on it for another {} in the median step: {}.",
                              f_.duration(lag),
                              report_.busiest()->lost(GapCause::kProfilerOverhead) > lag / 2
                                  ? "the profiler held the GPU back"
                                  : "the CPU runs ahead"),
       ReportTone::kFact,
       lag > 0 && shown != report_.by_step.end()
           ? std::vector<ReportPlace>{{{shown->step.span.end, shown->step.work.end}, {}}}
           : std::vector<ReportPlace>{});
}

/// What the replay says, before the advice; empty where it says nothing.
std::string ReportWriter::gain_of(const AdviceGiven& given) const {
  if (!given.gain) return {};
  const std::string_view holder = given.held_by_gpu ? "the GPU's own work takes as long"
                                                    : "the CPU takes as long for other things, one after the other";
  if (*given.gain <= 0) return fmt::format("Gains nothing alone, by a replay: {}. ", holder);
  const std::optional<GapCause>& cause = advice_rules()[given.rule].idle_for;
  if (const DeviceReport* device = report_.busiest();
      cause && device != nullptr && is_held_back(*device, *cause, given))
    return fmt::format("Gains no more than {} of {} ({}) alone, by a replay: {}. ", f_.duration(*given.gain),
                       f_.duration(given.replayed), part(*given.gain, given.replayed), holder);
  return fmt::format("Gains up to {} of {} ({}), by a replay. ", f_.duration(*given.gain), f_.duration(given.replayed),
                     part(*given.gain, given.replayed));
}

/// Where in the program it was, behind the advice; empty where stacks do not tell.
std::string ReportWriter::blame_of(const AdviceGiven& given) const {
  const auto words = [&](const SeenPlace& place) { return place_in_words(trace_, place, f_.percent); };
  std::string text;
  if (given.blamed) text = fmt::format(" Most of it in {}.", words(*given.blamed));
  if (given.meanwhile) text += fmt::format(" Meanwhile others were most in {}.", words(*given.meanwhile));
  if (const double cores = limits_of(report_).least_usable_cores();
      advice_rules()[given.rule].key == "tooManyThreads" && cores > 0)
    text += fmt::format(" {} of its threads wanted a CPU at {} of the time or more, and it has {:.3g}: set {:.0f}.",
                        f_.count(std::max(report_.program.active_count, report_.cpu.active_threads)),
                        f_.percent(kActiveShare), cores, std::max(1.0, std::floor(cores)));
  return text;
}

void ReportWriter::advice() {
  open("advice", "Advice");
  const AdviceFacts facts = advice_facts(trace_, report_);
  for (const AdviceGiven& given : report_.advice) {
    const AdviceRule& rule = advice_rules()[given.rule];
    const double value = facts.*rule.value;
    const std::string shown = rule.value == &AdviceFacts::step_spread   ? fmt::format("{:.2f} times", value)
                              : rule.value == &AdviceFacts::disk_faults ? fmt::format("{:.0f}", value)
                                                                        : f_.percent(value);
    line(fmt::format("{}{}{}", gain_of(given), rule.text, blame_of(given)), ReportTone::kAdvice, given.places);
    sections_.back().lines.back().cause = rule.idle_for;
    how_measured(fmt::format(" (Rule: {}; here {}.)", rule.threshold, shown));
  }
  if (report_.advice.empty()) line("No rule applies to what was recorded.");
}

}  // namespace lacuna

// Steps, where the time goes, and why the GPU waits.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/report/report_writer.h"
#include "model/steps/step_choices.h"

namespace lacuna {

void ReportWriter::steps() {
  if (report_.program.is_known) return;  // nothing in it could mark one
  ReportSection& section = open("steps", "Steps");
  const MeasuredSteps& s = report_.steps;
  if (!s.has_steps()) {
    line(!trace_.steps_from().empty() ? fmt::format("There are no numbers per step: {}.", without_asked_steps(trace_))
         : report_.missing.by_lacuna
             ? "No steps were seen (prof.step(), an optimizer's step(), ranges named by --step-range), so there are no "
               "numbers per step."
         : report_.missing.has_cpu
             ? "The trace has no steps, so there are no numbers per step: torch.profiler marks them where it has a "
               "schedule and prof.step() is called after each iteration."
             : "The trace has no steps, so there are no numbers per step.");
    return;
  }
  line(fmt::format("{}; median {}.", count_of(s.steps.size() - s.warm_up_count, "step"), f_.duration(s.median())));
  if (!report_.devices.empty())
    how_measured(" A step ends when its annotation has ended and the GPU has done what it launched.");
  const auto takes_most = [&](const MeasuredStep& step) { return step.length() > s.window.duration(); };
  for (const MeasuredStep& step : s.steps)
    if (step.is_warm_up)
      line(fmt::format("{} is left out as warm-up: {} is more than {} times the median of the steps after it ({}){}.",
                       trace_.text(step.name), f_.duration(step.length()), kWarmUpFactor, f_.duration(step.rest_median),
                       takes_most(step) ? ", and more than all that is measured" : ""),
           takes_most(step) ? ReportTone::kWarning : ReportTone::kFact, places(step.annotation));
  if (s.kept_warm_up > 0)
    line(fmt::format("The first {} longer than the others, as warm-up is, but {} more time than all others together: "
                     "nothing is left out.",
                     s.kept_warm_up == 1 ? "step takes" : fmt::format("{} steps take", s.kept_warm_up),
                     s.kept_warm_up == 1 ? "it takes" : "they take"),
         ReportTone::kWarning, places(s.steps.front().annotation));
  else if (s.warm_up_count == 0)
    line(s.steps.size() > kWarmUpRest
             ? fmt::format(
                   "No warm-up is left out: the first step is not longer than {} times the median of the others, "
                   "or the others differ as much.",
                   kWarmUpFactor)
             : fmt::format("Warm-up cannot be recognised with {}; {} are needed.", count_of(s.steps.size(), "step"),
                           kWarmUpRest + 1));
  for (const StringId stub : s.stubs)
    line(fmt::format("{} is left out: it holds no work, as what prof.stop() leaves behind.", trace_.text(stub)));
  const bool has_gpu = !report_.devices.empty();
  section.table.columns = {{"Step"}, {"Length", true}};
  if (has_gpu) {
    section.table.columns.push_back({"On the CPU", true});
    section.table.columns.push_back({"GPU busy", true});
  }
  for (const TimePart& kind : time_parts(report_)) section.table.columns.push_back({std::string(kind.name), true});
  if (has_gpu) {
    section.table.columns.push_back({"GPU lag", true});
    section.table.columns.push_back({"Launches", true});
  }
  for (std::size_t i = 0; i < report_.by_step.size(); ++i) {
    const StepReport& step = report_.by_step[i];
    std::vector<std::string> cells = {text(step.step.name) + (step.step.is_warm_up ? " (warm-up)" : ""),
                                      f_.duration(step.use.wall)};
    if (has_gpu) {
      cells.push_back(f_.duration(step.step.span.duration()));
      cells.push_back(f_.percent(step.use.busy_share()));
    }
    for (const TimePart& kind : time_parts(report_, i)) cells.push_back(part(kind.time, step.use.wall));
    if (has_gpu) {
      cells.push_back(f_.duration(step.gpu_lag()));
      cells.push_back(f_.count(step.step.launches));
    }
    row(std::move(cells), place(step.step.annotation));
  }
}

void ReportWriter::time() {
  ReportSection& section = open("time", "Where the time goes");
  section.table.columns = {{"What"}, {"Time", true}, {"Share", true}, {"Definition", false, true}};
  for (const TimePart& kind : time_parts(report_))
    row_always({std::string(kind.name), f_.duration(kind.time), of_window(kind.time), std::string(kind.definition)},
               {report_.window, {}});
  line({});
  how_measured("Each moment counts once, for the first of these that was going on; the rows add up to the wall time.");
}

void ReportWriter::waiting() {
  if (report_.devices.empty()) return;
  ReportSection& section = open("waiting", "Why the GPU waits");
  if (has_several_gpus()) section.table.columns.push_back({"GPU"});
  for (const ReportTable::Column& column : std::initializer_list<ReportTable::Column>{
           {"Operator"}, {"Idle GPU time", true}, {"Of the window", true}, {"Places", true}})
    section.table.columns.push_back(column);
  for (const DeviceReport& device : report_.devices) waiting(device);
  interruptions();

  // Of several GPUs: what lost the most first.
  std::vector<std::pair<const DeviceReport*, const ReportWait*>> waits;
  for (const DeviceReport& device : report_.devices)
    for (const ReportWait& wait : device.waits) waits.emplace_back(&device, &wait);
  sort_stably(waits, std::ranges::greater{}, [](const auto& w) { return w.second->lost; });
  for (const auto& [device, wait] : waits) {
    std::vector<std::string> cells = {wait->name == kEmptyString ? std::string("(nothing recorded)") : text(wait->name),
                                      f_.duration(wait->lost), of_window(wait->lost), f_.count(wait->places)};
    if (has_several_gpus()) cells.insert(cells.begin(), text(device->device));
    row(std::move(cells), wait->worst);
  }
}

void ReportWriter::waiting(const DeviceReport& device) {
  std::vector<std::size_t> causes;
  for (std::size_t c = 0; c < kGapCauseCount; ++c)
    if (device.by_cause[c] > 0) causes.push_back(c);
  sort_stably(causes, std::ranges::greater{}, [&](std::size_t c) { return device.by_cause[c]; });
  for (const std::size_t c : causes) {
    line(fmt::format("{}{}: {} ({} of the window) in {}, the longest {}.", gpu_mark(device),
                     cause_name(static_cast<GapCause>(c)), f_.duration(device.by_cause[c]),
                     of_window(device.by_cause[c]), count_of(device.gaps[c], "gap"),
                     f_.duration(device.longest[c].duration())),
         ReportTone::kFact, places(device.longest[c]));
    sections_.back().lines.back().cause = static_cast<GapCause>(c);
  }
  if (const CauseIndex::RankWaits& ranks = device.rank_waits; ranks.total > 0)
    line(fmt::format("{}Its collectives waited {} ({} of the window) for ranks that entered them later, {} of it with "
                     "nothing else to do; the longest wait was {} for rank {}.",
                     gpu_mark(device), f_.duration(ranks.total), of_window(ranks.total), f_.duration(ranks.exposed),
                     f_.duration(ranks.longest.span.duration()), ranks.longest.rank),
         ReportTone::kFact, {{ranks.longest.span, ranks.longest.collective}});
}

void ReportWriter::interruptions() {
  if (report_.profiler > 0)
    line(fmt::format("The profiler itself was at work for {} ({} of the window), on whatever thread.",
                     f_.duration(report_.profiler), of_window(report_.profiler)));
  if (report_.code_loading > 0)
    line(fmt::format("CUDA loaded code for {} ({} of the window): first calls of kernels.",
                     f_.duration(report_.code_loading), of_window(report_.code_loading)));
  if (report_.allocation_count > 0)
    line(fmt::format("{} of the driver to allocate, free or pin memory took {} ({} of the window).",
                     count_of(report_.allocation_count, "call"), f_.duration(report_.allocation_calls),
                     of_window(report_.allocation_calls)),
         ReportTone::kFact, places(report_.longest_allocation));
}

}  // namespace lacuna

// What is said of the phases of an inference server.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/report/report_writer.h"

namespace lacuna {
namespace {

/// What less of the idle time than this was for goes without saying.
constexpr double kWorthAWord = 0.05;

double mean_of(std::int64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

/// "unknown (60 %), scheduler (40 %)": most first.
std::string ReportWriter::idle_between(const PhaseTimes& phase) const {
  std::vector<ServerWork> works;
  for (std::size_t w = 0; w < kServerWorkCount; ++w)
    if (TimeUse::part(phase.idle_by[w], phase.idle_before) >= kWorthAWord) works.push_back(static_cast<ServerWork>(w));
  sort_stably(works, std::ranges::greater{}, [&](ServerWork work) { return phase.at(work); });
  std::string words;
  for (const ServerWork work : works)
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", server_work_name(work),
                         part(phase.at(work), phase.idle_before));
  return words;
}

void ReportWriter::phases() {
  const StepPhases& of = report_.phases;
  if (of.empty()) return;
  ReportSection& section = open("phases", "Phases of the server");
  for (const PhaseTimes& phase : of.phases) {
    std::string text = fmt::format(
        "{}: {}, median {}, {:.3g} requests{} in each on average. The CPU takes {} and the GPU's work {} (medians); "
        "the "
        "GPU was busy {} of the time.",
        step_phase_key(phase.phase), count_of(phase.steps, "step"), f_.duration(phase.median),
        mean_of(phase.requests, phase.steps),
        phase.tokens > 0 ? fmt::format(" and {:.6g} tokens", mean_of(phase.tokens, phase.steps)) : std::string(),
        f_.duration(phase.host_median), f_.duration(phase.gpu_span_median), part(phase.busy, phase.length));
    if (phase.graph_launches > 0)
      text += fmt::format(" The CPU launched {} in {}.", count_of(phase.graph_launches, "graph"),
                          f_.duration(phase.graph_launch_time));
    line(std::move(text), ReportTone::kFact, places(phase.longest));
    if (phase.idle_before > 0)
      line(
          fmt::format("Before steps of {} the GPU was idle for {}, at most {} at a time. Meanwhile the CPU was in: {}.",
                      step_phase_key(phase.phase), f_.duration(phase.idle_before),
                      f_.duration(phase.longest_idle.duration()), idle_between(phase)),
          ReportTone::kFact, {{phase.longest_idle, phase.longest}});
  }
  if (const PhaseTimes* most = of.loses_most())
    line(fmt::format("Most is lost in {}: the GPU is idle for {} within and before its steps.",
                     step_phase_key(most->phase), f_.duration(most->lost())),
         ReportTone::kWarning, places(most->longest));
  if (const auto& steady = of.steady)
    line(fmt::format("Steady state: {} of {} steps, {}, with up to {} requests. Left out are {} of ramp up and {} of "
                     "drain, where fewer run.",
                     f_.count(steady->last - steady->first + 1),
                     f_.count(report_.steps.steps.size() - report_.steps.warm_up_count),
                     f_.duration(steady->window.duration()), steady->most, count_of(steady->ramp_up, "step"),
                     count_of(steady->drain, "step")),
         ReportTone::kAdvice, {{steady->window, {}}});
  section.table.columns = {{"Phase"},          {"Requests", true},   {"Steps", true},
                           {"Median", true},   {"On the CPU", true}, {"Graph launches", true},
                           {"GPU span", true}, {"GPU busy", true},   {"Idle before", true}};
  for (const PhaseTimes& batch : of.by_batch)
    row({std::string(step_phase_key(batch.phase)), f_.count(static_cast<std::uint64_t>(batch.batch_size.value_or(0))),
         f_.count(batch.steps), f_.duration(batch.median), f_.duration(batch.host_median),
         f_.duration(batch.graph_launch_time), f_.duration(batch.gpu_span_median), part(batch.busy, batch.length),
         f_.duration(batch.idle_before)},
        place(batch.longest));
}

}  // namespace lacuna

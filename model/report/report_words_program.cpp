// What a program did of which only thread states and sampled stacks are known.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/report/report_writer.h"

namespace lacuna {
namespace {

constexpr std::size_t kNamedFunctions = 3;

}  // namespace

void ReportWriter::verdict_of_program() {
  const ProgramReport& program = report_.program;
  line("No GPU activity, no operator and no range: what follows is what was seen of the threads from outside.");
  std::vector<TimePart> parts = time_parts(report_);
  sort_stably(parts, std::ranges::greater{}, &TimePart::time);
  std::string shares;
  for (const TimePart& kind : parts)
    if (kind.time > 0) shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", kind.name, of_window(kind.time));
  std::string whose = fmt::format("Process {}", text(trace_.process(program.process).pid));
  if (program.other_processes > 0) whose += fmt::format(" ({} beside it)", count_of(program.other_processes, "other"));
  line(fmt::format("Verdict: {}. {}, its thread that ran most: {}.", bound_name(report_.bound), whose, shares),
       report_.bound == Bound::kProgramRunning ? ReportTone::kGood : ReportTone::kWarning, {{report_.window, {}}});
  if (program.thread_count > 0)
    line(fmt::format("{} of the process ran for {} together: {:.2f} CPUs on average.",
                     count_of(program.thread_count, "thread"), f_.duration(program.all_running),
                     TimeUse::part(program.all_running, report_.use.wall)));
  if (program.longest_wait.valid())
    line(fmt::format("Its longest wait: {}, {}.", trace_.name(program.longest_wait),
                     f_.duration(trace_.span(program.longest_wait).duration())),
         ReportTone::kFact, places(program.longest_wait));
  std::string names;
  std::vector<ReportPlace> where;
  for (std::size_t i = 0; i < std::min(kNamedFunctions, program.functions.size()); ++i) {
    const SampledFunction& function = program.functions[i];
    if (function.self == 0) break;
    names +=
        fmt::format("{}{} ~{}", names.empty() ? "" : ", ", text(function.name), part(function.self, program.sampled));
    where.push_back(place(function.longest));
  }
  if (!names.empty())
    line(fmt::format("Where its stacks were, by sampling: {} (of {} sampled).", names, f_.duration(program.sampled)),
         ReportTone::kFact, std::move(where));
}

void ReportWriter::sampled() {
  const ProgramReport& program = report_.program;
  if (program.functions.empty()) return;
  ReportSection& section = open("sampled", "Where its stacks were");
  line("Samples of the stacks of all its threads, waiting ones as well; every number is an estimate.");
  section.table.columns = {{"Function"}, {"Self", true}, {"Share", true}, {"Total", true}, {"Places", true}};
  for (const SampledFunction& function : program.functions)
    row({text(function.name), "~" + f_.duration(function.self), "~" + part(function.self, program.sampled),
         "~" + f_.duration(function.total), f_.count(function.places)},
        place(function.longest));
}

}  // namespace lacuna

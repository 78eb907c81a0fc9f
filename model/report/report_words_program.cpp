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
  line("No GPU activity, no operator and no range: what follows describes the threads as seen from outside.");
  std::vector<TimePart> parts = time_parts(report_);
  sort_stably(parts, std::ranges::greater{}, &TimePart::time);
  std::string shares;
  for (const TimePart& kind : parts)
    if (kind.time > 0) shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", kind.name, of_window(kind.time));
  std::string whose = fmt::format("Process {}", text(trace_.process(program.process).pid));
  if (program.other_processes > 0) whose += fmt::format(" ({} beside it)", count_of(program.other_processes, "other"));
  const std::string thread = program.leading_count > 1
                                 ? fmt::format("its {} in {}, the mean one", count_of(program.leading_count, "thread"),
                                               program.entry == kEmptyString ? "its entry" : text(program.entry))
                             : program.thread_count > 0 ? std::string("its leading thread")
                                                        : std::string("its thread that was sampled most");
  line(fmt::format("Verdict: {}. {}, {}: {}.", bound_name(report_.bound), whose, thread, shares),
       report_.bound == Bound::kProgramRunning ? ReportTone::kGood : ReportTone::kWarning, {{report_.window, {}}});
  if (program.thread_count > 0)
    line(fmt::format("{} of the process ran for {} together: {:.2f} CPUs on average.",
                     count_of(program.thread_count, "thread"), f_.duration(program.all_running),
                     TimeUse::part(program.all_running, report_.use.wall)));
  about_limits(program.limits);
  about_places();
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

/// Where the leading threads were, by what they did most.
void ReportWriter::about_places() {
  constexpr std::size_t kNamedKinds = 3;
  constexpr double kWorthALine = 0.05;
  std::vector<ProgramKind> kinds;
  for (std::size_t k = 0; k < kProgramKindCount; ++k)
    if (k != static_cast<std::size_t>(ProgramKind::kSampled) && !report_.program.places[k].empty())
      kinds.push_back(static_cast<ProgramKind>(k));
  sort_stably(kinds, std::ranges::greater{}, [&](ProgramKind kind) { return report_.program.at(kind); });
  for (std::size_t i = 0; i < std::min(kNamedKinds, kinds.size()); ++i) {
    const Nanos time = report_.program.at(kinds[i]);
    if (TimeUse::part(time, report_.use.wall) < kWorthALine) break;
    const std::vector<SeenPlace>& rows = report_.program.places_of(kinds[i]);
    std::string names;
    std::vector<ReportPlace> where;
    for (std::size_t r = 0; r < std::min(kNamedFunctions, rows.size()); ++r) {
      if (r > 0 && rows[r].share < kWorthALine) break;
      names += fmt::format("{}{}", r == 0 ? "" : ", ", place_in_words(trace_, rows[r], f_.percent));
      where.push_back({rows[r].longest, rows[r].slice});
    }
    line(fmt::format("Where it was while {} ({}), by sampling: {}.", program_kind_name(kinds[i]), of_window(time),
                     names),
         ReportTone::kFact, std::move(where));
  }
}

/// What the machine allowed the program, where that held it back.
void ReportWriter::about_limits(const MachineLimits& limits) {
  if (limits.quota_cores)
    line(fmt::format(
             "The CPU quota of its cgroup is {:.3g} CPUs: the program was held back for it in {} of its periods.",
             *limits.quota_cores, f_.percent(limits.throttled)),
         limits.throttled >= kThrottledEnough ? ReportTone::kWarning : ReportTone::kFact);
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

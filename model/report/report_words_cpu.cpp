// What bounds a program without a GPU: the verdict, its threads, and what is between its operators.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/report/report_writer.h"
#include "model/threads/thread_from_outside.h"

namespace lacuna {
namespace {

/// How many operators the verdict names.
constexpr std::size_t kNamed = 3;
/// What is left out of the verdict is said from this part of the window on.
constexpr double kWorthALine = 0.01;

/// "waiting: sleep": what the kernel said of it.
std::string state_in_words(std::string_view state) {
  constexpr std::string_view kFor = "waiting: ";
  return state.starts_with(kFor) ? fmt::format("in the state \"{}\"", state) : "in waits too short to find their cause";
}

ReportPlace as_place(TimeSpan span) {
  return {span, {}};
}

}  // namespace

void ReportWriter::verdict_of_cpu() {
  const CpuReport& cpu = report_.cpu;
  using enum CpuKind;
  if (report_.missing.launch_calls > 0)
    line(fmt::format("The file has {} but no GPU activity: what follows is about the CPU alone.",
                     count_of(report_.missing.launch_calls, "launch call")),
         ReportTone::kWarning);
  const Process& process = trace_.process(cpu.process);
  std::string whose = fmt::format("Process {}", text(process.pid));
  if (cpu.other_processes > 0)
    whose += fmt::format(" ({} of the file not counted)", cpu.other_processes == 1
                                                              ? std::string("one other process")
                                                              : f_.count(cpu.other_processes) + " other processes");
  std::vector<TimePart> parts = time_parts(report_);
  sort_stably(parts, std::ranges::greater{}, &TimePart::time);
  std::string shares;
  for (const TimePart& kind : parts)
    if (kind.time > 0 && kind.key != cpu_kind_key(kOutsideSteps))
      shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", kind.name, part(kind.time, cpu.use.judged()));
  line(fmt::format("Verdict: {}. {}: {}.", bound_name(report_.bound), whose, shares),
       report_.bound == Bound::kCpuOperators ? ReportTone::kGood : ReportTone::kWarning, {as_place(report_.window)});
  if (const Nanos outside = cpu.use.at(kOutsideSteps); TimeUse::part(outside, cpu.use.wall) >= kWorthALine)
    line(fmt::format(
        "{} ({} of the window) lie outside of the steps, between them or where a schedule left some out; the "
        "verdict and the rules are about the rest.",
        f_.duration(outside), of_window(outside)));
  about_operators();
  about_gaps();
  about_waits();
  about_limits(cpu.limits);
  if (report_.missing.has_stacks && cpu.use.at(kPython) > 0)
    line(
        "Python stacks were recorded, which slows Python down: without the profiler there is less time between "
        "operators than shown here.",
        ReportTone::kWarning);
}

void ReportWriter::about_operators() {
  const CpuReport& cpu = report_.cpu;
  if (cpu.own_time == 0) return;
  std::string names;
  std::vector<ReportPlace> where;
  for (std::size_t i = 0; i < std::min(kNamed, report_.operators.size()); ++i) {
    const ReportOperator& op = report_.operators[i];
    names +=
        fmt::format("{}{} {}", names.empty() ? "" : ", ", text(op.name), part(op.self_cpu, report_.operator_self_cpu));
    where.push_back(place(op.longest));
  }
  line(fmt::format(
           "Operators: {}; some thread was in one for {}, their own times add up to {}. Most of that: {}. Matrix "
           "products, convolutions and attention {}, copies {}; calls of less than {} of their own {}.",
           count_of(cpu.calls, "call"), f_.duration(cpu.operators_any), f_.duration(cpu.own_time), names,
           part(cpu.matrix, cpu.own_time), part(cpu.copies, cpu.own_time), f_.duration(kShortCallNs),
           part(cpu.short_calls, cpu.own_time)),
       ReportTone::kFact, std::move(where));
  line(fmt::format(
      "Threads with operators: {} of {} that the trace has of the process; two or more at once for {} of the "
      "time in which one was.{}",
      f_.count(cpu.threads.size()), f_.count(cpu.thread_count), part(cpu.operators_parallel, cpu.operators_any),
      cpu.has_states ? "" : " The threads inside of an operator (OpenMP, MKL) are not in the trace."));
}

void ReportWriter::about_gaps() {
  const CpuReport& cpu = report_.cpu;
  using enum CpuKind;
  if (cpu.calls == 0) return;
  if (cpu.short_gaps > 0)
    line(fmt::format("Between operators: {} of less than {}, the median {}; together, without waiting, {} ({} of the "
                     "window).",
                     count_of(cpu.short_gaps, "gap"), f_.duration(kLongGapNs), f_.duration(cpu.median_gap),
                     f_.duration(cpu.use.at(kPython)), of_window(cpu.use.at(kPython))),
         ReportTone::kFact, {as_place(cpu.longest_short_gap)});
  if (cpu.long_gaps > 0)
    line(fmt::format("{} of {} or more: {} without waiting ({} of the window), the longest {} with its waits. {}",
                     count_of(cpu.long_gaps, "gap"), f_.duration(kLongGapNs), f_.duration(cpu.use.at(kLongGaps)),
                     of_window(cpu.use.at(kLongGaps)), f_.duration(cpu.longest_long_gap.duration()),
                     what_long_gaps_were()),
         ReportTone::kFact, {as_place(cpu.longest_long_gap)});
}

/// A sentence on whether the thread ran in the long gaps, and where it was.
std::string ReportWriter::what_long_gaps_were() {
  const CpuReport& cpu = report_.cpu;
  const bool has_stacks = report_.missing.has_stacks || cpu.has_stacks;
  if (!cpu.has_states)
    return has_stacks ? "The trace does not say whether the thread ran in them."
                      : "The trace does not say what happened in them.";
  const Nanos gaps = cpu.use.at(CpuKind::kLongGaps);
  std::string text =
      fmt::format("In these {} the thread ran for {}, and others had the CPUs for {}.", f_.duration(gaps),
                  f_.duration(saturating_sub(gaps, cpu.preempted_in_gaps)), f_.duration(cpu.preempted_in_gaps));
  // The two with the most time: the first is often what happens once, such as imports.
  constexpr double kWorthAWord = 1.0 / 15;  // this part of the first, or more
  const std::vector<SeenPlace>& places = cpu.gap_places;
  if (places.empty()) return text;
  text += fmt::format(" Between operators it was most in {}", place_in_words(trace_, places[0], f_.percent));
  if (places.size() > 1 && places[1].share >= places[0].share * kWorthAWord)
    text += fmt::format(" and {}", place_in_words(trace_, places[1], f_.percent));
  text += ", by sampling.";
  return text;
}

/// Who loads the data that the process waits for, and where the loading is.
std::string ReportWriter::how_it_loads() {
  const CpuReport& cpu = report_.cpu;
  const bool by_workers = cpu.data_from_workers * 2 >= cpu.use.at(CpuKind::kDataLoading);
  const std::vector<SeenPlace>& where = by_workers ? cpu.workers : cpu.loading;
  std::string text =
      by_workers ? "worker processes load it" : "it is loaded in this process, which does nothing else meanwhile";
  if (!where.empty())
    text += fmt::format("; {} most in {}, by sampling", by_workers ? "they were" : "it was",
                        place_in_words(trace_, where.front(), f_.percent));
  return text;
}

void ReportWriter::about_waits() {
  const CpuReport& cpu = report_.cpu;
  using enum CpuKind;
  const Nanos data = cpu.use.at(kDataLoading);
  if (data > 0)
    line(fmt::format("Waiting for data: {} ({} of the window), {}; {}.", f_.duration(data), of_window(data),
                     count_of(cpu.data_waits, "time"), how_it_loads()),
         ReportTone::kFact, places(cpu.longest_data));
  if (cpu.use.at(kCollectives) > 0)
    line(fmt::format("Collectives that no operator hides: {} ({} of the window). They last until all ranks enter.",
                     f_.duration(cpu.use.at(kCollectives)), of_window(cpu.use.at(kCollectives))),
         ReportTone::kFact, places(cpu.longest_collective));
  const auto wait = std::ranges::find_if(cpu.frames, &CpuFrame::waits);
  if (const std::vector<SeenPlace>& where = cpu.waiting_places; cpu.most_waited_time > 0)
    line(fmt::format("Waiting for locks, I/O or time: {} ({} of the window), {} of it {}{}.",
                     f_.duration(cpu.use.at(kWaiting)), of_window(cpu.use.at(kWaiting)),
                     f_.duration(cpu.most_waited_time), state_in_words(trace_.text(cpu.most_waited)),
                     where.empty()
                         ? ""
                         : fmt::format("; most in {}, by sampling", place_in_words(trace_, where.front(), f_.percent))),
         ReportTone::kFact,
         where.empty() ? std::vector<ReportPlace>{}
                       : std::vector<ReportPlace>{{where.front().longest, where.front().slice}});
  else if (wait != cpu.frames.end())
    line(fmt::format("Waiting for locks, I/O or time: {} ({} of the window), {} of it in {} of {}.",
                     f_.duration(cpu.use.at(kWaiting)), of_window(cpu.use.at(kWaiting)), f_.duration(wait->time),
                     wait->call, wait->name == kEmptyString ? std::string("no frame") : text(wait->name)),
         ReportTone::kFact, {{wait->longest, wait->slice}});
}

void ReportWriter::threads() {
  if (report_.cpu.threads.size() < 2) return;
  ReportSection& section = open("threads", "Threads with operators");
  section.table.columns = {{"Thread"}, {"In operators", true}, {"Of the window", true}};
  for (const CpuThread& thread : report_.cpu.threads) {
    const Track& track = trace_.track(thread.track);
    row({text(track.name), f_.duration(thread.in_operators), of_window(thread.in_operators)},
        as_place(track.span.intersect(report_.window)));
  }
}

void ReportWriter::between() {
  const CpuReport& cpu = report_.cpu;
  if (cpu.frames.empty()) return;
  const bool has_operators = cpu.calls > 0;
  ReportSection& section = open("between", has_operators ? "Between operators" : "Ranges and frames");
  line(fmt::format("Time of \"{}\" {}, charged to the innermost Python frame or named range around it.",
                   text(trace_.track(cpu.thread).name),
                   has_operators ? "outside of operators, data loading and collectives" : "in the window"));
  const bool any_waits = std::ranges::any_of(cpu.frames, [](const CpuFrame& f) { return !f.call.empty(); });
  const bool any_sampled = std::ranges::any_of(cpu.frames, &CpuFrame::is_sampled);
  if (any_sampled) line("Where no event covers the time, stack samples are used: such times (~) are estimates.");
  section.table.columns = {{"Frame or range"}, {"Own time", true}, {"Of the window", true}, {"Places", true}};
  if (any_waits) section.table.columns.push_back({any_sampled ? "In" : "Waits in"});
  for (const CpuFrame& frame : cpu.frames) {
    std::vector<std::string> cells = {frame.name == kEmptyString ? std::string("(nothing recorded)") : text(frame.name),
                                      (frame.is_sampled ? "~" : "") + f_.duration(frame.time), of_window(frame.time),
                                      f_.count(frame.places)};
    if (any_waits) cells.push_back(frame.call);
    row(std::move(cells), {frame.longest, frame.slice});
  }
}

}  // namespace lacuna

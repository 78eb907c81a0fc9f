#include "app/cli/report.h"

#include <cstring>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/report_format.h"
#include "model/report/report_check.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::string place_text(const Trace& trace, const ReportPlace& place) {
  return fmt::format("{} + {}", format_duration(saturating_sub(place.span.begin, trace.span().begin)),
                     format_duration(place.span.duration()));
}

void print_report_table(const ReportTable& data, std::size_t width, Output& out) {
  if (data.rows.empty()) return;
  std::vector<Table::Column> columns;
  for (const auto& [title, is_number, is_definition] : data.columns) {
    const int drop_order = columns.size() < 4 ? 0 : static_cast<int>(columns.size());
    columns.push_back({{title, {}, drop_order}, is_number, !is_number});
  }
  const auto hidden = print_table(table_of_texts(std::move(columns), data.rows), width, out, 2);
  if (data.rows.size() < data.row_count)
    out.write(fmt::format("  {} of {} rows; all: --rows 0\n", data.rows.size(), format_count(data.row_count)));
  if (!hidden.empty()) out.write(fmt::format("  Not enough room for: {}\n", fmt::join(hidden, ", ")));
}

void print_report_text(const Trace& trace, const std::vector<Report>& reports, const ReportCommand& command,
                       Output& out) {
  for (const Report& report : reports) {
    if (!out.ok()) return;
    out.write(fmt::format("Report on {}\n", printable(trace.sources()[report.source.value].title())));
    for (const ReportSection& section : describe_report(trace, report, kReportFormat, command.rows)) {
      out.write(fmt::format("\n{}\n", section.title));
      for (const ReportLine& line : section.lines) {
        std::string text = printable(line.text);
        if (!line.places.empty()) text += fmt::format(" [{}]", place_text(trace, line.places[0]));
        const bool stands_out = line.tone == ReportTone::kWarning || line.tone == ReportTone::kAdvice;
        write_wrapped(stands_out ? "  ! " : "  - ", text, command.width, out);
      }
      print_report_table(section.table, command.width, out);
    }
    out.write("\n");
  }
  if (reports.empty()) out.write("no slices in this trace\n");
}

Result<void> check_reports(const Trace& trace, const std::vector<Report>& reports, Output& out) {
  std::vector<std::string> found;
  for (const Report& report : reports)
    for (const std::string& contradiction : check_report(trace, report, kReportFormat))
      found.push_back(
          fmt::format("{}: {}", printable(trace.sources()[report.source.value].title()), printable(contradiction)));
  if (!found.empty())
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the report contradicts itself, which is a fault of Lacuna: {}", fmt::join(found, "; ")));
  out.write("nothing in the report contradicts itself\n");
  return {};
}

}  // namespace

void ReportCommand::add_to(CLI::App& report) {
  CLI::Option* as_html = report.add_flag("--html", html, "Write one HTML page with pictures, without scripts");
  CLI::Option* as_json = report.add_flag("--json", json, "Write JSON")->excludes(as_html);
  CLI::Option* into =
      report.add_option("-o,--output", output, "File to write (default: standard output)")->type_name("FILE");
  CLI::Option* as_brief =
      report.add_flag("--brief", brief, "The answer, what to change and where to look alone")->excludes(as_html);
  report.add_flag("--markdown", markdown, "With --brief: as Markdown")->needs(as_brief)->excludes(as_json);
  report.add_option("--tokens", tokens, "With --brief: at most about N tokens of a language model, 4 characters each")
      ->needs(as_brief)
      ->check(CLI::Range(50, 1'000'000))
      ->type_name("N");
  report.add_option("--rows", rows, "Rows of each table in text and HTML; 0 = all (default: 10)")
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
  report
      .add_flag("--check", check, "Say only what in the report contradicts itself, a fault of Lacuna's; exit 1 if so")
      ->excludes(as_html)
      ->excludes(as_json)
      ->excludes(into);
  report.add_flag("--with-warm-up", with_warm_up, "Measure leading warm-up steps, too");
}

Result<void> print_reports(const Trace& trace, const ReportCommand& command, Output& out) {
  ReportOptions options;
  options.leave_out_warm_up = !command.with_warm_up;
  const std::vector<Report> reports = compute_reports(trace, options);
  if (command.check) return check_reports(trace, reports, out);
  const auto write = [&](Output& to) {
    if (command.brief) {
      write_report_brief(trace, reports, command, to);
    } else if (command.json) {
      write_report_json(trace, reports, to);
    } else if (command.html) {
      write_report_html(trace, reports, command.rows, to);
    } else {
      print_report_text(trace, reports, command, to);
    }
  };
  if (command.output.empty()) {
    write(out);
    return {};
  }
  std::vector<std::string> inputs;
  for (const TraceSource& source : trace.sources()) inputs.push_back(source.path);
  return write_answer(command.output, inputs, write);
}

constexpr const char* kReportHelp =
    R"help(Answers about each file, in words and numbers; times in [brackets] are start (since the trace's first
event) and length of the place that shows it.
  measured  ProfilerSteps from the first that is no warm-up to the end of the last one, all GPU work that they
            launched included; without steps from the first to the last operator, annotation, runtime call or
            GPU activity. A step that begins while the GPU still works on the one before it counts from when that
            is done. A leading step is warm-up while it takes more than 1.5 times the median of the steps after
            it and differs from these more than they do, and less time than all of them together.
  busy      union of kernels, copies and sets of one GPU; idle = wall - busy
  time      each moment counts for the first of: kernel, memcpy, memset, communication, waiting kernel,
            runtime, data loading, CPU operators, other; the rows add up to the wall time
  verdict   of each GPU. Busy 85 % or more: what it does most; else the cause that most of its idle time has
            (lacuna gaps --help), what it idled before its first and after its last activity included. What the
            profiler itself took is left out of it.
  no GPU    time and verdict are of the process with the steps (else with the most time in operators): the
            first of waiting for data, operators, collectives, waiting (locks, I/O, time: as Python stacks
            say), Python (gaps between operators of less than 1 ms), long gaps; without operators: ranges,
            unrecorded. The verdict is what takes half of the time or more
  program   without any of that, from thread states and sampled stacks: what the leading threads did (of those
            that live for half of the time the one that ran most, with those of its entry function; where it only polls
            or waits, those that work), where they were meanwhile, and where others were while they waited for these
  advice    only where a rule fires; each names its threshold and, by samples of stacks, the line to blame. With a GPU
            the steps are replayed without what it is about (lacuna what-if), and what would gain most comes first
JSON keys of --brief --json:
  briefs[]       one for each file
    file, answer, verdict (of the GPU of the answer), confidence (high, medium, low; null without a GPU),
    window (startNs, endNs)
    summary[]    sentences
    levers[]     rule, text, blamed (place in the program, or null), gainNs of replayedNs (null: no replay can tell)
    places[]     text, startNs, endNs, command (shows what is there), at most five
    leftOut      sentences, levers and places for which --tokens has no room
JSON keys of --json:
  reports[]      one for each file
    file, path, rank, gpu (name or null)
    window       startNs, endNs, wallNs, hasSteps, warmUpSteps
    verdict, verdictText   of the busiest GPU; without any of the process on the CPU (cpuOperators …)
    confidence   level (high, medium, low), idleExplained, launchesWithWork, workWithLaunch, inOrder (parts, 0 to 1),
                 measuredSteps, slowedBy[] (stacks, shapes, memory: what recording took CPU time for)
    time         by key: kernelNs, memcpyNs, memsetNs, communicationNs, waitingKernelNs, runtimeNs,
                 dataLoadingNs, cpuNs, otherNs (they add up to wallNs), gpuBusyNs, computeNs,
                 communicationKernelNs, overlapNs
    steps[]      name, warmUp, startNs, lengthNs, launches, gpuLagNs, and as in time, of that length
    phases       of an inference server, else null: byPhase[] and byBatch[] (phase, batchSize, steps, medianNs,
                 medianHostNs, medianGpuSpanNs, lengthNs, gpuBusyNs, graphLaunches, graphLaunchNs, requests, tokens,
                 idleBeforeNs from the GPU work before, idleBeforeBy: what the thread of the steps was at, by key
                 (schedulerNs, samplingNs, detokenisingNs, httpNs, requestsNs, otherProcessNs, stepBeforeNs,
                 stepItselfNs, unknownNs), idleInsideNs, longest), losesMost (a phase or null), steadyState
                 (startNs, endNs, steps, requests, rampUpSteps, drainSteps; null: nothing is to be left out)
    devices[]    device, verdict, verdictText, confidence (high, medium, low), idleExplained (part, 0 to 1),
                 time (as above, with this GPU alone), activities, busyNs, idleNs,
                 causes[] (cause, lostNs, gaps, longestNs, longestStartNs),
                 rankWaits (totalNs, exposedNs, longest, longestForRank: in collectives for ranks that came later;
                 null without other ranks' traces),
                 waits[] (name, lostNs, places, worst: idle time charged to operators)
    kernelClasses[]       class, count, totalNs, share (of the durations of all kernels, copies and sets)
    kernels[], copies[]   name, category, count, totalNs, bytes, occupancyPercent, tensorCores (yes, no,
                 unclear or null), longestStartNs, longestNs
    operators[]  name, count, gpuTimeNs, selfCpuNs; operatorSelfCpuNs: the sum of all;
                 graphTimeNs: work of CUDA graphs, unattributedNs: where nothing tells what was captured
    cpu          null with a GPU; else pid, tid, otherProcesses, time and steps[] (dataLoadingNs, operatorsNs,
                 collectivesNs, waitingNs, outsideStepsNs, pythonNs, longGapsNs, rangesNs, unrecordedNs:
                 they add up to wallNs), operatorCalls, ownNs, matrixNs, copiesNs, shortCallsNs, shortCalls,
                 threadCount, threads[] (tid, operatorsNs), operatorsAnyNs, operatorsParallelNs (two threads or more),
                 dataFromWorkersNs, dataWaits, shortGaps, longGaps, medianGapNs, gilNs (part of waitingNs),
                 runningAllThreadsNs, preemptedAllThreadsNs, limits (as below), frames[] (name, waitsIn,
                 calls (what it called meanwhile, or null), sampled (an estimate), ownNs, places, longest)
    program      null unless nothing but thread states and sampled stacks is known; else pid, tid, otherProcesses,
                 threadCount, leadingThreads, time (of the leading thread, or of the mean one of several, stretched
                 to the window: runningNs, preemptedNs, lockNs, gilNs, filesNs, networkNs, pollNs,
                 sleepNs, childNs, deviceNs, waitingNs, sampledNs, notSeenNs: they add up to wallNs),
                 places (by key of time without Ns: [] of path, timeNs, share, longest: where they were then),
                 limits (cores, quotaCores, throttledShare of the quota's periods, pageFaultsPerSecond,
                 diskFaultsPerSecond), runningAllThreadsNs, preemptedAllThreadsNs, sampledNs, functions[] (name, selfNs,
                 totalNs, places,
                 longest: estimates from samples)
    kernel       count, totalNs, tensorCoreNs, plainMatrixNs, unclearMatrixNs, occupancyPercent,
                 occupancyKnownShare, smShare, smallGridNs, medianNs
    launch       launches, graphs, short, medianCallNs, medianGpuNs, medianDelayNs, medianPeriodNs
    memory[]     device ("cpu", "gpu:0"), peakBytes, peakTimeNs, peakOperator, peakReservedBytes,
                 allocations, outOfMemory, isAbsolute
    hardware[]   gpu, atWorkNs, usualMhz, meanMhz, heldBack[] (reason, ns), clockFalls[] (startNs, endNs, lowestMhz,
                 reason), clockFallCount: what the GPUs' counters say; empty where the file has none
    interruptions  allocationNs, allocationCalls (of the driver), codeLoadingNs, profilerNs
    missing      what the file does not say: launchCalls, launchesWithoutWork, launchesAfterLastActivity,
                 copiesWithoutWork, activities, unlinked, unlinkedAtStart (counts); gpu, cpu, steps, shapes, stacks,
                 memory, occupancy (true: not in the file); arguments: why args could not be read, or null
    advice[]     rule, threshold, source, text, places[] (startNs, endNs, name), blamed and meanwhile (where the program
                 was, and where others were then: path, timeNs, share, longest; or null), gainNs of replayedNs by a
                 replay
                 with changes[] (as lacuna what-if takes them; null and none where none can tell), the most first
    sections[]   key, title, lines[] (text, tone, places[]): the report in words)help";

Command report_command(CommandContext& context) {
  return trace_command(context, "report", "What limits the speed, why, and what to do about it", kReportHelp,
                       print_reports);
}

}  // namespace lacuna

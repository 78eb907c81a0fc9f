// What bounds a program of which only thread states and sampled stacks are known.
#include <set>

#include <doctest/doctest.h>

#include "model/report/advice.h"
#include "model/report/report_words.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kMilli = 1'000'000;
constexpr ReportFormat kProgramFormat{format_duration, format_count, format_percent, format_bytes};

std::set<std::string_view> advice_for(const Report& report) {
  std::set<std::string_view> keys;
  for (const AdviceGiven& given : report.advice) keys.insert(advice_rules()[given.rule].key);
  return keys;
}

std::string all_words(const Trace& trace, const Report& report) {
  std::string all;
  for (const ReportSection& section : describe_report(trace, report, kProgramFormat)) {
    all += std::string(section.title) + "\n";
    for (const ReportLine& line : section.lines) all += line.text + "\n";
    for (const auto& row : section.table.rows)
      for (const std::string& cell : row) all += cell + "\n";
  }
  return all;
}

TEST_CASE("a plain program is judged by its thread states and its sampled stacks") {
  TraceMaker make;
  make.state("running", 0, 70 * kMilli, "7")
      .state("waiting: read", 70 * kMilli, 90 * kMilli, "7")
      .state("preempted", 90 * kMilli, 100 * kMilli, "7")
      .state("waiting: lock", 0, 60 * kMilli, "8")
      .state("running", 60 * kMilli, 80 * kMilli, "8")
      .sample("main", 0, 90 * kMilli, "7")
      .sample("compress", 10 * kMilli, 60 * kMilli, "7")
      .sample("main", 20 * kMilli, 30 * kMilli, "7");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.program.is_known);
  const ProgramReport& program = report.program;
  CHECK(report.window == TimeSpan{0, 100 * kMilli});
  CHECK(report.bound == Bound::kProgramRunning);
  CHECK(program.at(ProgramKind::kRunning) == 70 * kMilli);
  CHECK(program.at(ProgramKind::kFiles) == 20 * kMilli);
  CHECK(program.at(ProgramKind::kPreempted) == 10 * kMilli);
  CHECK(program.at(ProgramKind::kNotSeen) == 0);
  CHECK(program.all_running == 90 * kMilli);
  CHECK(program.thread_count == 2);
  CHECK(trace.name(program.longest_wait) == "waiting: read");
  REQUIRE(program.functions.size() == 2);
  CHECK(trace.text(program.functions[0].name) == "main");
  CHECK(program.functions[0].self == 50 * kMilli);   // 90 - 50 around compress, and 10 inside it
  CHECK(program.functions[0].total == 90 * kMilli);  // the inner one is inside of it
  CHECK(program.functions[1].self == 40 * kMilli);
  CHECK(program.sampled == 90 * kMilli);
  CHECK(advice_for(report) == std::set<std::string_view>{"programRunning", "programPreempted", "programInput"});
  const std::string words = all_words(trace, report);
  CHECK(words.find("Verdict: bound by its own computing on the CPU") != std::string::npos);
  CHECK(words.find("running 70.0 %, waiting for files 20.0 %, waiting for a CPU 10.0 %") != std::string::npos);
  CHECK(words.find("0.90 CPUs on average") != std::string::npos);
  CHECK(words.find("main ~55.6 %, compress ~44.4 %") != std::string::npos);
  CHECK(words.find("memcpy") == std::string::npos);  // no rows of a GPU's zeros
  Nanos sum = 0;
  for (const TimePart& part : time_parts(report)) sum += part.time;
  CHECK(sum == report.use.wall);
}

TEST_CASE("what a plain program waits for is the verdict when it waits") {
  TraceMaker make;
  make.state("running", 0, 10 * kMilli, "7").state("waiting: lock", 10 * kMilli, 100 * kMilli, "7");
  const Trace waits = make.build();
  const Report report = compute_report(waits, SourceId{0});
  CHECK(report.bound == Bound::kCpuWaiting);
  CHECK(advice_for(report) == std::set<std::string_view>{"programLocks"});

  TraceMaker crowded;
  crowded.state("preempted", 0, 60 * kMilli, "7").state("running", 60 * kMilli, 100 * kMilli, "7");
  const Trace busy = crowded.build();
  CHECK(compute_report(busy, SourceId{0}).bound == Bound::kProgramPreempted);

  TraceMaker sampled;
  sampled.sample("main", 0, 10 * kMilli, "7");
  const Trace stacks = sampled.build();
  const Report of_stacks = compute_report(stacks, SourceId{0});
  CHECK(of_stacks.bound == Bound::kProgramSampled);
  CHECK(of_stacks.program.at(ProgramKind::kSampled) == 10 * kMilli);
  const std::string words = all_words(stacks, of_stacks);
  CHECK(words.find("main ~100") != std::string::npos);
  CHECK(words.find("Verdict: not known, as its stacks were sampled, not whether it ran or waited.") !=
        std::string::npos);
  CHECK(words.find("in sampled stacks 100 %") != std::string::npos);
}

TEST_CASE("a plain program is reported without the processes of other files") {
  TraceMaker make;
  make.state("running", 0, 60 * kMilli, "7").state("waiting: read", 60 * kMilli, 100 * kMilli, "7");
  make.next_file().state("running", 0, 100 * kMilli, "9");
  const Trace trace = make.build();
  const ProgramReport program = compute_report(trace, SourceId{0}).program;
  REQUIRE(program.is_known);
  CHECK(program.other_processes == 0);
  CHECK(program.at(ProgramKind::kRunning) == 60 * kMilli);
  CHECK(compute_report(trace, SourceId{1}).program.at(ProgramKind::kRunning) == 100 * kMilli);
}

TEST_CASE("ranges say more than states do") {
  TraceMaker make;
  make.state("running", 0, 100 * kMilli, "7").thread("load", 0, 50 * kMilli, "user_annotation", "7");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK_FALSE(report.program.is_known);
  CHECK(report.cpu.is_known);
}

}  // namespace
}  // namespace lacuna

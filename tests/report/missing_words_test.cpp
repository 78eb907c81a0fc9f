// What a report says of what its file does not: each thing alone.

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/report/report_words.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

MissingReport nothing_missing() {
  MissingReport missing;
  missing.has_gpu = missing.has_cpu = missing.has_shapes = missing.has_stacks = missing.has_memory = true;
  missing.has_steps = missing.has_occupancy = true;
  return missing;
}

/// The first words of each line, to the colon.
std::string lines_of(const MissingReport& missing) {
  TraceMaker make;
  const Trace trace = make.thread("aten::mm", 0, 100).kernel("k", 0, 50).build();
  Report report;
  report.missing = missing;
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  std::string text;
  for (const ReportSection& section : describe_report(trace, report, format))
    if (section.key == "missing")
      for (const ReportLine& line : section.lines) text += line.text.substr(0, line.text.find(':')) + ";";
  return text;
}

}  // namespace

TEST_CASE("each thing that a file lacks is said, and nothing else") {
  CHECK(lines_of(nothing_missing()) == "Nothing that this report would use is missing.;");
  struct Case {
    void (*change)(MissingReport&);
    const char* lines;
  };
  for (const Case& one : {
           Case{[](MissingReport& m) { m.has_shapes = false; }, "Shapes of inputs, and so FLOPs;"},
           Case{[](MissingReport& m) { m.has_stacks = false; }, "Python stacks;"},
           Case{[](MissingReport& m) { m.has_memory = false; }, "Memory;"},
           Case{[](MissingReport& m) { m.has_steps = false; }, "Steps;"},
           Case{[](MissingReport& m) { m.has_occupancy = false; }, "Occupancy;"},
           Case{[](MissingReport& m) { m.has_gpu = false; }, "GPU activity;"},
           Case{[](MissingReport& m) { m.has_cpu = false; }, "CPU operators;"},
           Case{[](MissingReport& m) { m.has_stacks = false, m.has_samples = true; },
                "Nothing that this report would use is missing.;"},
           Case{[](MissingReport& m) { m.has_gpu = m.has_occupancy = false; }, "GPU activity;"},
           Case{[](MissingReport& m) { m.has_cpu = m.has_shapes = m.has_stacks = m.has_memory = false; },
                "CPU operators;"},
           Case{[](MissingReport& m) { m.has_cpu = m.has_steps = false; }, "CPU operators;Steps;"},
           Case{[](MissingReport& m) { m.copies_without_work = 2; },
                "2 copy and set calls have no activity in the file (copies of 0 bytes and between parts of host memory "
                "have none).;"},
           Case{[](MissingReport& m) { m.before_launch = 1; },
                "1 GPU activity starts before the call that launched it;"},
           Case{[](MissingReport& m) { m.before_launch = 2; },
                "2 GPU activities start, each before the call that launched it;"},
           Case{[](MissingReport& m) { m.without_times = 1; },
                "1 GPU activity without any length outside of the measured time is left out;"},
           Case{[](MissingReport& m) { m.without_times = 2; },
                "2 GPU activities without any length outside of the measured time are left out;"},
       }) {
    MissingReport missing = nothing_missing();
    one.change(missing);
    CHECK(lines_of(missing) == one.lines);
    missing.by_lacuna = true;
    CHECK(lines_of(missing) == one.lines);
  }
}

TEST_CASE("what the profiler was asked to record is missing unless the file says it was") {
  const auto missing = [](const char* metadata) {
    Result<Trace> trace = import_json(fmt::format(
        R"({{{}"traceEvents":[{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":9}}]}})",
        metadata));
    REQUIRE(trace.has_value());
    return compute_report(*trace, SourceId{0}).missing;
  };
  for (const char* yes : {"1", "true", "\"yes\""}) {
    CHECK(missing(fmt::format(R"("record_shapes":{},)", yes).c_str()).has_shapes);
    CHECK(missing(fmt::format(R"("profile_memory":{},)", yes).c_str()).has_memory);
  }
  for (const char* no : {R"("record_shapes":0,"profile_memory":0,)", R"("record_shapes":false,"profile_memory":false,)",
                         R"("with_stack":1,)", ""}) {
    CHECK_FALSE(missing(no).has_shapes);
    CHECK_FALSE(missing(no).has_memory);
  }
}

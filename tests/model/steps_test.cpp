#include "model/steps/steps.h"

#include <doctest/doctest.h>

#include "model/steps/measured_steps.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

Trace stepped_trace() {
  TraceMaker make;
  make.thread("ProfilerStep#12", 2'000, 3'000, "user_annotation")
      .thread("ProfilerStep#9", 0, 1'000, "user_annotation")
      .thread("ProfilerStep#10", 1'000, 2'000, "user_annotation")
      .thread("ProfilerStep#x", 4'000, 5'000, "user_annotation")
      .thread("work", 3'000, 9'000)
      .kernel("gemm", 1'500, 1'800)
      // Its projection on the stream is no step of the program.
      .gpu_annotation("ProfilerStep#10", 1'400, 8'000);
  return make.build();
}

TEST_CASE("steps are found by their number, on CPU threads only") {
  const std::vector<Step> steps = find_steps(stepped_trace());
  REQUIRE(steps.size() == 3);
  CHECK(steps[0] == Step{9, {0, 1'000}});
  CHECK(steps[1] == Step{10, {1'000, 2'000}});
  CHECK(steps[2] == Step{12, {2'000, 3'000}});
  CHECK(find_steps(Trace{}).empty());
}

TEST_CASE("a step of several files covers all of them") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 100, 200, "user_annotation");
  make.next_file().thread("ProfilerStep#1", 150, 260, "user_annotation");
  const std::vector<Step> steps = find_steps(make.build());
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].span == TimeSpan{100, 260});
}

TEST_CASE("ranges of steps as people type them") {
  const std::vector<Step> steps = find_steps(stepped_trace());
  CHECK(parse_step_range(steps, "10") == StepRange{1, 1});
  CHECK(parse_step_range(steps, " 9..10 ") == StepRange{0, 1});
  CHECK(parse_step_range(steps, "10 - 12") == StepRange{1, 2});
  CHECK(parse_step_range(steps, "12:9") == StepRange{0, 2});
  CHECK(parse_step_range(steps, "0..9") == StepRange{0, 0});
  CHECK(parse_step_range(steps, "9..0") == StepRange{0, 0});
  CHECK(parse_step_range(steps, "11..100") == StepRange{2, 2});
  for (const char* wrong : {"", "11", "x", "1..", "..4", "100..200", "-", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK(!parse_step_range(steps, wrong));
  }
  CHECK(!parse_step_range({}, "1"));
}

TEST_CASE("from steps to time and back") {
  const std::vector<Step> steps = find_steps(stepped_trace());
  CHECK(span_of(steps, {1, 2}) == TimeSpan{1'000, 3'000});
  CHECK(span_of(steps, {2, 1}) == TimeSpan{1'000, 3'000});
  CHECK(span_of(steps, {0, 99}) == TimeSpan{0, 3'000});
  CHECK(span_of({}, {0, 0}).empty());
  CHECK(steps_of(steps, {1'000, 3'000}) == StepRange{1, 2});
  CHECK(!steps_of(steps, {1'000, 2'999}));
  CHECK(!steps_of({}, {0, 1}));
}

TEST_CASE("the only step is measured, though it launched nothing") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000, "user_annotation").thread("aten::mm", 100, 900);
  CHECK(find_measured_steps(make.build(), SourceId{0}).steps.size() == 1);
}

}  // namespace
}  // namespace lacuna

#include "model/steps/steps.h"

#include <string>

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

TEST_CASE("steps of inference servers are numbered as they follow each other, the outermost alone") {
  TraceMaker make;
  make.thread("execute_context_1(9)_generation_0(0)", 0, 100, "user_annotation")
      .thread("step[EXTEND bs=1 toks=9]", 10, 90, "user_annotation")
      .thread("execute_context_0(0)_generation_1(1)", 200, 250, "user_annotation")
      .thread("iteration 1", 300, 310, "user_annotation");
  const Trace trace = make.build();
  const std::vector<StepMark> marks = find_step_marks(trace, SourceId{0});
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].from == StepsFrom::kEngine);
  CHECK(marks[0].number == 0);
  CHECK(marks[0].span == TimeSpan{0, 100});
  CHECK(marks[1].number == 1);
  CHECK(find_steps(trace).size() == 2);
}

TEST_CASE("ProfilerSteps come before all other steps") {
  TraceMaker make;
  for (Nanos t = 0; t < 500; t += 100)
    make.thread("execute_context_0(0)_generation_1(1)", t, t + 90, "user_annotation");
  make.thread("ProfilerStep#7", 0, 1'000, "user_annotation", "2");
  const std::vector<StepMark> marks = find_step_marks(make.build(), SourceId{0});
  REQUIRE(marks.size() == 1);
  CHECK(marks[0].number == 7);
}

TEST_CASE("three numbered annotations are steps, two are not") {
  for (const char* word : {"train ", "Iteration_", "step #", "batch: "})
    for (const int count : {2, 3}) {
      CAPTURE(word);
      TraceMaker make;
      for (int i = 0; i < count; ++i)
        make.thread(word + std::to_string(40 + i), i * 100, i * 100 + 90, "user_annotation")
            .thread("aten::step " + std::to_string(i), i * 100, i * 100 + 9);
      const std::vector<StepMark> marks = find_step_marks(make.build(), SourceId{0});
      CHECK(marks.size() == (count == 3 ? 3 : 0));
      if (marks.size() == 3) CHECK(marks[2].number == 2);
    }
  for (const char* word : {"layer ", "stepper ", "step", "train"}) {
    CAPTURE(word);
    TraceMaker make;
    for (int i = 0; i < 5; ++i) make.thread(word + std::to_string(i), i * 100, i * 100 + 90, "user_annotation");
    CHECK(find_step_marks(make.build(), SourceId{0}).empty());
  }
}

TEST_CASE("a pattern says what the steps are") {
  TraceMaker make;
  for (int i = 0; i < 3; ++i) {
    make.thread("ProfilerStep#" + std::to_string(i), i * 100, i * 100 + 90, "user_annotation");
    make.thread("epoch 1, part " + std::to_string(i), i * 100 + 10, i * 100 + 50, "user_annotation");
  }
  Trace trace = make.build();
  const auto begins = [&](const char* pattern) {
    trace.set_steps_from(pattern);
    std::vector<Nanos> result;
    for (const StepMark& mark : find_step_marks(trace, SourceId{0})) result.push_back(mark.span.begin);
    return result;
  };
  CHECK(begins("epoch *") == std::vector<Nanos>{10, 110, 210});
  CHECK(begins("*part 1") == std::vector<Nanos>{110});
  CHECK(begins("*p*ch*,*t*2*") == std::vector<Nanos>{210});
  CHECK(begins("epoch 1, part 0") == std::vector<Nanos>{10});
  CHECK(begins("epoch").empty());
  CHECK(begins("nothing*").empty());
  CHECK(begins("") == std::vector<Nanos>{0, 100, 200});
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

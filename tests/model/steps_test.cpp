#include "model/steps/steps.h"

#include <string>

#include <doctest/doctest.h>

#include "model/steps/measured_steps.h"
#include "model/steps/step_choices.h"
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

TEST_CASE("the key of a kind stands for it in the place of a pattern") {
  TraceMaker make;
  for (int i = 0; i < 2; ++i) {
    make.thread("ProfilerStep#" + std::to_string(i), i * 100, i * 100 + 90, "user_annotation");
    make.thread("step[DECODE bs=4]", i * 100 + 10, i * 100 + 50, "user_annotation");
  }
  Trace trace = make.build();
  trace.set_steps_from("engine annotation");
  REQUIRE(find_step_marks(trace, SourceId{0}).size() == 2);
  CHECK(find_step_marks(trace, SourceId{0})[0].span == TimeSpan{10, 50});
  trace.set_steps_from("ProfilerStep");
  CHECK(find_step_marks(trace, SourceId{0})[0].span == TimeSpan{0, 90});
}

TEST_CASE("what the steps could be told by: what is used comes first, then what covers most time") {
  TraceMaker make;
  for (int i = 0; i < 4; ++i) {
    const Nanos t = i * 100;
    make.thread("ProfilerStep#" + std::to_string(i), t, t + 90, "user_annotation")
        .thread("step[DECODE bs=4]", t + 1, t + 80, "user_annotation")
        .thread("short[" + std::to_string(i) + "]", t + 2, t + 20, "user_annotation")
        .thread("short[9]", t + 3, t + 10, "user_annotation")  // inside of one: none
        .thread("forward", t + 30, t + 70, "user_annotation")
        .thread("aten::mm", t + 31, t + 40);
  }
  make.thread("twice", 500, 510, "user_annotation").thread("twice", 520, 530, "user_annotation");
  Trace trace = make.build();
  const auto line = [&](const char* steps_from) {
    trace.set_steps_from(steps_from);
    return step_choices_line(find_step_choices(trace));
  };
  CHECK(line("") == "ProfilerStep#N (4); also engine annotations (4), 'forward' (4), 'short[*]' (4)");
  CHECK(line("engine annotation") == "engine annotations (4); also ProfilerStep#N (4), 'forward' (4), 'short[*]' (4)");
  CHECK(line("forw*") == "'forw*' (4); also ProfilerStep#N (4), engine annotations (4), 'forward' (4), 'short[*]' (4)");
  trace.set_steps_from("");
  const std::vector<StepChoice> choices = find_step_choices(trace);
  CHECK(choices[0].steps_from.empty());
  for (const StepChoice& choice : choices) {  // each is what it says
    trace.set_steps_from(choice.steps_from);
    CHECK(find_step_marks(trace, SourceId{0}).size() == choice.count);
    CHECK(find_step_choices(trace).front().name == choice.name);
  }
}

TEST_CASE("without steps, what repeats is offered") {
  TraceMaker make;
  for (int i = 0; i < 3; ++i) make.thread("work", i * 100, i * 100 + 90, "user_annotation");
  CHECK(step_choices_line(find_step_choices(make.build())) == "none; could be 'work' (3)");
  CHECK(find_step_choices(Trace{}).empty());
}

TEST_CASE("numbered annotations of one name are offered once") {
  TraceMaker make;
  for (int i = 0; i < 3; ++i) make.thread("train " + std::to_string(i), i * 100, i * 100 + 90, "user_annotation");
  CHECK(step_choices_line(find_step_choices(make.build())) == "numbered annotations (3)");
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

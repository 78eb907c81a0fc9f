#include "model/steps/measured_steps.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/job/rank_extract.h"
#include "model/report/report.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Steps of these lengths, one after the other.
Trace steps_of(const std::vector<Nanos>& lengths) {
  TraceMaker make;
  Nanos now = 100;
  int number = 3;
  for (const Nanos length : lengths) {
    make.thread("ProfilerStep#" + std::to_string(number++), now, now + length, "user_annotation");
    now += length;
  }
  return make.build();
}

MeasuredSteps measured(const Trace& trace) {
  return find_measured_steps(trace, SourceId{0});
}

}  // namespace

TEST_CASE("warm-up: leading steps that take more than 1.5 times the median of the rest") {
  CHECK(measured(steps_of({500, 160, 100, 100, 100, 100, 100, 100, 100})).warm_up_count == 2);
  CHECK(measured(steps_of({500, 150, 100, 100, 100, 100, 100, 100})).warm_up_count == 1);
  // A slow step in the middle or at the end is no warm-up.
  CHECK(measured(steps_of({100, 500, 100, 500})).warm_up_count == 0);
  // Two steps must be left.
  CHECK(measured(steps_of({280, 200, 190})).warm_up_count == 0);
  CHECK(measured(steps_of({390, 200, 200})).warm_up_count == 1);
  CHECK(measured(steps_of({500, 100})).warm_up_count == 0);
  // Where the others differ as much, a long one is chance.
  CHECK(measured(steps_of({300, 220, 100, 130, 120, 110})).warm_up_count == 0);
  CHECK(measured(steps_of({180, 100, 140, 100, 100})).warm_up_count == 1);
  CHECK(measured(steps_of({179, 100, 140, 100, 100})).warm_up_count == 0);

  const Trace trace = steps_of({500, 160, 100, 120, 100, 100, 100, 100, 100});
  const MeasuredSteps steps = measured(trace);
  CHECK(steps.window == TimeSpan{100 + 660, 100 + 660 + 720});
  CHECK(steps.median() == 100);
  CHECK(steps.steps[0].rest_median == 100);
  CHECK(steps.window_name(trace) == "ProfilerStep#5 to ProfilerStep#11 (7 steps)");
  CHECK(compute_report(trace, SourceId{0}, {.leave_out_warm_up = false}).window == TimeSpan{100, 1480});
}

TEST_CASE("many steps without GPU work are measured, however long the first one takes") {
  std::vector<Nanos> lengths(kSteadySteps + 1, 10);
  lengths.front() = 500;
  CHECK(measured(steps_of(lengths)).warm_up_count == 1);
  CHECK(measured(steps_of(lengths)).kept_warm_up == 0);
  lengths.pop_back();
  CHECK(measured(steps_of(lengths)).kept_warm_up == 1);
}

TEST_CASE("leading steps that take more time than all others are what the trace is about") {
  const MeasuredSteps steps = measured(steps_of({500, 100, 100, 100}));
  CHECK(steps.warm_up_count == 0);
  CHECK(steps.kept_warm_up == 1);
  CHECK(steps.window == TimeSpan{100, 900});
}

TEST_CASE("the stub that stop() leaves behind is no step") {
  const Trace trace = steps_of({900, 900, 20});
  const MeasuredSteps steps = measured(trace);
  CHECK(steps.steps.size() == 2);
  REQUIRE(steps.stubs.size() == 1);
  CHECK(trace.text(steps.stubs[0]) == "ProfilerStep#5");
  CHECK(steps.warm_up_count == 0);
  CHECK(steps.median() == 900);
  CHECK(measured(steps_of({900, 900, 90})).stubs.empty());  // a tenth
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000, "user_annotation").thread("ProfilerStep#2", 1'000, 1'050, "user_annotation");
  make.thread("aten::mm", 1'010, 1'040);
  CHECK(measured(make.build()).stubs.empty());  // a short one that works
  CHECK(measured(steps_of({900, 0, 900})).stubs.size() == 1);
}

TEST_CASE("a step owns what it launched, and is paced by the GPU where that lags behind") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "user_annotation").thread("ProfilerStep#2", 100, 200, "user_annotation");
  make.launch("cudaLaunchKernel", 10, 20, 1).launch("cudaLaunchKernel", 110, 120, 2);
  make.launch("cudaLaunchKernel", 210, 220, 3);  // of no step
  make.kernel("a", 50, 450, 1).kernel("b", 460, 900, 2).kernel("c", 1000, 2000, 3);
  const Trace trace = make.build();
  const MeasuredSteps steps = measured(trace);
  REQUIRE(steps.steps.size() == 2);
  CHECK(steps.steps[0].work == TimeSpan{50, 450});
  CHECK(steps.steps[0].paced == TimeSpan{0, 450});
  CHECK(steps.steps[1].paced == TimeSpan{450, 900});
  CHECK(steps.steps[1].launches == 1);
  CHECK(steps.window == TimeSpan{0, 900});
  // So are steps that somebody chose, by --steps or in the window, and a job's.
  CHECK(find_step_windows(trace) == std::vector<Step>{{1, {0, 450}}, {2, {450, 900}}});
  const auto ranks = extract_ranks(trace);
  REQUIRE(ranks);
  const std::vector<RankStep>& of_rank = ranks->front().steps;
  REQUIRE(of_rank.size() == 2);
  CHECK(TimeSpan{of_rank[0].start, of_rank[0].end} == TimeSpan{0, 450});
  CHECK(TimeSpan{of_rank[1].start, of_rank[1].end} == TimeSpan{450, 900});
  CHECK(of_rank[0].compute == 400);
  CHECK(of_rank[1].compute == 440);
}

TEST_CASE("what the profiler adds to a step does not make it warm-up") {
  const auto trace_of = [](bool profiles) {
    TraceMaker make;
    Nanos now = 0;
    for (int s = 0; s < 6; ++s) {
      const Nanos length = s == 0 ? 300 : 100;
      make.thread("ProfilerStep#" + std::to_string(s), now, now + length, "user_annotation");
      now += length;
    }
    if (profiles) make.thread("Activity Buffer Request", 50, 250, "overhead", "9");
    return make.build();
  };
  CHECK(measured(trace_of(false)).warm_up_count == 1);
  CHECK(measured(trace_of(true)).warm_up_count == 0);
}

TEST_CASE("what a program does beside operators and calls varies, and is no warm-up where all steps have much of it") {
  const auto trace_of = [](Nanos operators_of_first) {
    TraceMaker make;
    Nanos now = 0;
    for (int s = 0; s < 5; ++s) {
      const Nanos length = s == 0 ? 300 : 100 + s;
      make.thread("ProfilerStep#" + std::to_string(s), now, now + length, "user_annotation");
      make.thread("aten::mm", now + 10, now + 10 + (s == 0 ? operators_of_first : 30));
      now += length;
    }
    return make.build();
  };
  CHECK(measured(trace_of(30)).warm_up_count == 0);   // only Python took longer
  CHECK(measured(trace_of(100)).warm_up_count == 1);  // the operators took longer
}

TEST_CASE("window without steps: work only, no Python frames, no rows of the profiler, no records without times") {
  TraceMaker make;
  make.thread("train.py(1): main", 0, 900, "python_function");
  make.thread("aten::mm", 100, 200).kernel("gemm", 300, 400).kernel("never filled", 1, 1);
  make.thread("PyTorch Profiler (0)", 0, 1000, "Trace", "Spans");
  CHECK(measured(make.build()).window == TimeSpan{100, 400});
}

#include "model/steps/measured_steps.h"

#include <algorithm>
#include <random>
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

TEST_CASE("warm-up, stubs and the window of random steps, by their definitions") {
  std::mt19937 random(22);
  const auto middle = [](std::vector<Nanos> of) {
    std::ranges::sort(of);
    return of[(of.size() - 1) / 2];
  };
  const auto median = [](std::vector<Nanos> of) {
    std::ranges::sort(of);
    return (of[(of.size() - 1) / 2] + of[of.size() / 2]) / 2;
  };
  std::size_t with_warm_up = 0, with_stubs = 0, kept = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Nanos> lengths(1 + random() % 14);
    for (Nanos& length : lengths) length = 90 + static_cast<Nanos>(random() % 30);
    for (std::size_t s = 0; s < std::min<std::size_t>(lengths.size(), random() % 4); ++s)
      lengths[s] += static_cast<Nanos>(random() % 400) - (random() % 5 == 0 ? 90 : 0);
    if (random() % 3 == 0) lengths.back() = static_cast<Nanos>(random() % 20);
    const Trace trace = steps_of(lengths);
    const MeasuredSteps steps = measured(trace);

    std::vector<TimeSpan> spans;
    for (Nanos t = 100; const Nanos length : lengths) {
      spans.push_back({t, t + length});
      t += length;
    }
    std::size_t stubs = 0;
    if (lengths.size() > 1 && lengths.back() < middle({lengths.begin(), lengths.end() - 1}) / 10) {
      spans.pop_back();
      ++stubs;
    }
    for (std::size_t s = spans.size(); s-- > 0;)
      if (spans[s].empty() && spans.size() > 1) {
        spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(s));
        ++stubs;
      }
    std::size_t warm_up = 0;
    for (; warm_up + 2 < spans.size(); ++warm_up) {
      std::vector<Nanos> rest;
      for (std::size_t s = warm_up + 1; s < spans.size(); ++s) rest.push_back(spans[s].duration());
      const Nanos length = spans[warm_up].duration();
      const Nanos most = *std::ranges::max_element(rest), least = *std::ranges::min_element(rest);
      if (2 * length <= 3 * median(rest) || length - most < most - least) break;
    }
    Nanos before = 0, after = 0;
    for (std::size_t s = 0; s < spans.size(); ++s) (s < warm_up ? before : after) += spans[s].duration();
    const bool is_kept = before > after && spans.size() - warm_up < 10;
    kept += is_kept;
    with_stubs += stubs > 0;
    CAPTURE(round);
    CHECK(steps.kept_warm_up == (is_kept ? warm_up : 0));
    if (is_kept) warm_up = 0;
    with_warm_up += warm_up > 0;
    CHECK(steps.stubs.size() == stubs);
    REQUIRE(steps.steps.size() == spans.size());
    CHECK(steps.warm_up_count == warm_up);
    std::vector<Nanos> counted;
    for (std::size_t s = 0; s < spans.size(); ++s) {
      CHECK(steps.steps[s].span == spans[s]);
      CHECK(steps.steps[s].is_warm_up == (s < warm_up));
      if (s >= warm_up) counted.push_back(spans[s].duration());
    }
    CHECK(steps.median() == median(counted));
    CHECK(steps.window == TimeSpan{spans[warm_up].begin, spans.back().end});
    CHECK(find_measured_steps(trace, SourceId{0}, false).warm_up_count == 0);
  }
  CHECK(with_warm_up > 50);
  CHECK(with_stubs > 50);
  CHECK(kept > 5);
}

TEST_CASE("what random steps own and how they are paced, launch by launch") {
  std::mt19937 random(23);
  const auto roll = [&](int n) { return static_cast<Nanos>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    struct Launched {
      Nanos at;
      TimeSpan work;
    };
    TraceMaker make;
    std::vector<TimeSpan> spans;
    std::vector<Launched> all;
    Nanos t = 50, free = 0;
    for (int s = 0; s < 4; ++s) {
      t += roll(2) * roll(20);
      spans.push_back({t, t + 100 + roll(60)});
      make.thread("ProfilerStep#" + std::to_string(s), spans.back().begin, spans.back().end, "user_annotation");
      t = spans.back().end;
    }
    std::uint64_t correlation = 0;
    for (Nanos at = 40; at < t + 20; at += 5 + roll(60)) {
      const Nanos begin = std::max(free, at + 5 + roll(90));
      all.push_back({at, {begin, begin + 1 + roll(60)}});
      free = all.back().work.end;
      make.launch("cudaLaunchKernel", at, at + 4, ++correlation, "2");
      make.kernel("k", begin, free, correlation);
    }
    const Trace trace = make.build();
    const MeasuredSteps steps = find_measured_steps(trace, SourceId{0}, false);
    CAPTURE(round);
    REQUIRE(steps.steps.size() == spans.size());
    Nanos before = kMinNanos;
    for (std::size_t s = 0; s < spans.size(); ++s) {
      TimeSpan work = TimeSpan::nothing();
      std::uint64_t launches = 0;
      for (const Launched& launched : all) {
        if (!spans[s].contains(launched.at)) continue;
        work = work.unite(launched.work);
        ++launches;
      }
      const Nanos end = launches == 0 ? spans[s].end : std::max(spans[s].end, work.end);
      CHECK(steps.steps[s].launches == launches);
      CHECK(steps.steps[s].work == work);
      CHECK(steps.steps[s].paced == (before >= end ? spans[s] : TimeSpan{std::max(spans[s].begin, before), end}));
      before = std::max(before, end);
    }
    const std::vector<Step> windows = find_step_windows(trace);
    REQUIRE(windows.size() == spans.size());
    for (std::size_t s = 0; s < spans.size(); ++s) CHECK(windows[s].span == steps.steps[s].paced);
  }
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

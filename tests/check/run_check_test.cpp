#include "model/check/run_check.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Six steps of 10 us: an operator in a module launches `kernel`, then the CPU is at `beside` for so long.
struct Program {
  std::string kernel = "gemm";
  Nanos work = 4'000;
  Nanos loading = 0;
  std::string op = "aten::mm";
  int steps = 6;
};

Trace run_of(const Program& program) {
  TraceMaker make;
  Nanos at = 0;
  for (int s = 0; s < program.steps; ++s) {
    const Nanos begin = at, noise = s % 3 * 20;
    const auto correlation = static_cast<std::uint64_t>(s + 1);
    if (program.loading > 0)
      make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 10, at + program.loading,
                  "user_annotation");
    at += program.loading + 100;
    const Nanos end = at + 3'000 + program.work + noise;
    make.thread("ProfilerStep#" + std::to_string(s), begin, end, "user_annotation")
        .thread("nn.Module: Linear_0", at, at + 2'000, "python_function")
        .thread(program.op, at + 100, at + 1'000)
        .launch("cudaLaunchKernel", at + 200, at + 300, correlation)
        .kernel(program.kernel, at + 400, at + 400 + program.work + noise, correlation)
        .launch("cudaDeviceSynchronize", at + 2'500, end - 10, 100 + correlation);
    at = end;
  }
  return make.build();
}

StepSamples samples_of(const Program& program) {
  return sample_steps(run_of(program), SourceId{0});
}

TEST_CASE("work counts in the steps in which it runs, not in one that ends as it begins") {
  TraceMaker make;
  const auto step = [&](int number, Nanos begin, Nanos end) {
    make.thread("ProfilerStep#" + std::to_string(number), begin, end, "user_annotation")
        .launch("cudaLaunchKernel", begin + 10, begin + 20, static_cast<std::uint64_t>(number) + 1)
        .kernel("own", begin + 100, begin + 200, static_cast<std::uint64_t>(number) + 1);
  };
  for (int s = 0; s < 4; ++s) step(s, s * 1000, s * 1000 + 1000);
  make.kernel("after all", 4000, 4100, 0, "8").kernel("over an end", 2900, 3050, 0, "9");
  const StepSamples samples = sample_steps(make.build(), SourceId{0});
  const auto times = [&](std::string_view name) {
    const auto found = samples.values.find({SampleKind::kKernel, std::string(name)});
    return found == samples.values.end() ? std::vector<double>{} : found->second;
  };
  const auto ends = [](const std::vector<double>& all, std::size_t n) {
    return std::vector<double>(all.end() - static_cast<std::ptrdiff_t>(std::min(n, all.size())), all.end());
  };
  CHECK(times("after all").empty());
  CHECK(ends(times("own"), 2) == std::vector<double>{100, 100});
  CHECK(ends(times("over an end"), 2) == std::vector<double>{100, 50});
  const auto activities = samples.values.find({SampleKind::kActivities, {}});
  REQUIRE(activities != samples.values.end());
  CHECK(ends(activities->second, 2) == std::vector<double>{2, 1});  // where it begins
}

RunCheck check(const Program& a, const Program& b, std::vector<std::string> limits = {"step>3%"}) {
  std::vector<CheckLimit> parsed;
  for (const std::string& text : limits) {
    const Result<CheckLimit> limit = parse_check_limit(text);
    REQUIRE(limit.has_value());
    parsed.push_back(*limit);
  }
  const std::vector<StepSamples> of_a{samples_of(a)}, of_b{samples_of(b)};
  return check_runs(of_a, of_b, parsed);
}

TEST_CASE("samples of steps add up") {
  const StepSamples samples = samples_of({.loading = 2'000});
  CHECK(samples.has_steps);
  REQUIRE(samples.steps == 6);
  const auto of = [&](SampleKind kind, const std::string& name, std::size_t step) {
    const auto found = samples.values.find({kind, name});
    REQUIRE(found != samples.values.end());
    return found->second[step];
  };
  for (std::size_t s = 0; s < samples.steps; ++s) {
    CHECK(of(SampleKind::kStep, "", s) == of(SampleKind::kBusy, "", s) + of(SampleKind::kIdle, "", s));
    CHECK(of(SampleKind::kBusy, "", s) == 4'000 + static_cast<double>(s % 3 * 20));
    for (const auto& [kind, name] : {StepSamples::Key{SampleKind::kKernel, "gemm"},
                                     {SampleKind::kClass, "gemm"},
                                     {SampleKind::kModule, "Linear_0"},
                                     {SampleKind::kOperator, "aten::mm in Linear_0"}})
      CHECK(of(kind, name, s) == of(SampleKind::kBusy, "", s));
    CHECK(of(SampleKind::kActivities, "", s) == 1);
    double causes = 0;
    for (const auto& [key, values] : samples.values)
      if (key.first == SampleKind::kCause) causes += values[s];
    CHECK(causes == of(SampleKind::kIdle, "", s));
  }
}

TEST_CASE("slower GPU work is found, by operator and module") {
  const RunCheck found = check({}, {.work = 4'600});
  CHECK(found.verdict == CheckVerdict::kSlower);
  CHECK(found.state() == LimitState::kExceeded);
  CHECK(found.step.difference() == 600);
  REQUIRE(found.reason() != nullptr);
  CHECK(found.reason()->name == "aten::mm in Linear_0");
  CHECK(found.reason()->change.difference() == 600);
  const RunCheck back = check({.work = 4'600}, {});
  CHECK(back.verdict == CheckVerdict::kFaster);
  CHECK(back.state() == LimitState::kKept);
}

TEST_CASE("idle time has its cause, and what the CPU was doing") {
  const RunCheck found = check({}, {.loading = 3'000});
  CHECK(found.verdict == CheckVerdict::kSlower);
  REQUIRE(found.reason() != nullptr);
  CHECK(found.reason()->kind == SampleKind::kCause);
  CHECK(found.reason()->name == "data_loading");
  REQUIRE(found.blamed() != nullptr);
  CHECK(found.blamed()->name.find("DataLoader") != std::string::npos);
}

TEST_CASE("without a GPU it is the operator that takes longer on the CPU") {
  const auto run = [](Nanos time) {
    TraceMaker make;
    for (int s = 0; s < 6; ++s) {
      const Nanos at = 100'000 * s, noise = s % 2 * 10;
      make.thread("ProfilerStep#" + std::to_string(s), at, at + 10'000 + time + noise, "user_annotation")
          .thread("aten::sort", at + 100, at + 100 + time)
          .thread("aten::add", at + 200 + time, at + 5'000 + time);
    }
    return sample_steps(make.build(), SourceId{0});
  };
  const std::vector<StepSamples> a{run(20'000)}, b{run(23'000)};
  const RunCheck found = check_runs(a, b, {});
  CHECK(found.verdict == CheckVerdict::kSlower);
  REQUIRE(found.reason() != nullptr);
  CHECK(found.reason()->kind == SampleKind::kCpuOperator);
  CHECK(found.reason()->name == "aten::sort");
  CHECK(found.reason()->change.difference() == 3'000);
  const auto loading = std::find_if(found.rows.begin(), found.rows.end(),
                                    [](const CheckRow& row) { return row.kind == SampleKind::kCpu; });
  REQUIRE(loading != found.rows.end());
  CHECK(loading->name == "operators");
}

TEST_CASE("without a GPU waiting for data is a reason, too") {
  const auto run = [](Nanos wait) {
    TraceMaker make;
    for (int s = 0; s < 6; ++s) {
      const Nanos at = 100'000 * s;
      make.thread("ProfilerStep#" + std::to_string(s), at, at + 10'000 + wait, "user_annotation")
          .thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 10, at + 10 + wait,
                  "user_annotation")
          .thread("aten::add", at + 200 + wait, at + 5'000 + wait);
    }
    return sample_steps(make.build(), SourceId{0});
  };
  const std::vector<StepSamples> a{run(20'000)}, b{run(30'000)};
  const RunCheck found = check_runs(a, b, std::vector<CheckLimit>{*parse_check_limit("cpu:dataLoading>10%")});
  REQUIRE(found.reason() != nullptr);
  CHECK(found.reason()->kind == SampleKind::kCpu);
  CHECK(found.reason()->name == "dataLoading");
  CHECK(found.state() == LimitState::kExceeded);
}

TEST_CASE("a kernel whose launch lost its operator to rounding is its operator's, but not where two launch it") {
  const auto owners = [](std::string_view second) {
    TraceMaker make;
    for (int s = 0; s < 3; ++s) {
      const Nanos at = 10'000 * s;
      const auto correlation = static_cast<std::uint64_t>(s + 1);
      make.thread("ProfilerStep#" + std::to_string(s), at, at + 9'000, "user_annotation");
      if (s < 2) make.thread(s == 0 ? "aten::mm" : second, at + 100, at + 1'000);
      make.launch("cudaLaunchKernel", at + 200, at + 300, correlation)
          .kernel("gemm", at + 400, at + 4'400, correlation);
    }
    const StepSamples samples = sample_steps(make.build(), SourceId{0});
    std::vector<std::string> names;
    for (const auto& [key, values] : samples.values)
      if (key.first == SampleKind::kOperator) names.push_back(key.second);
    return names;
  };
  CHECK(owners("aten::mm") == std::vector<std::string>{"aten::mm"});
  CHECK(owners("aten::addmm") == std::vector<std::string>{"aten::addmm", "aten::mm", "gemm"});
}

TEST_CASE("equal runs are equal") {
  const RunCheck found = check({}, {}, {"step>3%", "class:gemm>3%", "idle>10us", "cause:data_loading>1%"});
  CHECK(found.verdict == CheckVerdict::kSame);
  CHECK(found.state() == LimitState::kKept);
  CHECK(found.rows.empty());
  CHECK(found.reason() == nullptr);
}

TEST_CASE("limits on parts") {
  const auto state = [](const char* limit, const Program& b) { return check({}, b, {limit}).limits.front(); };
  CHECK(state("kernel:gemm>5%", {.work = 4'600}).state == LimitState::kExceeded);
  CHECK(state("kernel:gemm>500ns", {.work = 4'600}).state == LimitState::kExceeded);
  CHECK(state("kernel:gemm>0.7us", {.work = 4'600}).state == LimitState::kKept);
  CHECK(state("kernel:gemm>20%", {.work = 4'600}).state == LimitState::kKept);
  CHECK(state("kernel:gemm>14.9%", {.work = 4'600}).state == LimitState::kUnknown);  // 600 of 4020 ns, give or take
  CHECK(state("cause:data_loading>50%", {.loading = 3'000}).state == LimitState::kExceeded);  // A has none
  CHECK(state("module:Linear_0>5%", {.work = 4'600}).state == LimitState::kExceeded);
  const LimitAnswer missing = state("kernel:no such>5%", {});
  CHECK(missing.state == LimitState::kUnknown);
  CHECK_FALSE(missing.is_found);
}

TEST_CASE("too few steps tell nothing") {
  const RunCheck found = check({.steps = 3}, {.work = 9'000, .steps = 3});
  CHECK(found.verdict == CheckVerdict::kUnknown);
  CHECK(found.state() == LimitState::kUnknown);
  CHECK(found.rows.empty());
}

TEST_CASE("runs without steps count as one each") {
  StepSamples run;
  run.steps = 1;
  std::vector<StepSamples> a(5, run), b(5, run);
  for (std::size_t i = 0; i < 5; ++i) {
    a[i].values[{SampleKind::kStep, ""}] = {100.0 + static_cast<double>(i % 2)};
    b[i].values[{SampleKind::kStep, ""}] = {110.0 + static_cast<double>(i % 2)};
  }
  const std::vector<CheckLimit> limits{*parse_check_limit("step>3%")};
  const RunCheck found = check_runs(a, b, limits);
  CHECK(found.without_steps == 10);
  CHECK(found.state() == LimitState::kExceeded);
}

TEST_CASE("limits are read, and refused in words") {
  const CheckLimit named = *parse_check_limit("kernel:void f<a->b>(x)>1.5ms");
  CHECK(named.kind == SampleKind::kKernel);
  CHECK(named.name == "void f<a->b>(x)");
  CHECK(named.most == 1.5e6);
  CHECK_FALSE(named.is_part);
  CHECK(parse_check_limit("busy>0%").has_value());
  for (const char* bad : {"", "step", "step>", "step>x%", "step>-1%", "step>nan%", "step>inf%", "step>3", "step>3%%",
                          "step:a>3%", "kernel>3%", "kernel:>3%", "cause:nothing>3%", "class:foo>3%", "cpu:foo>3%",
                          "speed>3%", "activities>3%", "blamed:a>1%"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_check_limit(bad).has_value());
  }
}

}  // namespace
}  // namespace lacuna

// What each step of random work took, against counting nanosecond by nanosecond.
#include "model/check/step_samples.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kStepLength = 2000;
constexpr int kStepCount = 4;

struct MadeKernel {
  TimeSpan span;
  std::string name, module, op;
};

std::map<std::string, double> of_step(const StepSamples& samples, SampleKind kind, std::size_t step) {
  std::map<std::string, double> values;
  for (const auto& [key, of_steps] : samples.values)
    if (key.first == kind && of_steps[step] != 0) values[key.second] = of_steps[step];
  return values;
}

TEST_CASE("samples of steps: GPU time by kernel, operator and module, busy and idle, counted by hand") {
  std::mt19937 random(18);
  const auto roll = [&](int n) { return static_cast<Nanos>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    TraceMaker make;
    std::vector<MadeKernel> kernels;
    std::uint64_t correlation = 0;
    for (int s = 0; s < kStepCount; ++s) {
      const Nanos begin = s * kStepLength;
      make.thread("ProfilerStep#" + std::to_string(s), begin, begin + kStepLength, "user_annotation");
      Nanos t = begin + 10, free[2] = {begin, begin};
      for (int i = 0; i < 6; ++i) {
        t += roll(60);
        MadeKernel kernel;
        kernel.op = "aten::op" + std::to_string(roll(3));
        kernel.name = "kernel" + std::to_string(roll(3));
        if (roll(2) == 0) {
          kernel.module = "Layer_" + std::to_string(roll(2));
          make.thread("nn.Module: " + kernel.module, t, t + 100, "python_function");
        }
        make.thread(kernel.op, t + 10, t + 90);
        make.launch("cudaLaunchKernel", t + 20, t + 40, ++correlation);
        const auto stream = static_cast<std::size_t>(roll(2));
        const Nanos start = std::max(free[stream], t + 50 + roll(50));
        kernel.span = {start, start + 1 + roll(150)};
        free[stream] = kernel.span.end;
        make.kernel(kernel.name, kernel.span.begin, kernel.span.end, correlation, stream == 0 ? "7" : "20");
        kernels.push_back(kernel);
        t += 100;
      }
      REQUIRE(std::max(free[0], free[1]) < begin + kStepLength);  // a step is as long as its annotation
    }
    const StepSamples samples = sample_steps(make.build(), SourceId{0});
    REQUIRE(samples.has_steps);
    REQUIRE(samples.steps == kStepCount);
    for (std::size_t s = 0; s < samples.steps; ++s) {
      CAPTURE(round);
      CAPTURE(s);
      const TimeSpan step{static_cast<Nanos>(s) * kStepLength, static_cast<Nanos>(s + 1) * kStepLength};
      std::map<std::string, double> by_kernel, by_operator, by_module;
      std::vector<bool> is_busy(kStepLength);
      double count = 0;
      for (const MadeKernel& kernel : kernels) {
        if (!step.contains(kernel.span.begin)) continue;
        const auto time = static_cast<double>(kernel.span.duration());
        by_kernel[kernel.name] += time;
        by_operator[kernel.module.empty() ? kernel.op : kernel.op + " in " + kernel.module] += time;
        if (!kernel.module.empty()) by_module[kernel.module] += time;
        for (Nanos t = kernel.span.begin; t < kernel.span.end; ++t)
          is_busy[static_cast<std::size_t>(t - step.begin)] = true;
        ++count;
      }
      const auto busy = static_cast<double>(std::ranges::count(is_busy, true));
      CHECK(of_step(samples, SampleKind::kKernel, s) == by_kernel);
      CHECK(of_step(samples, SampleKind::kOperator, s) == by_operator);
      CHECK(of_step(samples, SampleKind::kModule, s) == by_module);
      CHECK(of_step(samples, SampleKind::kActivities, s).at("") == count);
      CHECK(of_step(samples, SampleKind::kStep, s).at("") == kStepLength);
      CHECK(of_step(samples, SampleKind::kBusy, s).at("") == busy);
      CHECK(of_step(samples, SampleKind::kIdle, s).at("") == kStepLength - busy);
      double caused = 0;
      for (const auto& [cause, time] : of_step(samples, SampleKind::kCause, s)) caused += time;
      CHECK(caused == kStepLength - busy);
      double classes = 0;
      for (const auto& [name, time] : of_step(samples, SampleKind::kClass, s)) classes += time;
      double all = 0;
      for (const auto& [name, time] : by_kernel) all += time;
      CHECK(classes == all);
    }
  }
}

TEST_CASE("samples of steps without a GPU: each operator's own time") {
  std::mt19937 random(19);
  for (int round = 0; round < 60; ++round) {
    TraceMaker make;
    std::vector<std::map<std::string, double>> expected(kStepCount);
    for (int s = 0; s < kStepCount; ++s) {
      make.thread("ProfilerStep#" + std::to_string(s), s * kStepLength, (s + 1) * kStepLength, "user_annotation");
      Nanos t = s * kStepLength;
      for (int i = 0; i < 5; ++i) {
        const auto outer = static_cast<Nanos>(100 + random() % 200), inner = static_cast<Nanos>(random() % 100);
        const std::string name = "op" + std::to_string(random() % 3);
        make.thread(name, t, t + outer).thread("inner", t, t + inner);
        auto& of = expected[static_cast<std::size_t>(s)];
        of[name] += static_cast<double>(outer - inner);
        if (inner > 0) of["inner"] += static_cast<double>(inner);
        t += outer + static_cast<Nanos>(random() % 50);
      }
    }
    const StepSamples samples = sample_steps(make.build(), SourceId{0});
    REQUIRE(samples.steps == kStepCount);
    for (std::size_t s = 0; s < samples.steps; ++s) CHECK(of_step(samples, SampleKind::kCpuOperator, s) == expected[s]);
  }
}

}  // namespace
}  // namespace lacuna

// Twice the input, at most two and a half times the cost: each command over a trace that grows in one dimension,
// counted in what it asks memory for, which no clock and no other process disturbs.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/cli/calls.h"
#include "app/cli/causes.h"
#include "app/cli/critical_path.h"
#include "app/cli/diff.h"
#include "app/cli/gaps.h"
#include "app/cli/info.h"
#include "app/cli/report.h"
#include "app/cli/stats.h"
#include "app/cli/what_if.h"
#include "tests/support/counted_memory.h"
#include "tests/support/skip.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

struct GrowingInput {
  const char* dimension;
  std::size_t count;  // of the smaller input
  std::function<Trace(std::size_t)> make;
};

struct AskedCommand {
  const char* name;
  std::function<void(const Trace&, Output&)> run;
};

const std::vector<GrowingInput>& growing_inputs() {
  static const std::vector<GrowingInput> inputs{
      {"events", 2000,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i) {
           const auto t = static_cast<Nanos>(i) * 10'000;
           make.thread("aten::mm", t, t + 5'000)
               .launch("cudaLaunchKernel", t + 1'000, t + 2'000, i + 1)
               .kernel("gemm", t + 3'000, t + 9'000, i + 1);
         }
         return make.build();
       }},
      {"tracks", 1000,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i) make.thread("aten::mm", 0, 5'000, "cpu_op", std::to_string(i + 1));
         return make.build();
       }},
      {"streams", 400,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i) {
           const auto t = static_cast<Nanos>(i) * 10'000;
           make.launch("cudaLaunchKernel", t + 1'000, t + 2'000, i + 1)
               .kernel("gemm", t + 3'000, t + 9'000, i + 1, std::to_string(i + 7));
         }
         return make.build();
       }},
      {"depth", 1500,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i)
           make.thread("aten::mm", static_cast<Nanos>(i), static_cast<Nanos>(1'000'000 - i));
         return make.build();
       }},
      {"names", 1000,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i) {
           const auto t = static_cast<Nanos>(i) * 10'000;
           make.launch("cudaLaunchKernel", t + 1'000, t + 2'000, i + 1)
               .kernel(fmt::format("gemm_{}", i), t + 3'000, t + 9'000, i + 1);
         }
         return make.build();
       }},
      {"steps", 200,
       [](std::size_t n) {
         TraceMaker make;
         for (std::size_t i = 0; i < n; ++i) {
           const auto t = static_cast<Nanos>(i) * 100'000;
           make.thread(fmt::format("ProfilerStep#{}", i), t, t + 90'000, "user_annotation")
               .launch("cudaLaunchKernel", t + 1'000, t + 2'000, i + 1)
               .kernel("gemm", t + 3'000, t + 9'000, i + 1);
         }
         return make.build();
       }},
      {"length of a name", 20'000,
       [](std::size_t n) {
         TraceMaker make;
         make.thread(std::string(n, 'a'), 0, 5'000)
             .launch("cudaLaunchKernel", 1'000, 2'000, 1)
             .kernel(std::string(n, 'k'), 3'000, 9'000, 1)
             .kernel(std::string(n, 'k'), 19'000, 20'000);
         return make.build();
       }},
  };
  return inputs;
}

const std::vector<AskedCommand>& asked_commands() {
  static const std::vector<AskedCommand> commands{
      {"calls",
       [](const Trace& trace, Output& out) {
         CallsOptions options;
         options.min_percent = 0;
         REQUIRE(print_calls(trace, options, out).has_value());
       }},
      {"calls --by gpu",
       [](const Trace& trace, Output& out) {
         CallsOptions options;
         options.by = "gpu";
         REQUIRE(print_calls(trace, options, out).has_value());
       }},
      {"calls --by idle --json",
       [](const Trace& trace, Output& out) {
         CallsOptions options;
         options.by = "idle";
         options.json = true;
         REQUIRE(print_calls(trace, options, out).has_value());
       }},
      {"stats", [](const Trace& trace, Output& out) { print_stats(trace, {}, out); }},
      {"gaps", [](const Trace& trace, Output& out) { REQUIRE(print_gaps(trace, {}, out).has_value()); }},
      {"gaps --causes",
       [](const Trace& trace, Output& out) { REQUIRE(print_causes(trace, {}, {.by_cause = true}, out).has_value()); }},
      {"gaps --by-operator",
       [](const Trace& trace, Output& out) {
         REQUIRE(print_causes(trace, {}, {.by_operator = true}, out).has_value());
       }},
      {"what-if", [](const Trace& trace, Output& out) { (void)print_what_if(trace, {}, out); }},
      {"info", [](const Trace& trace, Output& out) { print_info(trace, {}, out); }},
      {"info --json", [](const Trace& trace, Output& out) { print_info_json(trace, out); }},
      {"critical-path", [](const Trace& trace, Output& out) { (void)print_critical_path(trace, {}, out); }},
      {"report", [](const Trace& trace, Output& out) { (void)print_reports(trace, {}, out); }},
      {"diff", [](const Trace& trace, Output& out) { print_diff(trace, trace, {}, out); }},
  };
  return commands;
}

/// Bytes and calls of memory that a command asks for.
MemoryAsked cost_of(const AskedCommand& command, const Trace& trace) {
  std::string text;
  const MemoryAsked before = memory_asked();
  {
    Output out(text);
    command.run(trace, out);
    (void)out.finish();
  }
  const MemoryAsked after = memory_asked();
  return {after.calls - before.calls, after.bytes - before.bytes};
}

TEST_CASE("twice the input is at most two and a half times the memory, for every command and dimension") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  // What costs less was not much to begin with.
  constexpr std::uint64_t kFewCalls = 3000, kFewBytes = 300'000;
  for (const GrowingInput& input : growing_inputs()) {
    const Trace small = input.make(input.count);
    const Trace large = input.make(input.count * 2);
    for (const AskedCommand& command : asked_commands()) {
      (void)cost_of(command, small);  // what is made once
      const MemoryAsked less = cost_of(command, small);
      const MemoryAsked more = cost_of(command, large);
      CAPTURE(input.dimension);
      CAPTURE(command.name);
      CAPTURE(less.calls);
      CAPTURE(less.bytes);
      CHECK(more.calls * 2 <= std::max(less.calls, kFewCalls) * 5);
      CHECK(more.bytes * 2 <= std::max(less.bytes, kFewBytes) * 5);
    }
  }
}

}  // namespace

#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/calls.h"
#include "model/statistics/statistics.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

std::string printed(const Trace& trace, const CallsOptions& options) {
  std::string text;
  Output out(text);
  REQUIRE(print_calls(trace, options, out).has_value());
  REQUIRE(out.finish().has_value());
  return text;
}

Trace linear_step() {
  TraceMaker make;
  make.thread("ProfilerStep#3", 0, 1'000'000, "user_annotation")
      .thread("aten::linear;x", 100'000, 400'000)
      .launch("cudaLaunchKernel", 150'000, 200'000, 1)
      .kernel("gemm", 300'000, 380'000, 1);
  return make.build();
}

TEST_CASE("calls as text: a row per frame, indented, small ones counted") {
  CallsOptions options;
  options.width = 200;
  const Trace trace = linear_step();
  const std::string text = printed(trace, options);
  CHECK(text.find("Everything") != std::string::npos);
  CHECK(text.find("    aten::linear;x") != std::string::npos);
  CHECK(text.find("not shown") == std::string::npos);
  options.min_percent = 20;
  CHECK(printed(trace, options).find("1 frame, and what is below it, is not shown") != std::string::npos);
  options.depth = 1;
  options.min_percent = 0;
  CHECK(printed(trace, options).find("aten::linear") == std::string::npos);
}

TEST_CASE("calls as JSON and as folded stacks add up to the statistics") {
  const Trace trace = linear_step();
  for (const char* by : {"cpu", "gpu", "idle"}) {
    for (const bool bottom_up : {false, true}) {
      CallsOptions options;
      options.by = by;
      options.bottom_up = bottom_up;
      options.json = true;
      const auto json = nlohmann::json::parse(printed(trace, options));
      const Statistics statistics = compute_statistics(trace);
      const Nanos expected = std::string(by) == "cpu"   ? statistics.cpu_self
                             : std::string(by) == "gpu" ? statistics.gpu_total
                                                        : 0;
      CHECK(json["totalNs"].get<Nanos>() == expected);
      Nanos self = 0;
      for (const auto& frame : json["frames"]) self += frame["selfNs"].get<Nanos>();
      CHECK(self == expected);
      options.json = false;
      options.folded = true;
      std::istringstream lines(printed(trace, options));
      Nanos sum = 0;
      for (std::string line; std::getline(lines, line);) sum += std::stoll(line.substr(line.rfind(' ') + 1));
      CHECK(sum == expected);
    }
  }
  CallsOptions options;
  options.by = "gpu";
  options.folded = true;
  CHECK(printed(trace, options) == "ProfilerStep#…;aten::linear,x;cudaLaunchKernel;gemm 80000\n");
}

TEST_CASE("sampled stacks: marked as an estimate, and hinted at where there is nothing else") {
  TraceMaker make;
  make.sampled("main (a.py:1)", 0, 3'000'000).sampled("parse (a.py:5)", 0, 1'000'000);
  const Trace trace = make.build();
  CallsOptions options;
  options.width = 200;
  CHECK(printed(trace, options).find("--by samples") != std::string::npos);
  options.by = "samples";
  const std::string text = printed(trace, options);
  CHECK(text.find("~2.00 ms") != std::string::npos);
  CHECK(text.find("    parse (a.py:5)") != std::string::npos);
  CHECK(text.find("--by samples") == std::string::npos);
}

TEST_CASE("calls of a name, and of what is not there") {
  const Trace trace = linear_step();
  CallsOptions options;
  options.name = "aten::linear;x";
  options.folded = true;
  CHECK(printed(trace, options) == "aten::linear,x 250000\naten::linear,x;cudaLaunchKernel 50000\n");
  options.name = "aten::mm";
  std::string text;
  Output out(text);
  CHECK_FALSE(print_calls(trace, options, out).has_value());
  options.name.clear();
  options.what.steps = "7";
  CHECK_FALSE(print_calls(trace, options, out).has_value());
  options.what.steps = "3";
  CHECK(printed(trace, options).find("cudaLaunchKernel 50000") != std::string::npos);
}

}  // namespace
}  // namespace lacuna

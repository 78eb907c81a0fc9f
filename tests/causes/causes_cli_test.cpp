#include <nlohmann/json.hpp>

#include "app/cli/causes.h"
#include "app/cli/gaps.h"
#include "model/report/report.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

nlohmann::json json_of(const Trace& trace, CausesOptions options, GapsOptions gaps = {}) {
  gaps.json = true;
  std::string text;
  Output out(text);
  REQUIRE(print_causes(trace, gaps, options, out));
  return nlohmann::json::parse(text);
}

Trace small_trace() {
  TraceMaker make;
  make.thread("forward", 0, 450 * kUs, "user_annotation")
      .launch("cudaLaunchKernel", 1 * kUs, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .thread("aten::linear", 120 * kUs, 398 * kUs)
      .launch("cudaLaunchKernel", 380 * kUs, 395 * kUs, 2)
      .kernel("second", 400 * kUs, 500 * kUs, 2);
  return make.build();
}

}  // namespace

TEST_CASE("gaps --json: each gap says its cause, why, and the evidence") {
  const Trace trace = small_trace();
  std::string text;
  Output out(text);
  REQUIRE(print_gaps(trace, {.json = true}, out));
  const auto gap = nlohmann::json::parse(text)["streams"][0]["gaps"][0];
  CHECK(gap["id"] == "0:7#0");
  CHECK(gap["cause"] == "launch_bound");
  CHECK(gap["beforeIssueNs"] == 295'000);
  CHECK(gap["inQueueNs"] == 5'000);
  CHECK(gap["late"] == true);
  CHECK(gap["sync"].is_null());
  CHECK(gap["waitedFor"].is_null());
  CHECK(gap["cpu"]["calledOperator"]["name"] == "aten::linear");
  CHECK(gap["cpu"]["calledOperator"]["timeNs"] == 275'000);
  CHECK(gap["cpu"]["python"].is_null());
  CHECK(gap["why"].get<std::string>().find("aten::linear") != std::string::npos);
}

TEST_CASE("gaps as text: the reason stands below its gap") {
  std::string text;
  Output out(text);
  REQUIRE(print_gaps(small_trace(), {}, out));
  CHECK(text.find("launch-bound") != std::string::npos);
  CHECK(text.find("\n      cudaLaunchKernel came ") != std::string::npos);
}

TEST_CASE("--causes of devices are of the time that the report measures") {
  const Trace trace = small_trace();
  const auto causes = json_of(trace, {.by_cause = true});
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.devices.size() == 1);
  CHECK(causes["devices"][0]["idleNs"] == report.devices[0].idle);
  CHECK(causes["devices"][0]["windowNs"] == report.window.duration());
  CHECK(causes["devices"][0]["idleNs"] > 300'000);
  std::string text;
  Output out(text);
  REQUIRE(print_causes(trace, {}, {.by_cause = true}, out));
  CHECK(text.find(" measured, the whole recording; ") != std::string::npos);
}

TEST_CASE("--causes and --by-operator") {
  const Trace trace = small_trace();
  const auto causes = json_of(trace, {.by_cause = true, .whole = true});
  CHECK(causes["devices"][0]["idleNs"] == 300'000);
  CHECK(causes["devices"][0]["causes"][0]["cause"] == "launch_bound");
  CHECK(causes["devices"][0]["causes"][0]["longestGap"] == "0#0");
  CHECK(causes["streams"][0]["causes"][0]["longestGap"] == "0:7#0");
  const auto operators = json_of(trace, {.by_operator = true, .whole = true});
  CHECK(operators["rows"][0]["name"] == "aten::linear");
  CHECK(operators["rows"][0]["lostNs"] == 280'000);
  CHECK(operators["rows"][0]["places"][0]["gap"] == "0#0");
  CHECK(operators["notChargedNs"] == 0);
  const auto of_stream = json_of(trace, {.by_operator = true}, {.streams = {"0:7"}});
  CHECK(of_stream["rows"][0]["places"][0]["gap"] == "0:7#0");
}

TEST_CASE("--dead-windows and --launches") {
  const Trace trace = small_trace();
  const auto windows = json_of(trace, {.dead_windows = true});
  CHECK(windows["groups"][0]["name"] == "forward");
  CHECK(windows["groups"][0]["instances"][0]["deadNs"] == 1'000);
  CHECK(windows["groups"][0]["instances"][0]["deadOnGpuNs"] == 10'000);
  const auto launches = json_of(trace, {.launches = true});
  CHECK(launches["launches"] == 2);
  CHECK(launches["queues"][0]["maxDepth"] == 1);
}

TEST_CASE("a stream that is not there is an error; a trace without a GPU is none") {
  std::string text;
  Output out(text);
  CHECK_FALSE(print_causes(small_trace(), {.streams = {"0:99"}}, {.by_cause = true}, out));
  // Left out in silence it would seem to be followed.
  CHECK(CausesOptions{.whole = true}.any());
  CHECK_FALSE(print_causes(small_trace(), {}, {.whole = true}, out));
  CHECK_FALSE(print_causes(small_trace(), {}, {.launches = true, .whole = true}, out));
  TraceMaker cpu_only;
  cpu_only.thread("aten::add", 0, 10);
  const Trace trace = cpu_only.build();
  for (const CausesOptions& options : {CausesOptions{.by_cause = true}, CausesOptions{.by_operator = true},
                                       CausesOptions{.dead_windows = true}, CausesOptions{.launches = true}})
    for (const bool json : {true, false}) {
      std::string answer;
      Output to(answer);
      CHECK(print_causes(trace, {.json = json}, options, to));
    }
}

#include "app/cli/group_stats.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/option_values.h"
#include "model/steps/measured_steps.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

Trace two_steps() {
  TraceMaker make;
  make.thread("ProfilerStep#3", 1'000'000, 2'000'000, "user_annotation");
  make.thread("ProfilerStep#4", 2'000'000, 3'000'000, "user_annotation");
  make.thread("aten::mm", 1'100'000, 1'200'000).launch("cudaLaunchKernel", 1'110'000, 1'120'000, 1);
  make.thread("aten::mm", 2'100'000, 2'300'000).launch("cudaLaunchKernel", 2'110'000, 2'120'000, 2);
  make.kernel("volta_sgemm_32x32_nn", 1'150'000, 1'250'000, 1);
  make.kernel("volta_sgemm_64x64_nn", 2'150'000, 2'350'000, 2, "20");
  return make.build();
}

Result<std::string> stats(const Trace& trace, const GroupStatsOptions& options, StatsFormat format = StatsFormat::kJson,
                          const std::string& sort = "total") {
  std::string text;
  Output out(text);
  if (const auto result = print_group_stats(trace, options, sort, format, 0, 120, out); !result)
    return tl::make_unexpected(result.error());
  REQUIRE(out.finish());
  return text;
}

nlohmann::json row_of(const std::string& text, const std::string& name) {
  const auto document = nlohmann::json::parse(text);
  for (const auto& row : document.at("rows"))
    if (row.at("name") == name) return row;
  return {};
}

TEST_CASE("stats --steps, --from-us, --stream and --lanes choose what counts") {
  const Trace trace = two_steps();
  GroupStatsOptions options;
  options.steps = "4";
  CHECK(row_of(*stats(trace, options), "aten::mm").at("totalNs") == 200'000);
  options.steps = "3..4";
  CHECK(row_of(*stats(trace, options), "aten::mm").at("count") == 2);
  options.steps = "";
  options.from_us = "1000";  // before the trace's 1000 us? no: a ts of the file
  options.to_us = "1150";
  CHECK(row_of(*stats(trace, options), "aten::mm").at("totalNs") == 50'000);
  options.from_us = "100";  // since its start, both
  options.to_us = "150";
  CHECK(row_of(*stats(trace, options), "aten::mm").at("totalNs") == 50'000);
  options = {};
  options.streams = {"0:20"};
  CHECK(nlohmann::json::parse(*stats(trace, options)).at("rowCount") == 1);
  options.streams = {};
  options.lanes = {"stream 7"};
  CHECK(nlohmann::json::parse(*stats(trace, options)).at("rowCount") == 1);

  options.lanes = {"nobody"};
  CHECK_FALSE(stats(trace, options));
  options = {};
  options.steps = "7..9";
  CHECK(stats(trace, options).error().cause.find("there are 3, 4") != std::string::npos);
  options = {};
  options.from_us = "3000";
  options.to_us = "2000";
  CHECK_FALSE(stats(trace, options));
}

TEST_CASE("a range is of the file's times or since its start, both ends in the same way") {
  const TimeSpan trace{5'000, 9'000};
  const auto range = [&](std::optional<Nanos> from, std::optional<Nanos> to, std::optional<bool> since = {}) {
    return AskedRange{from, to, since}.in(trace);
  };
  CHECK(range(5'000, 6'000) == TimeSpan{5'000, 6'000});
  CHECK(range(6'000, {}) == TimeSpan{6'000, kMaxNanos});
  CHECK(range(1'000, 2'000) == TimeSpan{6'000, 7'000});
  CHECK(range(0, 6'000) == TimeSpan{5'000, 11'000});  // as the report says it of what begins with the trace
  CHECK(range(3'000, {}) == TimeSpan{8'000, kMaxNanos});
  CHECK(range({}, 5'000) == TimeSpan{kMinNanos, 10'000});
  CHECK(range({}, 6'000) == TimeSpan{kMinNanos, 6'000});
  CHECK(range(4'900, 6'000) == TimeSpan{4'900, 6'000});  // since its start it would lie behind the trace
  CHECK(range(4'900, {}) == TimeSpan{4'900, kMaxNanos});
  CHECK(range(1'000, 2'000, true) == TimeSpan{6'000, 7'000});
  CHECK(range(6'000, 7'000, true) == TimeSpan{11'000, 12'000});
  CHECK(range(3'000, 7'000, false) == TimeSpan{3'000, 7'000});  // a view may begin before its trace

  const auto is_unclear = [&](std::optional<Nanos> from, std::optional<Nanos> to) {
    return AskedRange{from, to}.may_be_since_start({5'000, 19'000});
  };
  CHECK(is_unclear(6'000, 7'000));
  CHECK(is_unclear({}, 7'000));
  CHECK_FALSE(is_unclear(1'000, 2'000));
  CHECK_FALSE(is_unclear(14'000, 15'000));
  CHECK_FALSE(is_unclear({}, 15'000));
  CHECK_FALSE(is_unclear({}, {}));
  CHECK(parse_range("1", "+2").is_since_start.value_or(false));
  CHECK(parse_range("+1.5", "").from == 1'500);
  CHECK_FALSE(parse_range("1", "").is_since_start.has_value());
}

TEST_CASE("stats --group-by, --columns and --sort-by, in every format") {
  const Trace trace = two_steps();
  GroupStatsOptions options;
  options.group_by = "family";
  options.columns = {"count", "p99", "gpu_time", "launch_delay"};
  const auto row = row_of(*stats(trace, options), "volta_sgemm");
  CHECK(row.size() == 6);
  CHECK(row.at("count") == 2);
  CHECK(row.at("p99Ns") == 200'000);
  CHECK(row.at("gpuTimeNs").is_null());
  CHECK(row.at("launchDelayNs") == 30'000);
  CHECK(row_of(*stats(trace, options), "aten::mm").at("gpuTimeNs") == 300'000);
  const std::string csv = *stats(trace, options, StatsFormat::kCsv, "p99");
  CHECK(csv.find("name,category,count,p99_ns,gpu_time_ns,launch_delay_ns\nProfilerStep#3,") == 0);
  CHECK(stats(trace, options, StatsFormat::kText)->find("Launch delay") != std::string::npos);
  // Args cannot be read of a trace without bytes: an error, not zeros.
  options.columns = {"bytes"};
  CHECK_FALSE(stats(trace, options));
}

TEST_CASE("stats --histogram") {
  const Trace trace = two_steps();
  GroupStatsOptions options;
  options.histogram = "aten::mm";
  const auto json = nlohmann::json::parse(*stats(trace, options));
  CHECK(json.at("count") == 2);
  CHECK(json.at("modes").size() == 1);
  CHECK(stats(trace, options, StatsFormat::kText)->find("2 slices") != std::string::npos);
  CHECK(stats(trace, options, StatsFormat::kCsv)->find("from_ns,to_ns,count,total_ns\n") == 0);
  options.histogram = "nothing";
  CHECK_FALSE(stats(trace, options));
}

TEST_CASE("tables by steps are of their marks, what follows the end of a step has its GPU work") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "user_annotation").thread("ProfilerStep#2", 100, 200, "user_annotation");
  make.launch("cudaLaunchKernel", 110, 120, 1).kernel("a", 130, 900, 1);
  const Trace trace = make.build();
  GroupStatsOptions options;
  options.steps = "2";
  CHECK(chosen_range(trace, options).value() == TimeSpan{100, 200});
  CHECK(chosen_range(trace, options, find_step_windows).value() == TimeSpan{100, 900});
  options.steps = "3";
  CHECK_FALSE(chosen_range(trace, options));
}

}  // namespace
}  // namespace lacuna

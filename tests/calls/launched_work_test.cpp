#include "model/calls/launched_work.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/groups/group_table.h"
#include "tests/causes/causes_support.h"
#include "tests/support/rounds.h"

namespace lacuna {
namespace {

/// linear > addmm > two launches, then a sibling that touches it and launches a third.
Trace linear() {
  TraceMaker make;
  make.thread("train.py(1): step", 0, 1'000, "python_function")
      .thread("nn.Module: Linear_0", 10, 500, "python_function")
      .thread("<built-in method linear>", 20, 480, "python_function")
      .thread("aten::linear", 100, 400)
      .thread("aten::addmm", 150, 400)
      .launch("cudaLaunchKernel", 160, 200, 1)
      .launch("cudaLaunchKernel", 390, 400, 2)
      .thread("aten::relu", 400, 470)
      .launch("cudaLaunchKernel", 400, 410, 3)
      .kernel("gemm", 1'500, 1'700, 1)
      .kernel("bias", 1'400, 1'450, 2, "9")
      .kernel("relu", 1'800, 1'810, 3)
      .kernel("alone", 2'000, 2'100);
  return make.build();
}

TEST_CASE("an operator's work is what its subtree launched, and no more") {
  const Trace trace = linear();
  const SliceId linear = slice_named(trace, "aten::linear");
  const LaunchedWork work = work_launched_by(trace, std::vector<SliceId>{linear});
  CHECK(work.count == 2);
  CHECK(work.time == 250);
  REQUIRE(work.kernels.size() == 2);
  CHECK(trace.text(work.kernels[0].name) == "gemm");
  CHECK(work.kernels[0].count == 1);
  CHECK(work.kernels[0].time == 200);
  CHECK(trace.name(work.first) == "bias");  // starts first, though launched second
  CHECK(first_work_of(trace, linear) == work.first);
  CHECK(first_work_of(trace, slice_named(trace, "aten::relu")) == slice_named(trace, "relu"));
  CHECK_FALSE(first_work_of(trace, slice_named(trace, "alone")).valid());
  // Places inside each other count their work once.
  const LaunchedWork both =
      work_launched_by(trace, std::vector<SliceId>{linear, slice_named(trace, "aten::addmm"), linear});
  CHECK(both.count == 2);
  CHECK(both.time == 250);
  // Clipped to the range; what lies outside of it does not count.
  const LaunchedWork clipped = work_launched_by(trace, std::vector<SliceId>{linear}, {1'600, 1'650});
  CHECK(clipped.count == 1);
  CHECK(clipped.time == 50);
}

TEST_CASE("the stack above GPU work starts with its launch") {
  const Trace trace = linear();
  std::vector<std::string> names;
  for (const SliceId s : stack_above(trace, slice_named(trace, "gemm"))) names.emplace_back(trace.name(s));
  CHECK(names == std::vector<std::string>{"cudaLaunchKernel", "aten::addmm", "aten::linear", "<built-in method linear>",
                                          "nn.Module: Linear_0", "train.py(1): step"});
  CHECK(stack_above(trace, slice_named(trace, "alone")).empty());
  CHECK(stack_above(trace, slice_named(trace, "aten::addmm")).size() == 4);
  const LaunchSites sites = launch_sites_of(
      trace, std::vector<SliceId>{slice_named(trace, "gemm"), slice_named(trace, "bias"), slice_named(trace, "relu"),
                                  slice_named(trace, "alone"), slice_named(trace, "aten::linear")});
  CHECK(sites.count == 4);
  CHECK(sites.unlinked == 1);
  REQUIRE(sites.operators.size() == 2);
  CHECK(trace.text(sites.operators[0].name) == "aten::addmm");
  CHECK(sites.operators[0].count == 2);
  CHECK(sites.operators[0].time == 250);
  CHECK(sites.operators[0].first == slice_named(trace, "aten::addmm"));
  REQUIRE(sites.modules.size() == 1);
  CHECK(trace.text(sites.modules[0].name) == "nn.Module: Linear_0");
  CHECK(sites.modules[0].count == 3);
  REQUIRE(sites.frames.size() == 1);
  CHECK(trace.text(sites.frames[0].name) == "train.py(1): step");
}

/// The work of every slice of every name, against the parents of each launch; and of whole rows against
/// the statistics' column "GPU time".
void check_against_parents(const Trace& trace) {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<SliceId>> rows;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
      const SliceId s{LaneId{l}, i};
      rows[{std::string(trace.name(s)), trace.lanes()[l].category(i).value}].push_back(s);
    }
  std::map<SliceId, Nanos> inside;
  std::uint64_t linked = 0;
  for (const LaunchLink& link : trace.links().launches()) {
    ++linked;
    for (SliceId s = link.launch; s.valid(); s = trace.parent(s)) inside[s] += trace.span(link.activity).duration();
  }
  GroupOptions options;
  options.columns.gpu_time = true;
  const Result<GroupTable> table = compute_groups(trace, options);
  REQUIRE(table.has_value());
  std::uint64_t compared = 0;
  for (const GroupRow& row : table->rows) {
    const std::vector<SliceId>& places = rows.at({row.label, row.category.value});
    if (is_gpu_activity(trace.category_class(row.category))) continue;
    CAPTURE(row.label);
    CHECK(work_launched_by(trace, places).time == row.gpu_time);
    compared += row.gpu_time > 0;
  }
  CHECK(compared > 2);
  const LaunchedTotals totals(trace);
  for (const auto& [slice, time] : inside) {
    const LaunchedWork work = work_launched_by(trace, std::vector<SliceId>{slice});
    if (totals.of(slice).time != time) CHECK(totals.of(slice).time == time);
    if (totals.of(slice).count != work.count) CHECK(totals.of(slice).count == work.count);
    if (work.time != time) CHECK(work.time == time);  // one message, not thousands of checks
    if (first_work_of(trace, slice) != work.first) CHECK(first_work_of(trace, slice) == work.first);
  }
  std::vector<SliceId> activities;
  for (const auto& [row, places] : rows)
    if (is_gpu_activity(trace.category_class(CategoryId{row.second})))
      activities.insert(activities.end(), places.begin(), places.end());
  const LaunchSites sites = launch_sites_of(trace, activities);
  std::uint64_t in_operators = 0;
  for (const WorkRow& row : sites.operators) in_operators += row.count;
  CHECK(sites.count == trace.links().gpu_activities);
  CHECK(in_operators == linked);
  CHECK(sites.unlinked == trace.links().unlinked());
}

TEST_CASE("work and sites, by brute force") {
  for (std::uint32_t seed = 1; seed <= rounds(5U); ++seed) check_against_parents(random_trace(seed));
}

TEST_CASE("work and sites of real traces") {
  std::vector<const char*> names{"tracelens_mi300x_sglang_decode_hipgraph.json.gz",
                                 "tracelens_h100_qwen1.5_0.5b.json.gz", "hta_v100_ddp_rank1_trace_diff_test.json.gz"};
  names.resize(rounds(names.size()));
  for (const char* name : names) {
    CAPTURE(name);
    if (const auto trace = shared_trace(name)) check_against_parents(*trace);
  }
}

}  // namespace
}  // namespace lacuna

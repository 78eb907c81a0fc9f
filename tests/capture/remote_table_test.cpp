// Tables of a trace on another machine, against those that are computed here.
#include "capture/remote/remote_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "capture/remote/fields.h"
#include "capture/remote/table_answerer.h"
#include "model/groups/full_groups.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/trace_maker.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

Trace demo_trace() {
  const std::string path = source_folder() + "/assets/demo.trace.json.gz";
  Result<Trace> trace = import_files({{path}}, {});
  REQUIRE(trace);
  return std::move(*trace);
}

std::shared_ptr<const RemoteTable> table_of(TableAnswerer& answerer, const AskedTable& asked) {
  std::shared_ptr<const RemoteTable> table;
  REQUIRE(comes_true([&] { return (table = answerer.find(asked)) != nullptr; }));
  CHECK(table->asked == asked);
  return table;
}

std::string sent(const RemoteTable& table) {
  FieldWriter out;
  put(out, table);
  return out.take();
}

RemoteTable table_over_the_line(const RemoteTable& table, const Trace& trace) {
  const std::string bytes = sent(table);
  FieldReader in(bytes);
  std::optional<RemoteTable> came = get_remote_table(in, trace);
  REQUIRE(came);
  CHECK(in.is_at_end());
  CHECK(came->asked == table.asked);
  CHECK(sent(*came) == bytes);
  return std::move(*came);
}

TEST_CASE("groups of a trace elsewhere are those of the trace") {
  const Trace trace = demo_trace();
  TableAnswerer answerer(trace);
  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  for (const TimeSpan range : {TimeSpan::everything(), half}) {
    for (int by = 0; by <= static_cast<int>(GroupBy::kClass); ++by) {
      CAPTURE(by);
      GroupOptions options;
      options.by = static_cast<GroupBy>(by);
      options.range = range;
      const FullGroups here = compute_full_groups(trace, options);
      const RemoteTable there = table_over_the_line(*table_of(answerer, {options.by, range}), trace);
      CHECK(there.problem.empty());
      CHECK(there.rows_left_out == 0);
      CHECK(there.groups.cpu_self == here.table.cpu_self);
      CHECK(there.groups.gpu_total == here.table.gpu_total);
      REQUIRE(there.groups.rows.size() == here.table.rows.size());
      CHECK(!here.table.rows.empty());
      for (std::size_t i = 0; i < here.table.rows.size(); ++i) {
        const GroupRow &a = here.table.rows[i], &b = there.groups.rows[i];
        CHECK(a.label == b.label);
        CHECK(a.category == b.category);
        CHECK(a.count == b.count);
        CHECK(a.total == b.total);
        CHECK(a.self == b.self);
        CHECK(a.min == b.min);
        CHECK(a.p99 == b.p99);
        CHECK(a.counted == b.counted);
        CHECK(a.launch_delay == b.launch_delay);
        CHECK(a.gpu_time == b.gpu_time);
        CHECK(a.occupancy == b.occupancy);
        CHECK(a.grid == b.grid);
        CHECK(a.block == b.block);
        CHECK(a.tflops() == b.tflops());
        CHECK(a.flop_type == b.flop_type);
        CHECK(a.roofline.bound_time == b.roofline.bound_time);
        CHECK(a.roofline.bytes == b.roofline.bytes);
        CHECK(there.longest[i].lane == a.longest.lane);
        CHECK(there.longest[i].span == trace.span(a.longest));
        CHECK(there.longest[i].name == trace.name(a.longest));
      }
    }
  }
}

TEST_CASE("torch's table of a trace elsewhere is that of the trace") {
  const Trace trace = demo_trace();
  TableAnswerer answerer(trace);
  for (const AskedTorch asked : {AskedTorch{}, AskedTorch{true, 0, false}, AskedTorch{false, 3, true}}) {
    TorchTableOptions options;
    options.group_by_input_shape = asked.by_shape;
    options.group_by_stack_n = asked.stack_frames;
    options.include_python_functions = asked.python_functions;
    options.covered = true;
    const Result<TorchTable> here = compute_torch_table(trace, options);
    REQUIRE(here);
    const RemoteTable there = table_over_the_line(*table_of(answerer, {asked}), trace);
    CHECK(!here->rows.empty());
    CHECK(torch_table_text(there.torch) == torch_table_text(*here));
    TorchTextOptions covered;
    covered.covered = true;
    CHECK(torch_table_text(there.torch, covered) == torch_table_text(*here, covered));
    CHECK(there.totals.self_cpu == torch_totals(*here).self_cpu);
  }
}

TEST_CASE("of many rows those of the longest self time come, in their order, with the totals of all") {
  TraceMaker make;
  const int rows = static_cast<int>(kMostTableRows) + 200;
  for (int i = 0; i < rows; ++i) {
    const Nanos duration = i % 6 == 0 ? 10 : 1000 + i;  // 200 short ones
    make.thread(fmt::format("op{:04}", i), 10'000 * i, 10'000 * i + duration);
  }
  const Trace trace = make.build();
  TableAnswerer answerer(trace);
  const RemoteTable groups = table_over_the_line(*table_of(answerer, {GroupBy::kFamily}), trace);
  CHECK(groups.rows_left_out == 200);
  REQUIRE(groups.groups.rows.size() == kMostTableRows);
  CHECK(groups.groups.rows[0].label == "op0001");
  CHECK(groups.groups.rows.back().label == fmt::format("op{:04}", rows - 1));
  CHECK(groups.longest[0].span == TimeSpan{10'000, 11'001});
  const RemoteTable torch = table_over_the_line(*table_of(answerer, {AskedTorch{}}), trace);
  CHECK(torch.rows_left_out == 200);
  CHECK(torch.torch.rows.size() == kMostTableRows);
  CHECK(torch.totals.self_cpu > torch_totals(torch.torch).self_cpu + 1.9);
}

TEST_CASE("the latest question is answered, whatever was asked before it came") {
  const Trace trace = demo_trace();
  TableAnswerer answerer(trace);
  for (int i = 0; i < 40; ++i) {
    (void)answerer.find({static_cast<GroupBy>(i % 9)});
    (void)answerer.find({AskedTorch{i % 2 == 0, 0, false}});
  }
  const auto last = table_of(answerer, {GroupBy::kStep});
  CHECK(last->problem.empty());
  CHECK(answerer.find({GroupBy::kStep}) == last);  // is not computed again
  CHECK(table_of(answerer, {AskedTorch{}})->groups.rows.empty());
}

TEST_CASE("questions and tables that are cut or speak of what is not there are refused") {
  const Trace trace = demo_trace();
  TableAnswerer answerer(trace);
  RemoteTable table = *table_of(answerer, {GroupBy::kClass});
  REQUIRE(!table.groups.rows.empty());
  const std::string good = sent(table);
  const auto is_refused = [&](std::string_view bytes) {
    FieldReader in(bytes);
    return !get_remote_table(in, trace);
  };
  CHECK_FALSE(is_refused(good));
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(is_refused(std::string_view(good).substr(0, size)));
  const auto changed = [&](auto change) {
    RemoteTable other = table;
    change(other);
    return sent(other);
  };
  CHECK(is_refused(changed([](RemoteTable& t) { t.groups.rows[0].category.value = 60'000; })));
  CHECK(is_refused(changed([](RemoteTable& t) { t.longest[0].lane.value = 1'000'000; })));
  CHECK(is_refused(changed([](RemoteTable& t) { t.groups.rows[0].flop_type = static_cast<FlopType>(77); })));
  CHECK(is_refused(changed([](RemoteTable& t) {
    t.groups.rows.resize(kMostTableRows + 1, t.groups.rows[0]);
    t.longest.resize(kMostTableRows + 1, t.longest[0]);
  })));
  CHECK(is_refused(changed([](RemoteTable& t) { t.asked.what = static_cast<GroupBy>(200); })));
  CHECK(is_refused(changed([](RemoteTable& t) { t.torch.rows.resize(kMostTableRows + 1); })));
  CHECK_FALSE(is_refused(changed([](RemoteTable& t) { t.torch.rows.resize(2); })));
  CHECK(is_refused(changed([](RemoteTable& t) { t.torch.rows.resize(1), t.torch.rows[0].self_cpu = NAN; })));
}

}  // namespace
}  // namespace lacuna

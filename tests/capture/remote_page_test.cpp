// Pages of a trace on another machine, against those that are computed here.
#include "capture/remote/remote_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/groups/full_groups.h"
#include "tests/capture/remote_pages.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

TEST_CASE("groups of a trace elsewhere are those of the trace") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  for (const TimeSpan range : {TimeSpan::everything(), half}) {
    for (int by = 0; by <= static_cast<int>(GroupBy::kClass); ++by) {
      CAPTURE(by);
      GroupOptions options;
      options.by = static_cast<GroupBy>(by);
      options.range = range;
      const FullGroups here = compute_full_groups(trace, options);
      const RemotePage there = page_over_the_line(*page_of(answerer, {options.by, range}), trace);
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
  PageAnswerer answerer(trace, kReportFormat);
  for (const AskedTorch asked : {AskedTorch{}, AskedTorch{true, 0, false}, AskedTorch{false, 3, true}}) {
    TorchTableOptions options;
    options.group_by_input_shape = asked.by_shape;
    options.group_by_stack_n = asked.stack_frames;
    options.include_python_functions = asked.python_functions;
    options.covered = true;
    const Result<TorchTable> here = compute_torch_table(trace, options);
    REQUIRE(here);
    const RemotePage there = page_over_the_line(*page_of(answerer, {asked}), trace);
    CHECK(!here->rows.empty());
    CHECK(torch_table_text(there.torch) == torch_table_text(*here));
    TorchTextOptions covered;
    covered.covered = true;
    CHECK(torch_table_text(there.torch, covered) == torch_table_text(*here, covered));
    CHECK(there.totals.self_cpu == torch_totals(*here).self_cpu);
  }
}

void check_headline(const Headline& there, const Headline& here, const Trace& trace) {
  CHECK(there.worst == here.worst);
  REQUIRE(there.subjects.size() == here.subjects.size());
  for (std::size_t s = 0; s < here.subjects.size(); ++s) {
    const Headline::Subject &a = here.subjects[s], &b = there.subjects[s];
    CHECK(std::tuple(a.source, a.device, a.name, a.sentence, a.sure, a.is_good, a.window, a.idle, a.parts) ==
          std::tuple(b.source, b.device, b.name, b.sentence, b.sure, b.is_good, b.window, b.idle, b.parts));
    REQUIRE(a.levers.size() == b.levers.size());
    for (std::size_t l = 0; l < a.levers.size(); ++l) {
      CHECK(a.levers[l].text == b.levers[l].text);
      CHECK(a.levers[l].tooltip == b.levers[l].tooltip);
      check_places({b.levers[l].place}, {a.levers[l].place}, trace);
    }
  }
}

TEST_CASE("the report and the headline of a trace elsewhere are those of the trace") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const DescribedReports here = describe_reports(trace, kReportFormat);
  const DescribedReports there = page_over_the_line(*page_of(answerer, {AskedReport{}}), trace).reports;
  REQUIRE(here.files.size() == 1);
  REQUIRE(there.files.size() == 1);
  const DescribedReport &a = here.files[0], &b = there.files[0];
  CHECK(a.source == b.source);
  CHECK(a.window == b.window);
  CHECK(a.window_name == b.window_name);
  REQUIRE(a.sections.size() == b.sections.size());
  CHECK(a.sections.size() > 5);
  for (std::size_t s = 0; s < a.sections.size(); ++s) {
    const ReportSection &x = a.sections[s], &y = b.sections[s];
    CHECK(x.key == y.key);
    CHECK(x.title == y.title);
    REQUIRE(x.lines.size() == y.lines.size());
    for (std::size_t l = 0; l < x.lines.size(); ++l) {
      const ReportLine &m = x.lines[l], &n = y.lines[l];
      CHECK(std::tuple(m.text, m.tone, m.idle_of, m.cause, m.how_measured) ==
            std::tuple(n.text, n.tone, n.idle_of, n.cause, n.how_measured));
      check_places(n.places, m.places, trace);
    }
    CHECK(x.table.row_count == y.table.row_count);
    CHECK(x.table.rows == y.table.rows);
    CHECK(x.table.columns.size() == y.table.columns.size());
    check_places(y.table.places, x.table.places, trace);
  }
  REQUIRE(a.cards.size() == b.cards.size());
  for (std::size_t c = 0; c < a.cards.size(); ++c) {
    CHECK(std::tuple(a.cards[c].section, a.cards[c].title, a.cards[c].number, a.cards[c].caption, a.cards[c].picture) ==
          std::tuple(b.cards[c].section, b.cards[c].title, b.cards[c].number, b.cards[c].caption, b.cards[c].picture));
    REQUIRE(a.cards[c].parts.size() == b.cards[c].parts.size());
    for (std::size_t p = 0; p < a.cards[c].parts.size(); ++p) {
      CHECK(a.cards[c].parts[p].text == b.cards[c].parts[p].text);
      CHECK(a.cards[c].parts[p].size == b.cards[c].parts[p].size);
    }
  }
  check_headline(there.headline, here.headline, trace);

  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  const RangeReports range(trace);
  std::vector<Report> reports = range.over(half);
  for (Report& report : reports) range.advise(report);
  const Headline told = page_over_the_line(*page_of(answerer, {AskedHeadline{}, half}), trace).reports.headline;
  CHECK(!told.subjects.empty());
  check_headline(told, make_headline_by_class(trace, reports, kReportFormat), trace);
}

TEST_CASE("tables of idle time of a trace elsewhere are those of the trace, once its causes are known") {
  const Trace trace = demo_trace();
  const CauseIndex index(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const CausedTrace causes{index, streams};
  PageAnswerer answerer(trace, kReportFormat);
  for (const GapTable what : {GapTable::kCauses, GapTable::kOperators, GapTable::kDeadWindows}) {
    for (const bool whole_gpu : {true, false}) {
      const AskedPage asked{AskedGaps{what, whole_gpu, 1'000}};
      CHECK(answerer.find({asked}).empty());  // nothing is begun without causes
      PageAnswerer::Pages pages;
      REQUIRE(comes_true([&] { return !(pages = answerer.find({asked}, &causes)).empty(); }));
      const DescribedGaps there = page_over_the_line(*pages[0], trace).gaps;
      const DescribedGaps here = describe_gaps(causes, {what, whole_gpu, 1'000}, kReportFormat, kMostReportRows);
      CHECK(!here.table.rows.empty());
      CHECK(there.table.rows == here.table.rows);
      CHECK(there.table.row_count == here.table.row_count);
      CHECK(std::tuple(there.counted, there.left_out, there.not_charged) ==
            std::tuple(here.counted, here.left_out, here.not_charged));
      check_places(there.table.places, here.table.places, trace);
      for (std::size_t r = 0; r < here.table.places.size(); ++r)
        CHECK(there.table.places[r].gap_of == here.table.places[r].gap_of);
      RemotePage without_places = *pages[0];
      without_places.gaps.table.places.pop_back();
      CHECK(is_refused(sent(without_places, trace), trace));
    }
  }
}

TEST_CASE("a query of a trace elsewhere has the answer that it has here") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  QueryEngine engine(trace);
  const std::atomic<bool> cancel{false};
  std::uint64_t run = 0;
  for (const std::string sql :
       {"select id, ts, dur, name, 0.25 as r, null as n from slice order by dur desc limit 20", "select nonsense",
        "create view long as select * from slice where dur > 1000", "select count(*) as n, min(ts) from long",
        "select name from slice", "select gpu_id, 'a' || char(0) || 'b' as t from launch limit 3"}) {
    CAPTURE(sql);
    const QueryAnswer here = engine.run(sql, {kMostPageRows, kMostQueryBytes}, cancel);
    const RemotePage page = page_over_the_line(*page_of(answerer, {AskedSql{sql, ++run}}), trace);
    const QueryAnswer& there = page.query;
    CHECK(std::tuple(there.sql, there.count, there.is_cut_short, there.error, there.error_offset, there.is_cancelled) ==
          std::tuple(here.sql, here.count, here.is_cut_short, here.error, here.error_offset, here.is_cancelled));
    CHECK(there.rows.names() == here.rows.names());
    REQUIRE(there.rows.size() == here.rows.size());
    for (std::size_t row = 0; row < here.rows.size(); ++row) {
      for (std::size_t column = 0; column < here.rows.names().size(); ++column) {
        const Cell a = here.rows.cell(row, column), b = there.rows.cell(row, column);
        CHECK(std::tuple(a.kind, a.integer, a.real, a.text) == std::tuple(b.kind, b.integer, b.real, b.text));
      }
    }
    check_places(there.places, here.places, trace);
    if (here.count > kMostPageRows) CHECK(there.rows.size() == kMostPageRows);
  }
  const auto wide = page_of(answerer, {AskedSql{"select printf('%.*c', 3000, 'x') from slice", ++run}});
  CHECK(wide->query.rows.size() < 100);
  CHECK(wide->query.count > wide->query.rows.size());
  CHECK(sent(*wide, trace).size() < 2 * kMostQueryBytes);
  const std::string good = sent(*page_of(answerer, {AskedSql{"select name, dur from slice limit 50", ++run}}), trace);
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
}

TEST_CASE("several pages that are asked for come one after the other, in the order of the questions") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const std::vector<AskedPage> asked{{GroupBy::kStep}, {AskedReport{}}, {AskedTorch{}}};
  PageAnswerer::Pages pages;
  REQUIRE(comes_true([&] { return (pages = answerer.find(asked)).size() == asked.size(); }));
  for (std::size_t i = 0; i < asked.size(); ++i) CHECK(pages[i]->asked == asked[i]);
  // Some of them asked for again are the same, not computed once more.
  CHECK(answerer.find({asked[2], asked[0]}) == PageAnswerer::Pages{pages[2], pages[0]});
}

TEST_CASE("a query that never ends holds up no other page, and ends when it is not asked for any more") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const AskedPage endless{
      AskedSql{"with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n", 1}};
  const AskedPage headline{AskedHeadline{}, trace.span()};
  PageAnswerer::Pages pages;
  REQUIRE(comes_true([&] { return !(pages = answerer.find({endless, headline})).empty(); }));
  CHECK(pages.front()->asked == headline);
  CHECK(page_of(answerer, {AskedSql{"select 1", 2}})->query.count == 1);
}

TEST_CASE("of many rows those of the longest self time come, in their order, with the totals of all") {
  TraceMaker make;
  const int rows = static_cast<int>(kMostPageRows) + 200;
  for (int i = 0; i < rows; ++i) {
    const Nanos duration = i % 6 == 0 ? 10 : 1000 + i;  // 200 short ones
    make.thread(fmt::format("op{:04}", i), 10'000 * i, 10'000 * i + duration);
  }
  const Trace trace = make.build();
  PageAnswerer answerer(trace, kReportFormat);
  const RemotePage groups = page_over_the_line(*page_of(answerer, {GroupBy::kFamily}), trace);
  CHECK(groups.rows_left_out == 200);
  REQUIRE(groups.groups.rows.size() == kMostPageRows);
  CHECK(groups.groups.rows[0].label == "op0001");
  CHECK(groups.groups.rows.back().label == fmt::format("op{:04}", rows - 1));
  CHECK(groups.longest[0].span == TimeSpan{10'000, 11'001});
  const RemotePage torch = page_over_the_line(*page_of(answerer, {AskedTorch{}}), trace);
  CHECK(torch.rows_left_out == 200);
  CHECK(torch.torch.rows.size() == kMostPageRows);
  CHECK(torch.totals.self_cpu > torch_totals(torch.torch).self_cpu + 1.9);
}

TEST_CASE("the latest question is answered, whatever was asked before it came") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  for (int i = 0; i < 40; ++i) {
    (void)answerer.find({{static_cast<GroupBy>(i % 9)}});
    (void)answerer.find({{AskedTorch{i % 2 == 0, 0, false}}});
  }
  const auto last = page_of(answerer, {GroupBy::kStep});
  CHECK(last->problem.empty());
  CHECK(answerer.find({{GroupBy::kStep}}) == PageAnswerer::Pages{last});  // is not computed again
  CHECK(page_of(answerer, {AskedTorch{}})->groups.rows.empty());
}

TEST_CASE("questions and tables that are cut or speak of what is not there are refused") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  RemotePage table = *page_of(answerer, {GroupBy::kClass});
  REQUIRE(!table.groups.rows.empty());
  const std::string good = sent(table, trace);
  CHECK_FALSE(is_refused(good, trace));
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = table;
    change(other);
    return is_refused(sent(other, trace), trace);
  };
  CHECK(changed([](RemotePage& t) { t.groups.rows[0].category.value = 60'000; }));
  CHECK(changed([](RemotePage& t) { t.longest[0].lane.value = 1'000'000; }));
  CHECK(changed([](RemotePage& t) { t.groups.rows[0].flop_type = static_cast<FlopType>(77); }));
  CHECK(changed([](RemotePage& t) {
    t.groups.rows.resize(kMostPageRows + 1, t.groups.rows[0]);
    t.longest.resize(kMostPageRows + 1, t.longest[0]);
  }));
  CHECK(changed([](RemotePage& t) { t.asked.what = static_cast<GroupBy>(200); }));
  CHECK(changed([](RemotePage& t) { t.torch.rows.resize(kMostPageRows + 1); }));
  CHECK_FALSE(changed([](RemotePage& t) { t.torch.rows.resize(2); }));
  CHECK(changed([](RemotePage& t) { t.torch.rows.resize(1), t.torch.rows[0].self_cpu = NAN; }));
}

TEST_CASE("a report that is cut or does not hold together is refused") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const RemotePage page = *page_of(answerer, {AskedReport{}});
  const std::string good = sent(page, trace);
  CHECK_FALSE(is_refused(good, trace));
  for (std::size_t size = 0; size < good.size(); size += 97)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = page;
    change(other.reports.files[0], other.reports.headline);
    return is_refused(sent(other, trace), trace);
  };
  using File = DescribedReport;
  CHECK(changed([](File& f, Headline&) { f.source.value = 7; }));
  CHECK(changed([](File& f, Headline&) { f.source = {}; }));
  CHECK(changed([](File& f, Headline&) { f.sections[0].lines[0].how_measured = 1'000'000; }));
  CHECK(changed([](File& f, Headline&) { f.sections[0].lines[0].cause = static_cast<GapCause>(99); }));
  CHECK(changed([](File& f, Headline&) {
    for (ReportSection& section : f.sections)
      if (!section.table.rows.empty()) section.table.rows[0].pop_back();
  }));
  CHECK(changed([](File& f, Headline&) { f.sections.resize(kMostPageRows + 1, f.sections[0]); }));
  CHECK(changed([](File& f, Headline&) {
    for (ReportCard& card : f.cards)
      if (!card.parts.empty()) card.parts[0].size = NAN;
  }));
  CHECK(changed([](File&, Headline& h) { h.worst = h.subjects.size(); }));
  CHECK(changed([](File&, Headline& h) { h.subjects[0].parts[0].kernel_class = static_cast<KernelClass>(50); }));
}

}  // namespace
}  // namespace lacuna

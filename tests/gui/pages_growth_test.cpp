// Twice the input, at most two and a half times the cost: what the pages of the window compute, and what is computed
// with each document.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/gui/core/background_jobs.h"
#include "app/gui/models/area/range_analysis.h"
#include "app/gui/models/calls/call_view.h"
#include "app/gui/models/details/launched_work_view.h"
#include "app/gui/models/gaps/gap_causes.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/headline/headline_view.h"
#include "app/gui/models/memory/memory_view.h"
#include "app/gui/models/minimap/activity_overview.h"
#include "app/gui/models/path/path_view.h"
#include "app/gui/models/path/what_if_view.h"
#include "app/gui/models/report/report_view.h"
#include "app/gui/models/roofline/roofline_view.h"
#include "app/gui/models/search/search.h"
#include "app/gui/models/statistics/group_view.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/models/statistics/torch_view.h"
#include "model/import/importer.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/growth_inputs.h"
#include "tests/support/skip.h"

namespace lacuna {
namespace {

struct GrownPage {
  std::string name;
  std::function<void(const DocumentPtr&, BackgroundJobs&)> show;
};

GrownPage calls_page(std::string name, CallMetric metric, bool bottom_up, bool as_table) {
  return {std::move(name), [=](const DocumentPtr& document, BackgroundJobs& jobs) {
            CallView view(jobs);
            view.metric = metric;
            view.bottom_up = bottom_up;
            view.as_table = as_table;
            view.with_python = true;
            CallView::Selected selected;
            selected.document = document;
            GapCauses causes(jobs);
            causes.open(document);
            causes.settle();
            selected.causes = causes.shared_analysis();
            view.ask(selected);
            view.settle();
            view.update();
            view.filter = "a";
            view.update();
          }};
}

std::vector<GrownPage> grown_pages() {
  std::vector<GrownPage> pages{
      calls_page("calls", CallMetric::kCpuTime, false, false),
      calls_page("calls by GPU, bottom up, as a table", CallMetric::kGpuTime, true, true),
      calls_page("calls by idle time", CallMetric::kIdleTime, false, true),
      {"statistics",
       [](const DocumentPtr& document, BackgroundJobs&) {
         StatisticsView view;
         view.update(document->trace, document->statistics, 1);
         view.filter = "a";
         view.update(document->trace, document->statistics, 1);
       }},
      {"statistics of a range", [](const DocumentPtr& document,
                                   BackgroundJobs&) { (void)analyze_range(*document, document->trace.span(), {}); }},
      {"torch's table",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         TorchView view(jobs);
         view.ask(document, TimeSpan::everything());
         view.settle();
         view.update();
       }},
      {"critical path",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         PathView view(jobs);
         view.ask(document, document->trace.span());
         view.settle();
         (void)view.marks(document);
       }},
      {"what if",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         WhatIfView view(jobs);
         view.ask(document);
         view.settle();
       }},
      {"roofline",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         RooflineView view(jobs);
         view.ask(document, document->trace.span());
         view.settle();
       }},
      {"report",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         ReportView view(jobs);
         view.ask(document);
         view.settle();
       }},
      {"headline",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         HeadlineView view(jobs);
         view.ask(document, document->trace.span(), "all");
         view.settle();
       }},
      {"gaps with causes and rankings",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         GapCauses causes(jobs);
         causes.open(document);
         causes.settle();
         for (const bool whole_gpu : {false, true}) {
           causes.rank({}, whole_gpu);
           causes.settle();
         }
         GapList list(jobs);
         list.update(document, {}, GapColumn::kDuration, true);
         if (const GapRef gap = list.longest(*document); gap.valid()) (void)causes.story(gap);
         causes.settle();
       }},
      {"search",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         Search search(jobs);
         search.open(document);
         search.set_text("mm arg:key1 track:worker");
         search.settle();
         search.set_text("gemm");
         search.settle();
       }},
      {"memory",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         MemoryView view(jobs);
         view.ask(document);
         view.settle();
       }},
      {"work launched",
       [](const DocumentPtr& document, BackgroundJobs& jobs) {
         std::vector<SliceId> places;
         for (std::uint32_t l = 0; l < document->trace.lanes().size(); ++l)
           for (std::uint32_t i = 0; i < document->trace.lanes()[l].size(); ++i) places.push_back({LaneId{l}, i});
         LaunchedWorkView view(jobs);
         view.ask(document, std::move(places), TimeSpan::everything());
         view.settle();
       }},
      {"overview", [](const DocumentPtr& document, BackgroundJobs&) { (void)make_overview(*document); }},
  };
  for (const GroupBy by : {GroupBy::kShape, GroupBy::kModule, GroupBy::kStack, GroupBy::kStep, GroupBy::kFamily})
    pages.push_back(
        {fmt::format("statistics by {}", group_by_name(by)), [by](const DocumentPtr& document, BackgroundJobs& jobs) {
           GroupView view(jobs);
           view.by = by;
           view.ask(document, TimeSpan::everything(), {});
           view.settle();
           view.update();
         }});
  return pages;
}

void check_pages(const GrowingInput& input) {
  const std::vector<GrownPage> pages = grown_pages();
  const std::string texts[] = {input.json(input.count), input.json(input.count * kGrowth)};
  const auto open = [&](bool is_large) {
    Result<Trace> trace = import_json(texts[is_large ? 1 : 0]);
    REQUIRE(trace.has_value());
    return make_document(std::move(*trace), {"grown.json"});
  };
  check_growth(fmt::format("{}: a document", input.dimension),
               [&](bool is_large, std::string&) { (void)open(is_large); });
  const DocumentPtr documents[] = {open(false), open(true)};
  for (const GrownPage& page : pages) {
    check_growth(fmt::format("{}: {}", input.dimension, page.name), [&](bool is_large, std::string&) {
      BackgroundJobs jobs;
      page.show(documents[is_large ? 1 : 0], jobs);
    });
  }
}

TEST_CASE("twice the input costs at most two and a half times as much, for every page and dimension") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : growing_inputs()) check_pages(input);
}

TEST_CASE("pages find what lies deep at once, however deep it is") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : deep_inputs()) check_pages(input);
}

TEST_CASE("pages with hundreds of GPUs and thousands of streams cost for each as much as for a few") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : wide_inputs()) check_pages(input);
}

}  // namespace
}  // namespace lacuna

#include "app/gui/models/statistics/torch_view.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "app/gui/workspace/workspace.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// Two steps; kernels on two streams that overlap.
Trace steps_of_torch() {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 10'000, "user_annotation")
      .thread("aten::mm", 1'000, 4'000)
      .thread("ProfilerStep#2", 10'000, 20'000, "user_annotation")
      .thread("aten::mm", 11'000, 15'000)
      .kernel("gemm", 2'000, 6'000)
      .kernel("gemm", 4'000, 8'000, 0, "8");
  return make.build();
}

struct TorchFixture {
  TorchFixture() : document(make_document(steps_of_torch(), {"literal"})) {
    view.ask(document, TimeSpan::everything());
    view.settle();
  }
  const TorchRow* row(std::string_view name, bool on_gpu) const {
    for (const std::uint32_t i : view.rows()) {
      const TorchRow& r = view.table()->rows[i];
      if (r.name == name && r.is_on_gpu == on_gpu) return &r;
    }
    return nullptr;
  }
  DocumentPtr document;
  BackgroundJobs jobs;
  TorchView view{jobs};
};

TEST_CASE("no table before the first answer, none after reset") {
  BackgroundJobs jobs;
  TorchView view{jobs};
  CHECK(view.table() == nullptr);
  view.ask(make_document(steps_of_torch(), {"literal"}), TimeSpan::everything());
  CHECK(view.table() == nullptr);
  CHECK(view.is_computing());
  view.settle();
  REQUIRE(view.table() != nullptr);
  view.reset();
  CHECK(view.table() == nullptr);
  CHECK(view.text().empty());
}

TEST_CASE_FIXTURE(TorchFixture, "the rows are those of compute_torch_table, sorted by the key") {
  CHECK(view.rows().size() == compute_torch_table(document->trace)->rows.size());
  REQUIRE(row("aten::mm", false) != nullptr);
  CHECK(row("aten::mm", false)->count == 2);
  view.sort = TorchSortKey::kCpuTotal;
  view.update();
  CHECK(view.table()->rows.front().name == "ProfilerStep*");
  view.sort = TorchSortKey::kSelfDevice;
  view.update();
  CHECK(view.table()->rows.front().name == "gemm");
}

TEST_CASE_FIXTURE(TorchFixture, "both time modes come from one answer") {
  const TorchRow* gemm = row("gemm", true);
  REQUIRE(gemm != nullptr);
  CHECK(gemm->self_device == 8);
  CHECK(gemm->self_device_covered == 6'000);
  view.covered = true;
  CHECK(view.update());
  CHECK(!view.is_computing());
  CHECK(view.text().find("CUDA covered") != std::string::npos);
  view.covered = false;
  view.update();
  CHECK(view.text().find("CUDA covered") == std::string::npos);
}

TEST_CASE_FIXTURE(TorchFixture, "a range counts the events that start in it") {
  view.ask(document, {10'000, 20'000});
  CHECK(view.is_computing());
  CHECK(row("aten::mm", false)->count == 2);  // the last complete answer stays
  view.settle();
  CHECK(row("aten::mm", false)->count == 1);
  CHECK(row("gemm", true) == nullptr);
  view.ask(document, {10'000, 20'000});
  CHECK(!view.is_computing());
}

TEST_CASE_FIXTURE(TorchFixture, "filter, side and top level") {
  view.filter = "GEM";
  view.update();
  CHECK(view.rows().size() == 1);
  CHECK(view.events() == 2);
  view.filter.clear();
  view.side = StatisticsSide::kCpu;
  view.update();
  CHECK(row("gemm", true) == nullptr);
  CHECK(row("aten::mm", false) != nullptr);
  view.top_level_only = true;
  view.update();
  CHECK(row("aten::mm", false) == nullptr);
  CHECK(row("ProfilerStep*", false) != nullptr);
}

TEST_CASE_FIXTURE(TorchFixture, "the columns have cells as torch prints them, and definitions") {
  const auto columns = torch_columns(*view.table(), view.totals(), view.options, false);
  const auto find = [&](std::string_view title) { return std::ranges::find(columns, title, &TorchColumn::title); };
  REQUIRE(find("Self CUDA") != columns.end());
  REQUIRE(find("CPU Mem") == columns.end());
  REQUIRE(find("Input Shapes") == columns.end());
  const TorchRow& gemm = *row("gemm", true);
  CHECK(find("Self CUDA")->cell(*view.table(), view.totals(), gemm) == "8.000us");
  CHECK(find("Self CUDA %")->cell(*view.table(), view.totals(), gemm) == "100.00%");
  CHECK(find("# of Calls")->cell(*view.table(), view.totals(), gemm) == "2");
  // Every title and cell is in the text that torch would print.
  const std::string text = view.text();
  for (const TorchColumn& column : columns) {
    CAPTURE(column.title);
    CHECK(text.find(column.title) != std::string::npos);
    CHECK(text.find(column.cell(*view.table(), view.totals(), gemm)) != std::string::npos);
  }
}

TEST_CASE_FIXTURE(TorchFixture, "a row leads to the slices that it stands for") {
  BackgroundJobs jobs;
  Workspace workspace{jobs};
  workspace.open(document);
  workspace.highlight(*row("ProfilerStep*", false));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 2);
  workspace.highlight(*row("gemm", true));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 2);
  workspace.set_area(TimeSpan{0, 3'000});
  workspace.highlight(*row("gemm", true));
  workspace.settle();
  CHECK(workspace.occurrences().size() == 1);
}

}  // namespace
}  // namespace lacuna

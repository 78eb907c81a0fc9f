#include "app/gui/models/statistics/group_view.h"

#include <doctest/doctest.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/tables/group_columns.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

Trace steps() {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 10'000, "user_annotation")
      .thread("aten::mm", 1'000, 2'000)
      .thread("aten::add", 3'000, 3'500)
      .thread("ProfilerStep#2", 10'000, 20'000, "user_annotation")
      .thread("aten::mm", 11'000, 15'000)
      .kernel("gemm", 1'500, 1'900);
  return make.build();
}

TEST_CASE("groups are those of compute_groups, sorted and filtered") {
  const DocumentPtr document = make_document(steps(), {"literal"});
  BackgroundJobs jobs;
  GroupView view{jobs};
  view.by = GroupBy::kName;
  view.ask(document, TimeSpan::everything(), {});
  CHECK(view.table() == nullptr);
  view.settle();
  REQUIRE(view.table() != nullptr);
  GroupOptions options;
  CHECK(view.rows().size() == compute_groups(document->trace, options)->rows.size());
  const auto label = [&](std::size_t i) { return view.table()->rows[view.rows()[i]].label; };
  view.filter = "aten";
  view.sort = "p99";
  view.update();
  REQUIRE(view.rows().size() == 2);
  CHECK(label(0) == "aten::mm");
  CHECK(view.table()->rows[view.rows()[0]].p99 == 4'000);
  view.descending = false;
  view.update();
  CHECK(label(0) == "aten::add");
  view.sort = "label";
  view.update();
  CHECK(label(0) == "aten::add");
  view.filter.clear();
  view.side = StatisticsSide::kGpu;
  view.update();
  REQUIRE(view.rows().size() == 1);
  CHECK(label(0) == "gemm");
}

TEST_CASE("another grouping, range or track is another question") {
  const DocumentPtr document = make_document(steps(), {"literal"});
  BackgroundJobs jobs;
  GroupView view{jobs};
  view.by = GroupBy::kStep;
  view.ask(document, TimeSpan::everything(), {});
  view.settle();
  const std::size_t whole = view.rows().size();
  view.ask(document, TimeSpan::everything(), {});
  CHECK(!view.is_computing());
  view.ask(document, {0, 10'000}, {});
  CHECK(view.is_computing());
  view.settle();
  CHECK(view.rows().size() < whole);
  view.ask(make_document(steps(), {"other"}), TimeSpan::everything(), {});
  CHECK(view.table() == nullptr);
}

TEST_CASE("every column of the groups has a definition") {
  for (const GroupColumn& column : group_columns()) {
    CAPTURE(column.title);
    CHECK(!column_definition("statistics", column.title).empty());
  }
}

}  // namespace
}  // namespace lacuna

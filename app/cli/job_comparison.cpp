#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/cli/job.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "app/tables/job_comparison_tables.h"
#include "model/job/job_compare.h"

namespace lacuna {
namespace {

Json figures_json(const JobFigures& figures) {
  return {{"ranks", figures.ranks},
          {"steps", figures.steps},
          {"stepNs", figures.step},
          {"waitedNs", figures.waited},
          {"lostNs", figures.lost}};
}

Json side_json(const CollectiveChange::Side& side) {
  return {
      {"perStep", side.per_step}, {"waitedNs", side.waited}, {"transferNs", side.transfer}, {"totalNs", side.total}};
}

std::string_view change_key(StragglerChange::Kind kind) {
  switch (kind) {
    case StragglerChange::Kind::kGone:
      return "gone";
    case StragglerChange::Kind::kNew:
      return "new";
    case StragglerChange::Kind::kStays:
      break;
  }
  return "stays";
}

}  // namespace

void write_job_comparison_json(const JobComparison& both, Output& out) {
  JsonWriter json(out);
  json.member("a", figures_json(both.a));
  json.member("b", figures_json(both.b));
  json.begin_list("collectives");
  for (const CollectiveChange& change : both.collectives)
    json.element(
        {{"name", change.name}, {"group", change.group}, {"a", side_json(change.a)}, {"b", side_json(change.b)}});
  json.end();
  json.begin_list("stragglers");
  for (const StragglerChange& change : both.stragglers)
    json.element({{"rank", change.rank},
                  {"causeName", late_cause_name(change.cause)},
                  {"change", change_key(change.kind())},
                  {"aLostNs", change.a},
                  {"bLostNs", change.b}});
  json.end();
  json.finish();
}

void print_job_comparison(const JobComparison& both, const JobCommand& command, Output& out) {
  for (const JobTable& table : job_comparison_tables(both)) {
    if (table.rows.empty()) {
      if (!table.none.empty()) out.write("\n" + table.none + "\n");
      continue;
    }
    if (!table.title.empty()) out.write("\n" + table.title + "\n");
    std::vector<TextTable::Column> columns;
    for (const JobTable::Column& column : table.columns)
      columns.push_back({.title = column.title,
                         .right_aligned = column.is_number,
                         .flexible = !column.is_number && column.title != "Group",
                         .drop_order = column.drop_order});
    TextTable text(std::move(columns));
    const std::size_t shown = command.limit == 0 ? table.rows.size() : std::min(command.limit, table.rows.size());
    for (std::size_t r = 0; r < shown; ++r) text.add_row(table.rows[r]);
    text.print(out, command.width);
    if (shown < table.rows.size()) out.write(fmt::format("{} of {}; all: --limit 0\n", shown, table.rows.size()));
  }
}

}  // namespace lacuna

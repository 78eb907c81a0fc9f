#include <fmt/format.h>

#include "app/cli/job.h"
#include "app/cli/json_writer.h"
#include "app/cli/table_writers.h"
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
  write_json_rows(straggler_table(both), "stragglers", json, out);
  json.finish();
}

void print_job_comparison(const JobComparison& both, const JobCommand& command, Output& out) {
  for (JobTable& table : job_comparison_tables(both)) {
    if (table.rows == 0) {
      if (!table.none.empty()) out.write("\n" + table.none + "\n");
      continue;
    }
    if (!table.title.empty()) out.write("\n" + table.title + "\n");
    const std::size_t all = table.rows;
    table.limit(command.limit);
    print_table(table, command.width, out);
    if (table.rows < all) out.write(fmt::format("{} of {}; all: --limit 0\n", table.rows, all));
  }
}

}  // namespace lacuna

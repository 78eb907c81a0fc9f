#include "app/tables/job_comparison_tables.h"

#include <utility>

#include <fmt/format.h>

#include "render/format.h"

namespace lacuna {
namespace {

/// "+12.5 %"; "new" and "gone" where one side is 0.
std::string change_text(Nanos a, Nanos b) {
  if (a == b) return "same";
  if (a == 0) return "new";
  if (b == 0) return "gone";
  return fmt::format("{:+.1f} %", (static_cast<double>(b) / static_cast<double>(a) - 1) * 100);
}

std::string cost_text(Nanos lost) {
  return lost == 0 ? "-" : format_duration(lost);
}

JobTable figures(const JobComparison& both) {
  JobTable table;
  table.columns = {{"Both jobs, by step"}, {"A", true}, {"B", true}, {"Change", true}};
  table.rows.push_back({"Ranks", format_count(both.a.ranks), format_count(both.b.ranks), ""});
  table.rows.push_back({"Steps", format_count(both.a.steps), format_count(both.b.steps), ""});
  const auto time_row = [&](const char* title, Nanos a, Nanos b) {
    table.rows.push_back({title, format_duration(a), format_duration(b), change_text(a, b)});
  };
  time_row("Step (median)", both.a.step, both.b.step);
  time_row("Waited in collectives, each rank", both.a.waited, both.b.waited);
  time_row("Lost to stragglers, all ranks", both.a.lost, both.b.lost);
  return table;
}

JobTable stragglers(const JobComparison& both) {
  JobTable table;
  table.title = "Stragglers, by what they cost the others in a step";
  table.none = "Neither job has a rank that made the others wait longer than chance does.";
  table.columns = {{"Rank", true}, {"Cause"}, {"A", true}, {"B", true}, {"Change", true}};
  for (const StragglerChange& change : both.stragglers)
    table.rows.push_back({std::to_string(change.rank), std::string(late_cause_name(change.cause)), cost_text(change.a),
                          cost_text(change.b), change_text(change.a, change.b)});
  return table;
}

JobTable collectives(const JobComparison& both) {
  JobTable table;
  table.title = "Collectives, by the change of the time that a rank spends in them in a step";
  table.columns = {{"Collective"},     {"Group"},          {"A a step", true, 2},   {"B a step", true, 2},
                   {"A waited", true}, {"B waited", true}, {"A transfer", true, 1}, {"B transfer", true, 1},
                   {"Change", true}};
  for (const CollectiveChange& change : both.collectives)
    table.rows.push_back({change.name, change.group, fmt::format("{:.4g}", change.a.per_step),
                          fmt::format("{:.4g}", change.b.per_step), format_duration(change.a.waited),
                          format_duration(change.b.waited), format_duration(change.a.transfer),
                          format_duration(change.b.transfer), change_text(change.a.total, change.b.total)});
  return table;
}

}  // namespace

std::vector<JobTable> job_comparison_tables(const JobComparison& both) {
  return {figures(both), stragglers(both), collectives(both)};
}

}  // namespace lacuna

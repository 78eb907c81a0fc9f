#include <cstdlib>

#include <fmt/format.h>

#include "app/cli/job.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "model/job/job_compare.h"
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
  TextTable figures({{.title = "Both jobs, by step"},
                     {.title = "A", .right_aligned = true},
                     {.title = "B", .right_aligned = true},
                     {.title = "Change", .right_aligned = true}});
  figures.add_row({"Ranks", format_count(both.a.ranks), format_count(both.b.ranks), ""});
  figures.add_row({"Steps", format_count(both.a.steps), format_count(both.b.steps), ""});
  const auto time_row = [&](const char* title, Nanos a, Nanos b) {
    figures.add_row({title, format_duration(a), format_duration(b), change_text(a, b)});
  };
  time_row("Step (median)", both.a.step, both.b.step);
  time_row("Waited in collectives, each rank", both.a.waited, both.b.waited);
  time_row("Lost to stragglers, all ranks", both.a.lost, both.b.lost);
  figures.print(out, command.width);

  if (both.stragglers.empty()) {
    out.write("\nNeither job has a rank that made the others wait longer than chance does.\n");
  } else {
    out.write("\nStragglers, by what they cost the others in a step\n");
    TextTable table({{.title = "Rank", .right_aligned = true},
                     {.title = "Cause", .flexible = true},
                     {.title = "A", .right_aligned = true},
                     {.title = "B", .right_aligned = true},
                     {.title = "Change", .right_aligned = true}});
    for (const StragglerChange& change : both.stragglers)
      table.add_row({std::to_string(change.rank), std::string(late_cause_name(change.cause)),
                     change.a == 0 ? "-" : format_duration(change.a), change.b == 0 ? "-" : format_duration(change.b),
                     change_text(change.a, change.b)});
    table.print(out, command.width);
  }
  if (both.collectives.empty()) return;
  out.write("\nCollectives, by the change of the time that a rank spends in them in a step\n");
  TextTable table({{.title = "Collective", .flexible = true},
                   {.title = "Group"},
                   {.title = "A a step", .right_aligned = true, .drop_order = 2},
                   {.title = "B a step", .right_aligned = true, .drop_order = 2},
                   {.title = "A waited", .right_aligned = true},
                   {.title = "B waited", .right_aligned = true},
                   {.title = "A transfer", .right_aligned = true, .drop_order = 1},
                   {.title = "B transfer", .right_aligned = true, .drop_order = 1},
                   {.title = "Change", .right_aligned = true}});
  std::size_t shown = 0;
  for (const CollectiveChange& change : both.collectives) {
    if (command.limit != 0 && shown == command.limit) break;
    ++shown;
    table.add_row({change.name, change.group, fmt::format("{:.4g}", change.a.per_step),
                   fmt::format("{:.4g}", change.b.per_step), format_duration(change.a.waited),
                   format_duration(change.b.waited), format_duration(change.a.transfer),
                   format_duration(change.b.transfer), change_text(change.a.total, change.b.total)});
  }
  table.print(out, command.width);
  if (shown < both.collectives.size())
    out.write(fmt::format("{} of {}; all: --limit 0\n", shown, both.collectives.size()));
}

}  // namespace lacuna

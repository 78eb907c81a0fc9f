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

Table figures(const JobComparison& both) {
  struct Figure {
    std::string_view title;
    std::size_t JobFigures::*count = nullptr;
    Nanos JobFigures::*time = nullptr;
  };
  static constexpr Figure kFigures[] = {{"Ranks", &JobFigures::ranks},
                                        {"Steps", &JobFigures::steps},
                                        {"Step (median)", nullptr, &JobFigures::step},
                                        {"Waited in collectives, each rank", nullptr, &JobFigures::waited},
                                        {"Lost to stragglers, all ranks", nullptr, &JobFigures::lost}};
  TableOf<Figure> table(kFigures);
  const auto side = [](const JobFigures& job) {
    return [&job](const Figure& of) {
      return of.count != nullptr ? format_count(job.*of.count) : format_duration(job.*of.time);
    };
  };
  table.name({"Both jobs, by step"}, &Figure::title);
  table.number({"A"}, side(both.a));
  table.number({"B"}, side(both.b));
  table.number({"Change"}, [&both](const Figure& of) {
    return of.time != nullptr ? change_text(both.a.*of.time, both.b.*of.time) : std::string();
  });
  return table;
}

Table collectives(const JobComparison& both) {
  using Change = CollectiveChange;
  TableOf<Change> table(both.collectives);
  const auto time = [&table](const char* title, Change::Side Change::*of, Nanos Change::Side::*what, int order = 0) {
    table.number({title, {}, order}, [=](const Change& change) { return format_duration(change.*of.*what); });
  };
  table.name({"Collective"}, &Change::name);
  table.text({"Group"}, &Change::group);
  table.number({"A a step", {}, 2}, [](const Change& change) { return fmt::format("{:.4g}", change.a.per_step); });
  table.number({"B a step", {}, 2}, [](const Change& change) { return fmt::format("{:.4g}", change.b.per_step); });
  time("A waited", &Change::a, &Change::Side::waited);
  time("B waited", &Change::b, &Change::Side::waited);
  time("A transfer", &Change::a, &Change::Side::transfer, 1);
  time("B transfer", &Change::b, &Change::Side::transfer, 1);
  table.number({"Change"}, [](const Change& change) { return change_text(change.a.total, change.b.total); });
  return table;
}

}  // namespace

JobTable straggler_table(const JobComparison& both) {
  using Change = StragglerChange;
  TableOf<Change> table(both.stragglers);
  table.number({"Rank", "rank"}, &Change::rank, [](const Change& change) { return std::to_string(change.rank); });
  table.name({"Cause", "causeName"}, [](const Change& change) { return late_cause_name(change.cause); });
  const auto change_key = [](const Change& change) {
    constexpr std::string_view kKeys[] = {"stays", "gone", "new"};
    return kKeys[static_cast<std::size_t>(change.kind())];
  };
  table.number({"Change", "change"}, change_key, [](const Change& change) { return change_text(change.a, change.b); });
  table.number({"A", "aLostNs"}, &Change::a, [](const Change& change) { return cost_text(change.a); });
  table.number({"B", "bLostNs"}, &Change::b, [](const Change& change) { return cost_text(change.b); });
  table.shown = {"Rank", "Cause", "A", "B", "Change"};
  return {std::move(table), "Stragglers, by what they cost the others in a step",
          "Neither job has a rank that made the others wait longer than chance does."};
}

std::vector<JobTable> job_comparison_tables(const JobComparison& both) {
  return {{figures(both), {}, {}},
          straggler_table(both),
          {collectives(both), "Collectives, by the change of the time that a rank spends in them in a step", {}}};
}

}  // namespace lacuna

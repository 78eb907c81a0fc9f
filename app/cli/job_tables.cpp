#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/cli/job.h"
#include "app/cli/table_writers.h"
#include "app/tables/csv.h"
#include "model/base/stable_sort.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::string number_or_nothing(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : std::string();
}

void write_collective_rows(const Job& job, bool with_ranks, Output& out) {
  out.write(with_ranks ? "collective,name,group,step,rank,start_ns,end_ns,wait_ns\n"
                       : "name,group,group_name,step,ranks,last_rank,late_ns,waited_ns,transfer_ns,start_ns\n");
  for (std::size_t i = 0; i < job.collectives.size() && out.ok(); ++i) {
    const JobCollective& c = job.collectives[i];
    const JobGroup& group = job.groups[c.group];
    const std::string name = csv_field(job.name_of(c)), title = csv_field(group.title());
    const JobPart& last = job.last_of(c);
    if (!with_ranks) {
      out.write(fmt::format("{},{},{},{},{},{},{},{},{},{}\n", name, title, csv_field(group.name),
                            number_or_nothing(c.step), c.count, job.ranks[last.rank].rank, c.late, c.waited, c.transfer,
                            last.start));
      continue;
    }
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p)
      out.write(fmt::format("{},{},{},{},{},{},{},{}\n", i, name, title, number_or_nothing(c.step),
                            job.ranks[job.parts[p].rank].rank, job.parts[p].start, job.parts[p].end,
                            job.parts[p].wait));
  }
}

std::string signed_time(double ns) {
  const auto rounded = static_cast<Nanos>(std::llround(std::abs(ns)));
  return (ns < 0 ? "-" : "") + format_duration(rounded);
}

void write_straggler_rows(const Job& job, Output& out) {
  out.write("rank,steps,lost_ns,delay_ns,cause_name,cause\n");
  for (const Straggler& s : job.stragglers) {
    std::string steps;
    for (const std::uint32_t step : s.steps) steps += (steps.empty() ? "" : " ") + number_or_nothing(job.steps[step]);
    out.write(fmt::format("{},{},{},{},{},{}\n", job.ranks[s.rank].rank, csv_field(steps), s.lost, s.delay,
                          csv_field(late_cause_name(s.cause)), csv_field(s.sentence)));
  }
}

/// A rank, and what the others waited for it.
struct JobRankRow {
  std::size_t rank = 0;  // index in Job::ranks
  Nanos lost = 0;
  std::uint64_t last = 0;  // how often it came last
};

std::vector<JobRankRow> job_rank_rows(const Job& job) {
  std::vector<JobRankRow> rows(job.ranks.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].rank = r;
    for (std::size_t s = 0; s < job.steps.size(); ++s) rows[r].lost = saturating_add(rows[r].lost, job.cell(r, s).lost);
  }
  for (const JobCollective& c : job.collectives) ++rows[job.last_of(c).rank].last;
  return rows;
}

/// A group, and the sums over its collectives.
struct JobGroupRow {
  const JobGroup* group = nullptr;
  std::uint64_t collectives = 0;
  Nanos waited = 0, transfer = 0;
};

std::vector<JobGroupRow> job_group_rows(const Job& job) {
  std::vector<JobGroupRow> rows;
  for (const JobGroup& group : job.groups) rows.push_back({&group});
  for (const JobCollective& c : job.collectives) {
    JobGroupRow& row = rows[c.group];
    ++row.collectives;
    row.waited = saturating_add(row.waited, c.waited);
    for (std::uint32_t n = 0; n < c.count; ++n) row.transfer = saturating_add(row.transfer, c.transfer);
  }
  return rows;
}

Table rank_table(const Job& job, const std::vector<JobRankRow>& rows) {
  using Row = JobRankRow;
  const auto rank = [&job](const Row& row) { return std::to_string(job.ranks[row.rank].rank); };
  TableOf<Row> table(rows);
  table.number({"Rank", "rank"}, rank, rank);
  table.name({"File", "file", 3}, [&job](const Row& row) { return job.ranks[row.rank].file; });
  table.duration({"Waited", "waitedNs"}, [&job](const Row& row) { return job.waited[row.rank]; });
  table.duration({"Cost others", "lostNs"}, &Row::lost);
  table.count({"Times last"}, &Row::last);
  const auto clock = [&](const Table::Heading& heading, double JobClock::*value, int digits, auto words) {
    table.number(
        heading, [=, &job](const Row& row) { return fmt::format("{:.{}f}", job.clocks[row.rank].*value, digits); },
        [=, &job](const Row& row) { return words(job.clocks[row.rank]); });
  };
  clock({"Clock", "offsetNs"}, &JobClock::offset_ns, 0,
        [](const JobClock& c) { return c.samples == 0 ? "-" : signed_time(c.offset_ns); });
  clock({"Drift ppm", "driftPpm", 2}, &JobClock::drift_ppm, 3,
        [](const JobClock& c) { return fmt::format("{:.2f}", c.drift_ppm); });
  clock({"Residual", "residualNs", 1}, &JobClock::residual_ns, 0,
        [](const JobClock& c) { return signed_time(c.residual_ns); });
  table.shown = {"Rank", "Waited", "Cost others", "Times last", "Clock", "Drift ppm", "Residual", "File"};
  return table;
}

Table group_table(const std::vector<JobGroupRow>& rows) {
  using Row = JobGroupRow;
  TableOf<Row> table(rows);
  table.text({"Group"}, [](const Row& row) { return row.group->title(); });
  table.text({"Name", "name"}, [](const Row& row) { return row.group->name; });
  table.value("description", [](const Row& row) { return row.group->description; });
  table.name(
      {"Ranks", "ranks"},
      [](const Row& row) { return JsonText{fmt::format("[{}]", fmt::join(row.group->ranks, ","))}; },
      [](const Row& row) { return fmt::format("{}", fmt::join(row.group->ranks, " ")); });
  table.count({"Collectives", "collectives"}, &Row::collectives);
  table.duration({"Waited", "waitedNs"}, &Row::waited);
  table.number({"Transfer"}, [](const Row& row) { return format_duration(row.transfer); });
  return table;
}

Table cell_table(const Job& job) {
  using Row = JobCell;
  TableOf<Row> table(job.cells);
  const auto at = [&job](const Row& row) { return static_cast<std::size_t>(&row - job.cells.data()); };
  table.value("rank", [&job, at](const Row& row) { return job.ranks[at(row) / job.steps.size()].rank; });
  table.value("step", [&job, at](const Row& row) { return job.steps[at(row) % job.steps.size()]; });
  table.value("stepNs", &Row::length);
  table.value("waitedNs", &Row::waited);
  table.value("lostNs", &Row::lost);
  table.value("delayNs", &Row::delay);
  return table;
}

}  // namespace

void print_job_tables(const Job& job, const JobCommand& command, Output& out) {
  std::vector<JobRankRow> ranks = job_rank_rows(job);
  sort_stably(ranks, std::ranges::greater(), &JobRankRow::lost);
  Table table = rank_table(job, ranks);
  table.limit(command.limit);
  out.write("\nRanks, by what others waited for them\n");
  print_table(table, command.width, out);
  if (table.rows < ranks.size())
    out.write(fmt::format("{} of {} ranks; all: --limit 0\n", format_count(table.rows), format_count(ranks.size())));
  std::vector<JobGroupRow> groups = job_group_rows(job);
  std::erase_if(groups, [](const JobGroupRow& row) { return row.collectives == 0; });
  if (groups.empty()) return;
  sort_stably(groups, std::ranges::greater(), &JobGroupRow::waited);
  table = group_table(groups);
  table.limit(command.limit);
  out.write("\nGroups, by time waited (summed over ranks)\n");
  print_table(table, command.width, out);
}

void write_job_tables_json(const Job& job, JsonWriter& json, const Output& out) {
  write_json_rows(group_table(job_group_rows(job)), "groups", json, out);
  Table cells = cell_table(job);
  std::rotate(cells.columns.begin() + 2, cells.columns.begin() + 3, cells.columns.end());  // the length last
  write_json_rows(cells, "cells", json, out);
}

void write_job_csv(const Job& job, std::string_view table, Output& out) {
  if (table == "ranks")
    write_csv(rank_table(job, job_rank_rows(job)), out);
  else if (table == "steps")
    write_csv(cell_table(job), out);
  else if (table == "stragglers")
    write_straggler_rows(job, out);
  else
    write_collective_rows(job, table == "waits", out);
}

}  // namespace lacuna

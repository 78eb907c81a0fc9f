#include <string>

#include <fmt/format.h>

#include "app/cli/job.h"
#include "app/tables/csv.h"

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

void write_rank_rows(const Job& job, Output& out) {
  out.write("rank,file,waited_ns,lost_ns,offset_ns,drift_ppm,residual_ns\n");
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    Nanos lost = 0;
    for (std::size_t s = 0; s < job.steps.size(); ++s) lost = saturating_add(lost, job.cell(r, s).lost);
    out.write(fmt::format("{},{},{},{},{:.0f},{:.3f},{:.0f}\n", job.ranks[r].rank, csv_field(job.ranks[r].file),
                          job.waited[r], lost, job.clocks[r].offset_ns, job.clocks[r].drift_ppm,
                          job.clocks[r].residual_ns));
  }
}

void write_step_rows(const Job& job, Output& out) {
  out.write("rank,step,step_ns,waited_ns,lost_ns,delay_ns\n");
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    for (std::size_t s = 0; s < job.steps.size(); ++s) {
      const JobCell& cell = job.cell(r, s);
      out.write(fmt::format("{},{},{},{},{},{}\n", job.ranks[r].rank, number_or_nothing(job.steps[s]), cell.length,
                            cell.waited, cell.lost, cell.delay));
    }
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

}  // namespace

void write_job_csv(const Job& job, std::string_view table, Output& out) {
  if (table == "ranks")
    write_rank_rows(job, out);
  else if (table == "steps")
    write_step_rows(job, out);
  else if (table == "stragglers")
    write_straggler_rows(job, out);
  else
    write_collective_rows(job, table == "waits", out);
}

}  // namespace lacuna

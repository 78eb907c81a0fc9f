#include "app/cli/job.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/pipe_notice.h"
#include "app/cli/text_table.h"
#include "model/base/standard_error.h"
#include "model/job/digest_file.h"
#include "model/job/job_compare.h"
#include "model/job/job_stragglers.h"
#include "model/job/load_job.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::string step_text(const std::optional<std::int64_t>& step) {
  return step ? std::to_string(*step) : "-";
}

void print_stragglers(const Job& job, Output& out) {
  if (job.stragglers.empty()) {
    out.write("\nNo rank made the others wait longer than chance does.\n");
    return;
  }
  out.write("\nStragglers, by the time that other ranks waited for them\n");
  for (const Straggler& s : job.stragglers) {
    out.write(fmt::format("  rank {}, {}: cost the others {} in all\n", job.ranks[s.rank].rank, straggler_steps(job, s),
                          format_duration(s.lost)));
    out.write(fmt::format("    {}\n", printable(s.sentence)));
    for (const JobPlace& place : s.evidence)
      out.write(fmt::format("      step {}: {} [{} \xC2\xB5s + {}]\n", step_text(place.step), printable(place.what),
                            place.start / 1000, format_duration(place.duration)));
    if (!out.ok()) return;
  }
}

void print_text(const Job& job, const JobCommand& command, Output& out) {
  out.write(fmt::format("Job        {}{}, {}, {} matched, {} unmatched\n", counted(job.ranks.size(), "rank"),
                        job.world_size ? fmt::format(" of {}", *job.world_size) : std::string(),
                        counted(job.steps.size(), "step"), counted(job.collectives.size(), "collective"),
                        counted(job.unmatched, "part")));
  const Nanos waited = std::accumulate(job.waited.begin(), job.waited.end(), Nanos{0}, saturating_add);
  out.write(fmt::format("Waited     {} inside collectives, summed over ranks\n", format_duration(waited)));
  if (!job.problems.empty()) out.write("\nNot as the others\n");
  std::size_t listed = 0;
  for (const JobProblem& problem : job.problems) {
    if (command.limit != 0 && listed++ == command.limit) {
      out.write(fmt::format("  {} of {}; all: --limit 0\n", command.limit, job.problems.size()));
      break;
    }
    std::string who = problem.rank >= 0 ? fmt::format("rank {}", problem.rank) : std::string();
    if (!problem.file.empty()) who += (who.empty() ? "" : ", ") + problem.file;
    out.write(fmt::format("  {}{}{}\n", printable(who), who.empty() ? "" : ": ", printable(problem.text)));
  }
  print_stragglers(job, out);
  print_job_tables(job, command, out);
}

Result<Job> read_job(const std::vector<std::string>& paths, const ImportOptions& import, const JobCommand& command) {
  LoadRanksProgress progress;
  const PipeNotice notice(paths, progress.reading);
  Result<LoadedRanks> loaded = load_ranks(paths, import, command.workers, &progress);
  if (!loaded) return tl::make_unexpected(loaded.error());
  for (const JobProblem& problem : loaded->problems)
    if (problem.kind == JobProblem::Kind::kUnreadable)
      to_standard_error(fmt::format("lacuna: warning: {}: {}\n", printable(problem.file), printable(problem.text)));
  if (loaded->ranks.empty())
    return fail(ErrorCode::kNotATrace, "none of the files is a trace or a digest", paths.front());
  return analyse_job(std::move(loaded->ranks), std::move(loaded->problems));
}

}  // namespace

void JobCommand::add_to(CLI::App& job) {
  CLI::Option* as_json = job.add_flag("--json", json, "Write JSON");
  CLI::Option* as_csv = job.add_flag("--csv", csv, "Write a table as CSV")->excludes(as_json);
  job.add_flag("--html", html, "Write one HTML page with a map of ranks and steps, without scripts")
      ->excludes(as_json)
      ->excludes(as_csv);
  job.add_option("--compare", against, "Traces or digests of another job, B: what changed from the first, A, to it")
      ->excludes(as_csv)
      ->excludes("--html")
      ->type_name("PATH...");
  job.add_option("--table", table, "Of --csv: collectives, waits, ranks, steps or stragglers (default: collectives)")
      ->check(CLI::IsMember({"collectives", "waits", "ranks", "steps", "stragglers"}))
      ->type_name("TABLE");
  job.add_option("-o,--output", output, "File to write (default: standard output)")->type_name("FILE");
  job.add_option("--workers", workers, "Files read at the same time; 0 = one per core")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  job.add_option("--limit", limit, "Rows of each table in text; 0 = all (default: 20)")
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
}

Result<void> run_job(const std::vector<std::string>& paths, const ImportOptions& import, const JobCommand& command) {
  const Result<Job> read = read_job(paths, import, command);
  if (!read) return tl::make_unexpected(read.error());
  const Job& job = *read;
  std::optional<JobComparison> both;
  if (!command.against.empty()) {
    const Result<Job> other = read_job(command.against, import, command);
    if (!other) return tl::make_unexpected(other.error());
    both = compare_jobs(job, *other);
  }
  const auto write = [&](Output& to) {
    if (both && command.json)
      write_job_comparison_json(*both, to);
    else if (both)
      print_job_comparison(*both, command, to);
    else if (command.json)
      write_job_json(job, to);
    else if (command.csv)
      write_job_csv(job, command.table, to);
    else if (command.html)
      write_job_html(job, to);
    else
      print_text(job, command, to);
  };
  if (command.output.empty()) {
    Output out(stdout);
    write(out);
    return out.finish();
  }
  std::vector<std::string> inputs = paths;
  inputs.insert(inputs.end(), command.against.begin(), command.against.end());
  return write_answer(command.output, inputs, write);
}

Result<void> run_digest(const std::string& path, const std::string& output, const ImportOptions& import) {
  ImportProgress progress;
  const PipeNotice notice(std::span(&path, 1), progress);
  const Result<std::vector<JobRank>> ranks = reduce_trace(path, import, &progress);
  if (!ranks) return tl::make_unexpected(ranks.error());
  for (const JobRank& rank : *ranks)
    for (const std::string& loss : rank.losses)
      to_standard_error(fmt::format("lacuna: warning: {}: {}\n", printable(rank.file), printable(loss)));
  return write_digest(*ranks, output);
}

constexpr const char* kJobHelp =
    R"help(Brings the traces (or digests) of a job's ranks together: which rank came last to each collective, how long
the others waited inside it, who made it late, and why.
  matching   by "Comms Id", else by group and "Seq", else by group, ProfilerStep and order; name, type and size agree
  clocks     offset and drift of each rank's clock against the lowest rank, from the ends of collectives; what is not
             larger than its uncertainty is 0
  waited     from a rank's start of a collective until the last one came; transfer: the shortest part, which waits least
  lost       what the others waited because of a rank: lateness that it had inherited is charged to its root
  straggler  a rank whose own lateness makes up 3 % of a step or more, and at least 50 us; its cause is what it did more
             of than the median of the ranks in that step: slower kernels (of the same name and shape), more work, data
             loading, launch-bound, idle gap, preempted thread, waiting, lower clock, unexplained
Files that cannot be read, ranks of other jobs or steps, and missing ranks are named; the rest is analysed.
JSON keys of --json:
  ranks         the ranks analysed, ascending;  worldSize, steps (numbers; null: the traces have none)
  clocks[]      rank, offsetNs (ahead of the reference when its first step begins), driftPpm, residualNs, samples
  collectives[] name, group, step, ranks, lastRank, lateNs (after the one before it), waitNs (by rank), transferNs,
                groupName, kernel, startNs (when the last one came), elements, dtype, busGBs (bus bandwidth of the
                transfer; null: the traces do not tell)
  waitedNs      by rank;  lostNs: by rank, what others waited for it
  stragglers[]  rank, steps, lostNs, cause (a sentence that begins with its name), causeName, delayNs, evidence[] (what,
                rank, step, file, startNs in the times of that file, durationNs)
  unmatched     parts of collectives for which no other rank's part was found
  missing       ranks that no file is of;  problems[] (kind, rank, file, text)
  groups[]      name, description, ranks, collectives, waitedNs
  cells[]       rank, step, waitedNs, lostNs, delayNs, stepNs
JSON keys of --json with --compare (times by step, so that jobs of different lengths compare):
  a, b          ranks, steps, stepNs (median of the slowest rank's), waitedNs (each rank), lostNs (to stragglers, all)
  collectives[] name, group; a, b: perStep, waitedNs and transferNs (mean of one rank's part), totalNs (each rank)
  stragglers[]  rank, causeName, change (gone, new, stays), aLostNs, bLostNs)help";

constexpr const char* kDigestHelp =
    R"help(Reduces a trace to what lacuna job needs of it: an Arrow IPC file (Feather V2) of a few percent of the JSON,
one row for each rank. Read it with lacuna job, or with any Arrow reader (pyarrow.feather.read_table, polars.read_ipc).
Columns: rank, file, world_size, …, and the lists of structs groups, steps, collectives and kernels; times are ns since
1970 by the rank's own clock. The schema's metadata says the version: lacuna.digest.)help";

Command job_command(CommandContext& context) {
  const auto run = [&context](const JobCommand& command) {
    return run_job(context.load.paths, context.load.import, command);
  };
  return make_command("job", "The ranks of a job: who is late, by how much, and why", kJobHelp,
                      std::make_shared<JobCommand>(), run, &context.load);
}

Command digest_command(CommandContext& context) {
  struct Files {
    std::string path, output;
  };
  const auto files = std::make_shared<Files>();
  return {"digest", "Reduces a trace to what lacuna job needs of it", kDigestHelp,
          [&context, files](CLI::App& app) {
            app.add_option("FILE", files->path, "Trace of one rank, or of several")->required()->type_name("");
            app.add_option("-o,--output", files->output, "File to write")->required()->type_name("FILE.digest");
            context.load.add_options_to(app);
          },
          [&context, files] { return run_digest(files->path, files->output, context.load.import); }};
}

}  // namespace lacuna

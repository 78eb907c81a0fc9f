#include "app/cli/jobs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/record_signals.h"
#include "app/cli/text_table.h"
#include "capture/kineto/job_listener.h"
#include "capture/session/dormant.h"

namespace lacuna {
namespace {

const char* job_state(const RunningJob& job) {
  if (!job.is_heard) return "silent";
  return job.is_busy ? "busy" : "ready";
}

std::string rank_text(const RunningJob& job) {
  if (job.is_launcher) return "launcher";
  if (job.rank < 0) return "-";
  return job.world_size > 0 ? fmt::format("{}/{}", job.rank, job.world_size) : std::to_string(job.rank);
}

void tell_problems(const JobList& list, Output& out) {
  for (const std::string& problem : list.problems) out.write(fmt::format("note: {}\n", printable(problem)));
}

}  // namespace

void JobsCommand::add_to(CLI::App& app) {
  app.add_flag("--json", json, "Write JSON, with the keys below, to standard output");
}

void print_jobs(const JobList& list, const std::vector<DormantProgram>& dormant, const JobsCommand& command,
                Output& out) {
  if (command.json) {
    JsonWriter json(out);
    json.begin_list("dormant");
    for (const DormantProgram& program : dormant)
      json.element({{"pid", program.pid},
                    {"watcher", program.watcher == 0 ? Json() : Json(program.watcher)},
                    {"command", program.command}});
    json.end();
    json.begin_list("jobs");
    for (const RunningJob& job : list.jobs)
      json.element({{"pid", job.pid},
                    {"rank", job.rank < 0 ? Json() : Json(job.rank)},
                    {"world_size", job.world_size < 0 ? Json() : Json(job.world_size)},
                    {"gpu", job.gpu.empty() ? Json() : Json(job.gpu)},
                    {"state", job_state(job)},
                    {"launcher", job.is_launcher},
                    {"why_silent", job.is_heard ? "" : why_silent(job)},
                    {"slurm_job", job.cluster_job == 0 ? Json() : Json(job.cluster_job)},
                    {"command", job.command}});
    json.end();
    json.begin_list("problems");
    for (const std::string& problem : list.problems) json.element(problem);
    json.end();
    json.finish();
    return;
  }
  if (!dormant.empty()) {
    TextTable table({{"PID", true}, {"Dormant"}, {"Command", false, true}});
    for (const DormantProgram& program : dormant)
      table.add_row({std::to_string(program.pid),
                     program.watcher == 0 ? "asleep" : fmt::format("watched by {}", program.watcher), program.command});
    table.print(out, command.width);
    if (list.jobs.empty()) return tell_problems(list, out);
    out.write("\n");
  }
  if (list.jobs.empty()) {
    out.write(
        "No PyTorch job of yours answers requests here, and no program is dormant. Those answer that are started with\n"
        "KINETO_USE_DAEMON=1 in their environment and have imported torch; those are dormant that are started with\n"
        "lacuna record --dormant, or with what lacuna env prints.\n");
  } else {
    TextTable table({{"PID", true}, {"Rank"}, {"GPU"}, {"State"}, {"Command", false, true}});
    for (const RunningJob& job : list.jobs)
      table.add_row(
          {std::to_string(job.pid), rank_text(job), job.gpu.empty() ? "-" : job.gpu, job_state(job), job.command});
    table.print(out, command.width);
    for (const RunningJob& job : list.jobs)
      if (!job.is_heard)
        if (const std::string why = why_silent(job); !why.empty())
          out.write(fmt::format("{} is silent: {}\n", job.pid, printable(why)));
  }
  tell_problems(list, out);
}

Result<void> run_jobs(const JobsCommand& command, Output& out) {
  const RecordSignals signals;
  const std::vector<DormantProgram> dormant = find_dormant();
  const Result<JobList> list = find_jobs(JobListener::kFirstAsk, [&] { return signals.stops() > 0; });
  if (!list) return tl::make_unexpected(list.error());
  print_jobs(*list, dormant, command, out);
  return {};
}

std::string_view jobs_help() {
  return "Dormant programs (lacuna record --dormant, lacuna env), which lacuna attach PID -o OUT wakes; and\n"
         "running PyTorch programs of which lacuna request can take a trace: those of this user that were started\n"
         "with KINETO_USE_DAEMON=1 (any value) and have imported torch. They ask for requests every few seconds;\n"
         "this listens for at most 5.5 s and sends them nothing. While it listens it stands where dynolog would; a\n"
         "daemon that is there already is told of, and stays. Containers with a network namespace of their own are\n"
         "heard where both sides have KINETO_IPC_SOCKET_DIR=FOLDER, a folder that both see under the same name.\n"
         "State: ready, busy (is being profiled), silent (did not ask). Rank: by what torchrun, mpirun or srun set;\n"
         "\"launcher\" started processes with ranks. GPU: by CUDA_VISIBLE_DEVICES and the local rank, else by the\n"
         "devices that it has open.\n"
         "JSON: dormant[] (pid, watcher: pid of who looks, or null; command), jobs[] (pid, rank, world_size, gpu, "
         "state,\n"
         "launcher, why_silent, slurm_job, command), problems[].";
}

}  // namespace lacuna

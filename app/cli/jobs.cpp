#include "app/cli/jobs.h"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/record_signals.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "capture/kineto/job_listener.h"

namespace lacuna {
namespace {

std::string job_state(const RunningJob& job) {
  if (job.watcher != 0) return fmt::format("watched by {}", job.watcher);
  if (!job.is_kineto) return "asleep";
  if (!job.is_heard) return job.is_dormant ? "asleep" : "silent";
  return job.is_busy ? "busy" : "ready";
}

/// Of a dormant one nobody waits for it to ask.
bool is_silent(const RunningJob& job) {
  return job.is_kineto && !job.is_heard;
}

std::string rank_text(const RunningJob& job) {
  if (job.is_launcher) return "launcher";
  if (job.rank < 0) return "-";
  return job.world_size > 0 ? fmt::format("{}/{}", job.rank, job.world_size) : std::to_string(job.rank);
}

/// As lacuna attach takes it.
std::string recording_name(const std::string& socket) {
  const std::filesystem::path path(socket);
  const Result<std::string> folder = share_folder();
  return folder && path.parent_path() == *folder ? path.stem().string() : socket;
}

void tell_problems(const JobList& list, Output& out) {
  for (const std::string& problem : list.problems) out.write(fmt::format("note: {}\n", printable(problem)));
}

}  // namespace

void JobsCommand::add_to(CLI::App& app) {
  app.add_flag("--json", json, "Write JSON to standard output");
}

void print_jobs(const JobList& list, const JobsCommand& command, Output& out) {
  if (command.json) {
    JsonWriter json(out);
    json.begin_list("jobs");
    for (const RunningJob& job : list.jobs)
      json.element({{"pid", job.pid},
                    {"kineto", job.is_kineto},
                    {"dormant", job.is_dormant},
                    {"rank", job.rank < 0 ? Json() : Json(job.rank)},
                    {"world_size", job.world_size < 0 ? Json() : Json(job.world_size)},
                    {"gpu", job.gpu.empty() ? Json() : Json(job.gpu)},
                    {"state", job.watcher != 0 ? std::string("watched") : job_state(job)},
                    {"watcher", job.watcher == 0 ? Json() : Json(job.watcher)},
                    {"launcher", job.is_launcher},
                    {"why_silent", is_silent(job) ? why_silent(job) : ""},
                    {"slurm_job", job.cluster_job == 0 ? Json() : Json(job.cluster_job)},
                    {"command", job.command}});
    json.end();
    json.begin_list("recordings");
    for (const std::string& socket : list.recordings) json.element(socket);
    json.end();
    json.begin_list("problems");
    for (const std::string& problem : list.problems) json.element(problem);
    json.end();
    json.finish();
    return;
  }
  if (list.jobs.empty() && list.recordings.empty()) {
    out.write(
        "No PyTorch job of yours answers requests here, and no program is dormant. Jobs answer that were started with\n"
        "KINETO_USE_DAEMON=1 in their environment and have imported torch; programs are dormant that were started "
        "with\n"
        "lacuna record --dormant, or with what lacuna env prints.\n");
  } else if (!list.jobs.empty()) {
    TableOf<RunningJob> table(list.jobs);
    table.number({"PID"}, [](const RunningJob& job) { return std::to_string(job.pid); });
    table.text({"Kind"}, &RunningJob::kind);
    table.text({"Rank"}, rank_text);
    table.text({"GPU"}, [](const RunningJob& job) { return job.gpu.empty() ? "-" : job.gpu; });
    table.text({"State"}, job_state);
    table.name({"Command"}, &RunningJob::command);
    print_table(table, command.width, out);
    for (const RunningJob& job : list.jobs)
      if (is_silent(job))
        if (const std::string why = why_silent(job); !why.empty())
          out.write(fmt::format("{} is silent: {}\n", job.pid, printable(why)));
  }
  for (const std::string& socket : list.recordings)
    out.write(fmt::format("A recording that a window can watch: lacuna attach {}\n",
                          printable_words({recording_name(socket)})));
  tell_problems(list, out);
}

Result<void> run_jobs(const JobsCommand& command, Output& out) {
  const RecordSignals signals;
  const Result<JobList> list = find_jobs(JobListener::kFirstAsk, [&] { return signals.stops() > 0; });
  if (!list) return tl::make_unexpected(list.error());
  print_jobs(*list, command, out);
  return {};
}

constexpr const char* kJobsHelp =
    "Lists the running programs of this user that lacuna request can record for a while. Dormant ones (lacuna "
    "record\n"
    "--dormant, lacuna env) are woken for it, and watched live by lacuna attach PID. Kineto's are PyTorch "
    "programs that were\n"
    "started with KINETO_USE_DAEMON=1 (any value) and have imported torch. They ask for requests every few "
    "seconds:\n"
    "lacuna jobs listens for at most 5.5 s and sends them nothing. Meanwhile it has the socket of dynolog's "
    "daemon; where a\n"
    "daemon runs already, lacuna says so and leaves it alone. Containers with a network namespace of their own "
    "are\n"
    "heard where both sides have KINETO_IPC_SOCKET_DIR=FOLDER, a folder that both see under the same name. "
    "Dormant\n"
    "programs in a container are listed by a lacuna that runs there (docker exec).\n"
    "State: asleep, watched by PID; ready, busy (is being profiled), silent (did not ask). Rank: by what "
    "torchrun,\n"
    "mpirun or srun set; \"launcher\": started processes with ranks. GPU: by CUDA_VISIBLE_DEVICES and the local\n"
    "rank, else by the devices that the program has open.\n"
    "JSON: jobs[] (pid, kineto, dormant, rank, world_size, gpu, state, watcher: pid of who looks, or null;\n"
    "launcher, why_silent, slurm_job, command), recordings[] (sockets, for lacuna attach), problems[].";

Command jobs_command(CommandContext&) {
  const auto run = [](const JobsCommand& command) {
    return answer([&](Output& out) { return run_jobs(command, out); });
  };
  return make_command("jobs", "Programs that run and can be looked at: dormant ones, PyTorch's", kJobsHelp,
                      std::make_shared<JobsCommand>(), run);
}

}  // namespace lacuna

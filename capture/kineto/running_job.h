#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// A running process of which a window can be recorded: one started with KINETO_USE_DAEMON, or a dormant
/// one (LACUNA_DORMANT). Has what can be found out from outside.
struct RunningJob {
  int pid = 0;              ///< as in our /proc
  int own_pid = 0;          ///< in its own namespace: differs in a container
  std::uint64_t start = 0;  ///< in clock ticks since boot: distinguishes two processes with the same pid
  std::int64_t rank = -1;   ///< from its launcher's variables; negative = unknown, as those below
  std::int64_t local_rank = -1;
  std::int64_t world_size = -1;
  std::int64_t cluster_job = 0;  ///< SLURM_JOB_ID, 0 = none
  std::string command;           ///< its arguments, joined by spaces
  std::string gpu;               ///< "3", "0,1"; empty: not known, or none
  bool has_torch = false;        ///< libtorch is mapped
  bool is_launcher = false;      ///< has no rank itself, but started processes that have: torchrun
  std::string socket_folder;     ///< KINETO_IPC_SOCKET_DIR; empty: the abstract socket
  std::string trace_folder;      ///< where it may write traces, without a '/' at the end
  /// Path of its root directory as seen from ours: "/proc/PID/root" in a container, else empty.
  std::string root;
  std::vector<int> ancestors;  ///< parents and their parents, nearest first, as in our /proc
  bool is_heard = false;       ///< it asked since we began to listen
  bool is_busy = false;        ///< it asked, and is being profiled
  bool is_kineto = false;      ///< KINETO_USE_DAEMON
  bool is_dormant = false;     ///< it sleeps, or is being watched
  int watcher = 0;             ///< pid of the process that watches a dormant one; 0: it sleeps

  /// Returns "Kineto", "dormant", or both.
  std::string kind() const;
};

/// Reads a process from /proc. Returns pid 0 if it is gone, or another user's. `environment` is that of its start.
RunningJob describe_job(int pid);

/// Returns this user's processes with KINETO_USE_DAEMON and libtorch, by pid. Some ms; opens and sends nothing.
/// If we have a KINETO_IPC_SOCKET_DIR, jobs with another one are left out.
std::vector<RunningJob> find_possible_jobs();

/// Returns find_possible_jobs() and this network namespace's dormant programs (find_dormant() asks each), by pid.
std::vector<RunningJob> find_running_jobs();

/// Marks the jobs that only started others; pass all jobs at once.
void mark_launchers(std::vector<RunningJob>& jobs);

/// Returns "python train.py": the path of the first word is shortened to its last component.
std::string short_command(const std::vector<std::string>& arguments);

/// Returns the GPUs of a process: `visible` is its CUDA_VISIBLE_DEVICES ("" = not set), `opened` the numbers of the
/// /dev/nvidiaN that it has open. A local rank selects one of the visible GPUs, as torchrun's programs do.
std::string gpus_of(const std::string& visible, std::int64_t local_rank, const std::vector<int>& opened);

/// Whether the process still runs: the same one, not a reused pid or a zombie.
bool is_alive(const RunningJob& job);

/// Returns why a process that should ask does not, without a full stop; empty: no reason is visible.
std::string why_silent(const RunningJob& job);

/// Why a process started with LACUNA_DORMANT=1 is not dormant, without a full stop, and what to do;
/// both empty: no reason is visible, or it was not started so. Without a reason it simply has not used NVTX, CUDA
/// or torch yet, like a shell.
struct DormantTrouble {
  std::string found;
  std::string advice;
};
DormantTrouble why_not_dormant(int pid);

/// Returns why a process cannot be asked at all ("was started without KINETO_USE_DAEMON"); empty: it can.
std::string why_not_a_job(int pid);

}  // namespace lacuna

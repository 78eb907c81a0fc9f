#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// A process of which a window can be taken while it runs: one that was started with KINETO_USE_DAEMON, or a dormant
/// one (LACUNA_DORMANT). What can be known of it from outside.
struct RunningJob {
  int pid = 0;              ///< as our /proc shows it
  int own_pid = 0;          ///< as it sees itself: another one in a container
  std::uint64_t start = 0;  ///< in clock ticks since boot: tells two lives of a pid apart
  std::int64_t rank = -1;   ///< by what its launcher set; negative = not known, as those below
  std::int64_t local_rank = -1;
  std::int64_t world_size = -1;
  std::int64_t cluster_job = 0;  ///< SLURM_JOB_ID, 0 = none
  std::string command;           ///< its words, joined by spaces
  std::string gpu;               ///< "3", "0,1"; empty: not known, or none
  bool has_torch = false;        ///< libtorch is mapped
  bool is_launcher = false;      ///< has no rank itself, and started processes that have: torchrun
  std::string socket_folder;     ///< KINETO_IPC_SOCKET_DIR; empty: the abstract socket
  std::string trace_folder;      ///< where it may write traces, without a '/' at the end
  /// What leads from our root to its: "/proc/PID/root" in a container, else empty.
  std::string root;
  std::vector<int> ancestors;  ///< parents and their parents, nearest first, as our /proc shows them
  bool is_heard = false;       ///< it asked since we look
  bool is_busy = false;        ///< … and it is being profiled
  bool is_kineto = false;      ///< KINETO_USE_DAEMON
  bool is_dormant = false;     ///< it sleeps, or is looked at
  int watcher = 0;             ///< pid of who looks at a dormant one; 0: it sleeps

  /// "Kineto", "dormant", or both.
  std::string kind() const;
};

/// What /proc says of it. pid 0: it is gone, or another user's. `environment` is that of its start.
RunningJob describe_job(int pid);

/// Processes of this user with KINETO_USE_DAEMON and libtorch, by pid. Some milliseconds; nothing is opened or sent.
/// Jobs whose KINETO_IPC_SOCKET_DIR differs from ours are left out where we have one.
std::vector<RunningJob> find_possible_jobs();

/// These, and the dormant programs of this network namespace (find_dormant(), which asks each), by pid.
std::vector<RunningJob> find_running_jobs();

/// Marks those that only started others; to be called with all at once.
void mark_launchers(std::vector<RunningJob>& jobs);

/// "python train.py", shortened paths of interpreters: the last component of the first word.
std::string short_command(const std::vector<std::string>& arguments);

/// GPUs of a process: `visible` is its CUDA_VISIBLE_DEVICES ("" = not set), `opened` the numbers of the /dev/nvidiaN
/// that it has open. A local rank stands for one of the visible ones, as torchrun's programs use it.
std::string gpus_of(const std::string& visible, std::int64_t local_rank, const std::vector<int>& opened);

/// Whether it still runs: that very process, and not one that ended and waits for its parent.
bool is_alive(const RunningJob& job);

/// Why a process that should ask does not, in words without a full stop; empty: nothing is seen that would keep it.
std::string why_silent(const RunningJob& job);

/// Of a process that was started to be dormant (LACUNA_DORMANT=1): what keeps it from being so, in words without a full
/// stop, and what to do; both empty: nothing is seen that would, or it was not started so. It has not used NVTX, CUDA
/// or torch then, as a shell.
struct DormantTrouble {
  std::string found;
  std::string advice;
};
DormantTrouble why_not_dormant(int pid);

/// What keeps a process from being asked at all ("was started without KINETO_USE_DAEMON"); empty: nothing.
std::string why_not_a_job(int pid);

}  // namespace lacuna

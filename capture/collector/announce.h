#pragma once

#include <cstdint>

#include "capture/collector/process.h"

namespace lacuna::collector {

/// Puts a NumberRecord into the control ring; nothing without a viewer or with a null name. Any thread; the caller
/// does not hold the lock.
void put_number(wire::RecordType type, std::uint64_t number, const char* name);

/// What a thread, and this process, are called by the program.
inline void name_thread(std::uint32_t tid, const char* name) {
  put_number(wire::RecordType::kThreadName, tid, name);
}
inline void name_this_process(const char* name) {
  put_number(wire::RecordType::kProcessName, 0, name);
}

/// Which of several processes that work together this one is; negative = not known.
struct Rank {
  long long rank = -1;
  long long local_rank = -1;
  long long world_size = -1;
};
/// Reads what torchrun, Open MPI, PMI (MPICH, Intel MPI) or Slurm set in the environment; torchrun's word counts most.
Rank rank_of_environment();
/// Tells the viewer; `facts`: members of "distributedInfo" as JSON, or null.
void tell_rank(const Rank& rank, const char* facts);
/// Announces what the environment says; called as a process attaches. The caller holds the lock.
void announce_rank(Process& process);

}  // namespace lacuna::collector

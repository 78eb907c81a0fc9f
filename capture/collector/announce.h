#pragma once

#include <cstdint>

#include "capture/collector/process.h"

namespace lacuna::collector {

/// Puts a NumberRecord into the control ring; does nothing without a viewer or with a null name. Any thread, without
/// holding the lock.
void put_number(wire::RecordType type, std::uint64_t number, const char* name);

/// Send the names that the program gives to a thread, and to this process.
inline void name_thread(std::uint32_t tid, const char* name) {
  put_number(wire::RecordType::kThreadName, tid, name);
}
inline void name_this_process(const char* name) {
  put_number(wire::RecordType::kProcessName, 0, name);
}

/// The rank of this process in a distributed job; negative = unknown.
struct Rank {
  long long rank = -1;
  long long local_rank = -1;
  long long world_size = -1;
};
/// Reads the rank from the environment variables of torchrun, Open MPI, PMI (MPICH, Intel MPI) or Slurm, in this order.
Rank rank_of_environment();
/// Sends the rank to the viewer; `facts`: members of "distributedInfo" as JSON, or null.
void tell_rank(const Rank& rank, const char* facts);
/// Sends the rank from the environment when a process attaches. The caller holds the lock.
void announce_rank(Process& process);

}  // namespace lacuna::collector

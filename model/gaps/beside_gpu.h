#pragma once

#include "model/trace/trace.h"

namespace lacuna {

/// Whether the process holds CPU threads whose pid in the file is that of a GPU, under which Kineto writes
/// frames of unknown threads. They form a process of their own beside the GPU's, with the same
/// pid. O(processes).
inline bool is_beside_gpu(const Trace& trace, const Process& process) {
  if (process.is_gpu) return false;
  for (const Process& other : trace.processes())
    if (other.is_gpu && other.source == process.source && other.pid == process.pid) return true;
  return false;
}

}  // namespace lacuna

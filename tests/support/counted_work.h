#pragma once

#include <cstdint>

namespace lacuna {

/// Returns the work of all threads of this program so far: instructions, if the machine can count them
/// (perf_event_open), else CPU time in ns. The latter excludes waits and other processes, but depends on caches:
/// leave room for a factor of two when comparing. Threads that ran before the first call may not be counted.
/// Any thread.
std::uint64_t work_done();

/// Whether work_done() counts instructions.
bool are_instructions_counted();

/// Work that is too little to be compared with.
double little_work();

}  // namespace lacuna

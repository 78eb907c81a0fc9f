#pragma once

#include <cstdint>

namespace lacuna {

/// What all threads of this program have done so far: instructions, where the machine counts them for us
/// (perf_event_open), else ns on a CPU. The second is no clock, waits and other processes are not in it, but caches
/// are: who compares leaves room for a factor of two. Threads that ran before the first call may not be counted.
/// Any thread.
std::uint64_t work_done();

/// Whether work_done() counts instructions.
bool are_instructions_counted();

}  // namespace lacuna

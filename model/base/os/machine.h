#pragma once
// The machine, and this process on it. Any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lacuna {

/// Bytes of memory that this process may still take before it is refused more or killed: the least of what the system
/// has (MemAvailable and free swap), what its control group and those around it allow (both versions), RLIMIT_AS and
/// RLIMIT_DATA. Pages of files count as free: the system takes them away. Nothing where the system does not say. Some
/// 50 us; Linux.
std::optional<std::uint64_t> memory_left_by_system();
/// Whether addresses are limited (`ulimit -v`).
bool is_address_space_limited();
/// Pages of files that this process holds now: mapped ones, of its own code, too. 0 where the system does not say.
std::uint64_t resident_file_bytes();
/// Memory that lies in no file. Nothing where the system does not say.
std::optional<std::uint64_t> resident_own_bytes();

/// The pid of this process.
int process_id();
/// Of the program that runs, as a path that can be started again.
std::string own_program();
/// Empty where the system does not say.
std::string host_name();

/// Fills it with unpredictable random bytes. False: the system gives none.
bool fill_with_secret(std::span<unsigned char> out);

/// The calling thread gives way to others from here on, by as much as nice(1) says, from 1 to 19.
void give_way_to_others(int nice);
/// What the calling thread has worked so far: waiting for a core is not work.
std::int64_t thread_worked_ns();

}  // namespace lacuna

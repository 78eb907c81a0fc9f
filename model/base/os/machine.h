#pragma once
// Facts about the machine and this process. Any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lacuna {

/// Returns the bytes of memory that this process can still take before it is refused more or killed: the least of free
/// memory (MemAvailable and free swap), the limits of its control group and those around it (both versions), RLIMIT_AS
/// and RLIMIT_DATA. File pages count as free, as the system can evict them. Nothing where the system does not say.
/// About 50 us; Linux. On Windows what it can still promise beside what it has promised to others.
std::optional<std::uint64_t> memory_left_by_system();
/// Whether the address space is limited (`ulimit -v`).
bool is_address_space_limited();
/// Bytes of resident file pages of this process, including those of its own code. 0 where the system does not say.
std::uint64_t resident_file_bytes();
/// Bytes of resident anonymous memory. Nothing where the system does not say.
std::optional<std::uint64_t> resident_own_bytes();

/// The pid of this process.
int process_id();
/// The path of the running program, by which it can be started again.
std::string own_program();
/// The host name; empty where the system does not say.
std::string host_name();

/// Fills `out` with unpredictable random bytes. False: the system has none.
bool fill_with_secret(std::span<unsigned char> out);

/// Lowers the priority of the calling thread by `nice`, 1 to 19, as in nice(1).
void give_way_to_others(int nice);
/// The CPU time of the calling thread so far.
std::int64_t thread_worked_ns();

}  // namespace lacuna

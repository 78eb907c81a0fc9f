#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/base/result.h"

namespace lacuna {

/// Bytes of memory that this process may still take before it is refused more or killed: the least of
/// what the system has (MemAvailable and free swap), what its control group and those around it allow (both versions),
/// RLIMIT_AS, RLIMIT_DATA and $LACUNA_MEMORY ("4G": as if there were no more). Pages of files count as free: the system
/// takes them away. Nothing where the system does not say. Some 50 us; Linux.
std::optional<std::uint64_t> free_memory();

/// Pages of files that this process holds now: mapped ones, of its own code, too. 0 where the system does not say.
std::uint64_t resident_file_bytes();

/// kInvalidArgument when $LACUNA_MEMORY is no size.
Result<void> check_memory_request();

/// kLimit when less than a reserve is left: called as a load goes on, so that a file that is too
/// large ends with a message and not with the process. `what_is_read` completes "after ". Tables that are made from
/// now on lie on disk (spill_space.h) when little is left.
Result<void> check_memory(const std::string& what_is_read);
/// The same for a stream of which `bytes` have been kept so far: on disk from now on, once they are as much as is left.
Result<void> check_memory_of_stream(std::uint64_t bytes);

/// Before `json_bytes` of plain JSON are loaded: unless memory surely suffices, tables lie on disk from now on. kLimit
/// when neither memory nor disk can hold them: even a frugal trace takes more.
Result<void> make_room_for_json(std::uint64_t json_bytes);
/// Likewise, before so many bytes of tables are made.
void make_room_for_tables(std::uint64_t bytes);

/// "3.2 GB", for these messages.
std::string describe_bytes(std::uint64_t bytes);

}  // namespace lacuna

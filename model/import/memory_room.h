#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/base/result.h"

namespace lacuna {

/// Bytes of memory that this process may still take before it is refused more or killed: the least of
/// what the system has (MemAvailable and free swap), what its control group allows, and RLIMIT_AS.
/// Nothing where the system does not say. Some 30 us; Linux.
std::optional<std::uint64_t> free_memory();

/// kLimit when less than a reserve is left: called as a load goes on, so that a file that is too
/// large ends with a message and not with the process. `what_is_read` completes "after ".
Result<void> check_memory(const std::string& what_is_read);

/// kLimit when loading `json_bytes` of plain JSON cannot succeed: even a frugal trace takes more
/// memory than there is.
Result<void> check_memory_for(std::uint64_t json_bytes);

/// "3.2 GB", for these messages.
std::string describe_bytes(std::uint64_t bytes);

}  // namespace lacuna

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/base/result.h"

namespace lacuna {

/// Bytes of memory that this process may still take: memory_left_by_system(), or less where $LACUNA_MEMORY ("4G") says
/// that there is no more. Nothing where the system does not say.
std::optional<std::uint64_t> free_memory();

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
/// The same, before tables of that many bytes are made.
void make_room_for_tables(std::uint64_t bytes);

/// "3.2 GB", for these messages.
std::string describe_bytes(std::uint64_t bytes);

}  // namespace lacuna

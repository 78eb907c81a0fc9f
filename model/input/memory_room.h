#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/base/result.h"

namespace lacuna {

/// Returns the bytes of memory that this process may still take: memory_left_by_system(), limited by $LACUNA_MEMORY
/// ("4G"). Nothing if neither is known.
std::optional<std::uint64_t> free_memory();

/// Errors: kInvalidArgument if $LACUNA_MEMORY is not a size.
Result<void> check_memory_request();

/// Errors: kLimit if less than a reserve is left. Called during a load, so that a file that is too
/// large ends with a message and not with the process. `what_is_read` completes "after ". When little memory is
/// left, tables allocated from now on are spilled to disk (spill_space.h).
Result<void> check_memory(const std::string& what_is_read);
/// Like check_memory(), for a stream of which `bytes` are kept so far: spills to disk once they exceed the free memory.
Result<void> check_memory_of_stream(std::uint64_t bytes);

/// Called before `json_bytes` of plain JSON are loaded: unless memory surely suffices, tables are spilled to disk from
/// now on. Errors: kLimit if neither memory nor disk can hold even a small trace of that size.
Result<void> make_room_for_json(std::uint64_t json_bytes);
/// Like make_room_for_json(), before tables of that many bytes are allocated.
void make_room_for_tables(std::uint64_t bytes);

/// Formats a size for these messages: "3.2 GiB".
std::string describe_bytes(std::uint64_t bytes);

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

/// Mapped files, by the addresses at which they lie. When a page of one cannot be had (the disk failed or is full, or
/// somebody cut the file), the system sends SIGBUS to whoever touches it: explain_bus_errors() makes that a sentence
/// which names the file and the byte in it, and the end of the process with exit code 1. What is not registered here
/// goes to the handler that was there before.
///
/// `bytes` from `begin` are those of the file `descriptor` from `offset` on; the descriptor stays open as long as the
/// mapping is registered. `name` is what the sentence calls the file. Costs a few loads and stores, and memory for
/// as many mappings as were registered at a time. Any thread.
void note_mapping(const void* begin, std::size_t bytes, int descriptor, std::size_t offset, std::string_view name);
/// Call before the mapping or its descriptor go. Does nothing where no such mapping is registered.
void forget_mapping(const void* begin);

/// main() calls it once; it holds for as long as the process runs.
void explain_bus_errors();

}  // namespace lacuna

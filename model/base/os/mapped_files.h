#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

/// Registers mapped files by address. When a page of one cannot be read (the disk failed or is full, or the file
/// was cut), the system sends SIGBUS to the thread that accesses it: explain_bus_errors() turns that into a message
/// with the file's name and the byte offset, and exits with code 1. Signals at unregistered addresses
/// go to the previous handler. On Windows likewise, with an exception for the signal.
///
/// The `bytes` from `begin` map the file `descriptor` from `offset` on; the descriptor must stay open as long as the
/// mapping is registered. `name` stands for the file in the message. Costs a few loads and stores, and memory for
/// the largest number of mappings registered at a time. Any thread.
void note_mapping(const void* begin, std::size_t bytes, int descriptor, std::size_t offset, std::string_view name);
/// Call before the mapping or its descriptor is closed. Does nothing for unregistered mappings.
void forget_mapping(const void* begin);

/// Installs the handler; main() calls it once.
void explain_bus_errors();

}  // namespace lacuna

#pragma once
// The terminal of the standard streams. Any thread.

#include <cstddef>
#include <cstdint>

namespace lacuna {

enum class StandardStream : std::uint8_t { kInput, kOutput, kError };

/// Standard streams pass bytes as they are, and terminals take UTF-8. main() calls it once. Windows would change ends
/// of lines; elsewhere there is nothing to do.
void pass_bytes_unchanged();

bool is_terminal(StandardStream stream);
/// The width in characters; 0: it is no terminal, or has no width.
std::size_t terminal_columns(StandardStream stream);
/// A number that changes when a program changes how the terminal reads lines or keys; 0: it is no terminal.
unsigned terminal_mode(StandardStream stream);
/// Whether standard input has bytes to read: a file that is not at its end, or a pipe with data.
bool has_waiting_input();

}  // namespace lacuna

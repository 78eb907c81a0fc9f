#pragma once
// The terminal that standard streams may lead to. Any thread.

#include <cstddef>
#include <cstdint>

namespace lacuna {

enum class StandardStream : std::uint8_t { kInput, kOutput, kError };

bool is_terminal(StandardStream stream);
/// In characters; 0: it is no terminal, or has no width.
std::size_t terminal_columns(StandardStream stream);
/// Changes where a program reads lines or keys of the terminal in another way; 0: it is no terminal.
unsigned terminal_mode(StandardStream stream);
/// Whether standard input has bytes already: a file that is not at its end, or a pipe into which some were written.
bool has_waiting_input();

}  // namespace lacuna

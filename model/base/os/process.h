#pragma once
// Starting other programs. Any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/os/descriptor.h"

namespace lacuna {

/// The words that this program was started with, in UTF-8, its own name first. `argc` and `argv` are those of main().
std::vector<std::string> own_words(int argc, const char* const* argv);

/// Which output of a program its starter reads; the rest goes where the starter's output goes, or nowhere.
enum class ReadOutput : std::uint8_t { kNone, kOutput, kErrors };

struct StartedProgram {
  int process = -1;   ///< pid, on Windows a handle; -1: it was not started
  Descriptor output;  ///< read end of a pipe, if any output is read
};
/// Starts `program`, a path or a name in $PATH, with the arguments `words` (the first is its name). With kErrors its
/// standard output is discarded.
StartedProgram start_program(const std::string& program, std::vector<std::string> words, ReadOutput reads);
/// Waits for the program, once, and returns its exit status; -1: a signal ended it.
int wait_for_program(int process);
void kill_program(int process);
/// Returns the path of a program found in $PATH, or empty.
std::string find_in_path(std::string_view name);
/// Replaces this program by another one (exec; Windows waits for it and ends as it ended); returns only on failure,
/// with errno.
void become_program(std::vector<std::string> words);

}  // namespace lacuna

#pragma once
// Other programs. Any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/os/descriptor.h"

namespace lacuna {

/// What of a program's output its starter reads; all else goes where the starter's goes, or nowhere.
enum class ReadOutput : std::uint8_t { kNone, kOutput, kErrors };

struct StartedProgram {
  int process = -1;   ///< -1: it was not started
  Descriptor output;  ///< the end of a pipe, where some is read
};
/// Starts `program`, a path or a name to be found in $PATH, with `words` (the first is its name). With kErrors its
/// output goes nowhere.
StartedProgram start_program(const std::string& program, std::vector<std::string> words, ReadOutput reads);
/// The exit status; -1: a signal ended it.
int wait_for_program(int process);
void kill_program(int process);
/// Where a program lies in $PATH, or empty.
std::string find_in_path(std::string_view name);
/// Another program in place of this one; returns where it could not be started, and errno says why.
void become_program(std::vector<std::string> words);

}  // namespace lacuna

#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// What stands for a part of an output's name: %p, %h, %r and the like.
struct OutputNameFacts {
  std::string process;  ///< %p
  std::string host;     ///< %h
  std::string rank;     ///< %r; empty: no sign of ranks, which makes %r 0
};
/// The facts of this process. The rank is what torchrun, accelerate, mpirun or srun set for it.
OutputNameFacts own_output_facts();

/// `pattern` with %p (process id), %h (host), %r (rank), %n (`number`) and %% replaced.
/// kInvalidArgument for any other % sequence.
Result<std::string> expand_output_name(const std::string& pattern, const OutputNameFacts& facts, unsigned number);

/// Claims the file that `pattern` means. With %n, that of the first number from 1 on where nothing is; without a
/// pattern, a new one named after the program, the time and the rank or, without one, the process.
Result<ClaimedFile> claim_output(const std::string& pattern, const std::vector<std::string>& command, bool force);

}  // namespace lacuna

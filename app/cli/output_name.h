#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// The values of %p, %h and %r in an output's name.
struct OutputNameFacts {
  std::string process;  ///< %p
  std::string host;     ///< %h
  std::string rank;     ///< %r; empty: no rank is known, and %r becomes 0
};
/// The values for this process. The rank comes from the variables of torchrun, accelerate, mpirun or srun.
OutputNameFacts own_output_facts();

/// `pattern` with %p (process id), %h (host), %r (rank), %n (`number`) and %% replaced.
/// kInvalidArgument for any other % sequence.
Result<std::string> expand_output_name(const std::string& pattern, const OutputNameFacts& facts, unsigned number);

/// Claims the file that `pattern` names. With %n, the first number from 1 on whose file does not exist; without a
/// pattern, a new one named after the program, the time and the rank or, without one, the process.
Result<ClaimedFile> claim_output(const std::string& pattern, const std::vector<std::string>& command, bool force);

}  // namespace lacuna

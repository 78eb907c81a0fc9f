#pragma once

#include <string>

namespace lacuna {

/// Exit status of a test executable if nothing failed and something was skipped. ctest then reports the file
/// as skipped, never as passed.
inline constexpr int kSkippedStatus = 77;

/// Reports that a part of the running test needs something that this machine lacks, such as the shared traces.
void skip(const std::string& why);

}  // namespace lacuna

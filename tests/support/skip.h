#pragma once

#include <string>

namespace lacuna {

/// What a test executable exits with when nothing failed and something was skipped. ctest then reports the file
/// as skipped, never as passed.
inline constexpr int kSkippedStatus = 77;

/// Says that a part of the running test needs something that this machine lacks, such as the shared traces.
void skip(const std::string& why);

}  // namespace lacuna

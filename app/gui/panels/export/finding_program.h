#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// The contents of a finding, and where to write it.
struct FindingWish {
  std::vector<std::string> traces;  ///< paths
  std::string output;               ///< path
  std::optional<TimeSpan> range;    ///< nothing: all of the trace
  std::string view;                 ///< text of format_finding()
  std::vector<std::string> queries;
  bool scrubs = false, replaces = false;
};

/// Runs this program to write the finding (lacuna bundle): pictures and reports are made as on the command line.
/// Returns a text that says what was written. Errors: that program's error output. Blocking; any thread.
Result<std::string> write_finding(const FindingWish& wish);

}  // namespace lacuna

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// What goes into a finding.
struct FindingWish {
  std::vector<std::string> traces;  ///< paths
  std::string output;               ///< path
  std::optional<TimeSpan> range;    ///< nothing: all of the trace
  std::string view;                 ///< format_finding()
  std::vector<std::string> queries;
  bool scrubs = false, replaces = false;
};

/// Has this program write it (lacuna bundle): picture and reports are made as on the command line, beside the window.
/// What was written, in words. Errors: what that program says. Blocking; any thread.
Result<std::string> write_finding(const FindingWish& wish);

}  // namespace lacuna

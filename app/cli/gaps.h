#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/gaps/gaps.h"

namespace lacuna {

/// `lacuna gaps`
struct GapsOptions {
  bool json = false;
  bool kernels_only = false;
  std::vector<std::string> streams{};  ///< "DEVICE:STREAM"; empty = all
  Nanos min_duration = 0;              ///< shorter gaps are not listed (they stay part of idle)
  std::size_t limit = 0;               ///< gaps listed per stream; 0 = all
  std::size_t width = 120;             ///< columns of text
};

/// Writes for each stream its activity and its gaps, longest first.
/// kInvalidArgument when a stream is asked for that the trace does not have.
Result<void> print_gaps(const Trace& trace, const GapsOptions& options, Output& out);

/// The streams that options.streams names, or all. Errors as above.
Result<std::vector<StreamActivity>> choose_streams(const Trace& trace, const GapsOptions& options);

/// What the numbers and the JSON keys mean, for --help.
std::string_view gaps_help();

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna what-if`
struct WhatIfOptions {
  std::vector<std::string> no_causes, no_gaps, scales, fusions, graphs;
  std::string overlap;
  bool rank_even = false;
  std::optional<std::int64_t> rank;
  bool json = false;
  std::size_t width = 120;  ///< columns of text

  /// Declares the options on `what-if`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& command);
};

/// Writes the answer and the ranking. kInvalidArgument for names, causes and steps that the trace does not have.
Result<void> print_what_if(const Trace& trace, const WhatIfOptions& options, Output& out);

}  // namespace lacuna

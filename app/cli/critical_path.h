#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/output.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna critical-path`
struct CriticalPathOptions {
  std::string steps;  ///< "3" or "3..5"
  std::string from_us, to_us;
  std::optional<std::int64_t> rank;
  std::optional<std::size_t> limit;  ///< rows of text
  bool json = false;
  std::size_t width = 120;  ///< columns of text

  /// Declares the options on `critical-path`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& command);
};

/// Writes the path. kInvalidArgument for steps or ranks that the trace does not have.
Result<void> print_critical_path(const Trace& trace, const CriticalPathOptions& options, Output& out);

/// The source that has this rank; without one the source given, or nothing: any. kInvalidArgument when there is none.
Result<std::optional<SourceId>> source_of_rank(const Trace& trace, std::optional<std::int64_t> rank);

}  // namespace lacuna

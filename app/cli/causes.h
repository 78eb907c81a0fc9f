#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

struct GapsOptions;

/// The views of `lacuna gaps` that ask why: at most one of them is chosen.
struct CausesOptions {
  bool by_cause = false;      ///< --causes
  bool by_operator = false;   ///< --by-operator
  bool dead_windows = false;  ///< --dead-windows
  bool launches = false;      ///< --launches
  bool whole = false;         ///< --whole

  bool any() const { return by_cause || by_operator || dead_windows || launches || whole; }
  /// Declares the options on `gaps`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& gaps);
};

/// Writes the chosen view. Of `gaps`: json, kernels_only, streams, limit and width count.
/// kInvalidArgument when a stream is asked for that the trace does not have, or --whole without a view that it is of.
Result<void> print_causes(const Trace& trace, const GapsOptions& gaps, const CausesOptions& options, Output& out);

/// What the views show, and their JSON keys, for --help.
std::string_view causes_help();

}  // namespace lacuna

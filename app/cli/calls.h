#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/group_stats.h"
#include "app/cli/output.h"
#include "model/calls/call_tree.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna calls`
struct CallsOptions {
  std::string by = "cpu";  ///< cpu, gpu or idle
  bool bottom_up = false;
  bool with_python = false;          ///< Python frames are frames of the tree
  std::string name;                  ///< counts only what runs inside slices of this name; empty = everything
  GroupStatsOptions what;            ///< range and tracks
  std::optional<std::size_t> depth;  ///< levels shown
  double min_percent = 1;            ///< frames with less of the whole are left out, and counted
  bool folded = false;               ///< "a;b;c 123", as flamegraph.pl and speedscope read it
  bool json = false;
  std::size_t width = 120;  ///< columns of text

  /// Declares the options on `calls`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& calls);
};

/// Writes the call tree. kInvalidArgument for a range or tracks that the trace does not have, kNotFound for
/// a name.
Result<void> print_calls(const Trace& trace, const CallsOptions& options, Output& out);

}  // namespace lacuna

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "app/cli/output.h"
#include "model/calls/graph_origins.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna info`
struct InfoOptions {
  bool json = false;
  std::size_t width = 120;  ///< columns of text
  void add_to(CLI::App& info);
};

/// How many nodes of CUDA graphs are matched to their captured launches; nothing without a capture trace. Reads args.
std::optional<GraphOrigins::Counts> graph_node_counts(const Trace& trace);

/// Writes the contents of the trace and what the import repaired or left out.
void print_info(const Trace& trace, const InfoOptions& options, Output& out);

/// The `--json` form alone.
void print_info_json(const Trace& trace, Output& out);

}  // namespace lacuna

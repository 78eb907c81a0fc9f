#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

// The critical path as defined by Holistic Trace Analysis 0.5.0 (CriticalPathAnalysis), number for number, for
// comparison with HTA. Lacuna's own path, which accounts for every moment, is in critical_path.h.

struct HtaPathOptions {
  std::string annotation = "ProfilerStep";  ///< what the name of an annotation contains; empty: the whole trace
  std::uint64_t instance = 0;               ///< its index, in the order of HTA's table
};

/// Times in ns, though HTA's resolution is 1 us: fractions of it are rounded inwards, as in HTA.
struct HtaPath {
  std::uint64_t nodes = 0;        ///< starts and ends of events on the path
  std::uint64_t edges = 0;        ///< one less than `nodes`
  std::uint64_t events = 0;       ///< operators, runtime calls and activities with a node on the path
  std::uint64_t graph_nodes = 0;  ///< number of nodes in the whole graph
  std::uint64_t graph_edges = 0;
  Nanos total = 0;                                     ///< sum over the edges of the path
  std::map<std::string, Nanos> by_bound;               ///< by what bounds it: "cpu_bound", "gpu_compute_bound" …
  std::map<std::string, Nanos> by_type;                ///< by kind of edge: "critical_path_operator" …
  std::vector<std::pair<std::string, Nanos>> by_name;  ///< by HTA's short names; largest first
};

/// Finds the path of one source. Errors: kInvalidArgument: no such annotation or instance; kUnsupported: HTA fails: the
/// graph has a cycle, or a synchronisation inside one stream. Reads the args of GPU events from the file's bytes.
/// O(n log n); any thread.
Result<HtaPath> hta_critical_path(const Trace& trace, SourceId source, const HtaPathOptions& options);

/// Like HTA's shorten_name(): returns the name without arguments, template arguments and return type.
std::string hta_short_name(std::string_view name);

}  // namespace lacuna

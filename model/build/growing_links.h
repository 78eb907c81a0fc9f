#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/build/flow_linking.h"
#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The links of a recording under way, kept up from one trace of it to the next. Slices that are sealed
/// (Lane::sealed) are looked at once: a launch and its activity are joined for good when both are sealed, likewise
/// the two ends of a flow. What is not sealed is linked anew for each trace. Of one recording, whose traces come in
/// their order. One thread at a time.
///
/// Some recordings cannot be kept up: flows of which an id comes again, calls that share the correlation of earlier
/// ones, places that are given up. Then it starts over, a few times, and after that gives no answers any more.
class GrowingLinks {
 public:
  GrowingLinks();
  ~GrowingLinks();
  /// Gives what linking the trace afresh would; nothing: it must be linked afresh. `runs`: all flows so far, in
  /// the order in which they came. O(slices newly sealed + slices not sealed + parts of tables, which links share);
  /// when lanes moved, + links.
  std::optional<Links> update(const Trace& trace, const std::vector<FlowRun>& runs, ImportReport& report);
  /// Launches and flows that were joined for good.
  std::size_t kept() const;

 private:
  class State;
  std::unique_ptr<State> state_;
  std::uint32_t starts_over_ = 0;
};

}  // namespace lacuna

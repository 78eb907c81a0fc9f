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

/// The links of a recording under way, updated from one trace of it to the next. Sealed slices
/// (Lane::sealed) are processed once: a launch and its activity are linked for good when both are sealed, likewise
/// the two ends of a flow. Other slices are linked anew for each trace. For one recording, whose traces must come in
/// order. One thread at a time.
///
/// Some recordings cannot be updated: those in which flow ids are reused, calls share the correlation of earlier
/// ones, or sealed rows are given up. Then it starts over, a few times, and after that returns nothing any more.
class GrowingLinks {
 public:
  GrowingLinks();
  ~GrowingLinks();
  /// Returns the same as linking the trace anew; nothing: the caller must do that. `runs`: all flows so far, in
  /// order of arrival. O(slices newly sealed + slices not sealed + parts of tables, which links share);
  /// when lanes were renumbered, + links.
  std::optional<Links> update(const Trace& trace, const std::vector<FlowRun>& runs, ImportReport& report);
  /// The number of launches and flows linked for good.
  std::size_t kept() const;

 private:
  class State;
  std::unique_ptr<State> state_;
  std::uint32_t starts_over_ = 0;
};

}  // namespace lacuna

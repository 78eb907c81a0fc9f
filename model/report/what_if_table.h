#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/path/what_if.h"

namespace lacuna {

/// The prediction of some changes beside the ranking of all.
struct WhatIfTable {
  std::vector<WhatIfGain> ranking;  ///< without changes that gain nothing
  WhatIfAnswer prediction;
  std::string error;  ///< why there is no prediction; empty: there is one
};

/// Replays one source after the other, and keeps the replay and the ranking of the last one. One thread at a time.
class WhatIfTables {
 public:
  /// `trace` must outlive it.
  explicit WhatIfTables(const Trace& trace) : trace_(trace) {}
  WhatIfTable of(SourceId source, const std::vector<WhatIfChange>& changes);

 private:
  struct Kept {
    Kept(const Trace& trace, SourceId of);
    SourceId source;
    WhatIf what_if;
    std::vector<WhatIfGain> ranking;
  };
  const Trace& trace_;
  std::optional<Kept> kept_;
};

}  // namespace lacuna

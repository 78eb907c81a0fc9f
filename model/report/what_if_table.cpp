#include "model/report/what_if_table.h"

#include <utility>

#include "model/job/late_waits.h"

namespace lacuna {

WhatIfTables::Kept::Kept(const Trace& trace, SourceId of)
    : source(of), what_if(trace, of, TimeSpan::everything(), late_ranks_or_none(trace)), ranking(what_if.rank()) {
  std::erase_if(ranking, [](const WhatIfGain& gain) { return gain.gain <= 0; });
}

WhatIfTable WhatIfTables::of(SourceId source, const std::vector<WhatIfChange>& changes) {
  if (!kept_ || kept_->source != source) kept_.emplace(trace_, source);
  WhatIfTable table;
  table.ranking = kept_->ranking;
  if (Result<WhatIfAnswer> prediction = kept_->what_if.ask(changes)) {
    table.prediction = std::move(*prediction);
  } else {
    table.error = prediction.error().message();
  }
  return table;
}

}  // namespace lacuna

#include "app/gui/live/known_percentiles.h"

namespace lacuna {

std::string KnownPercentiles::key(const Trace& trace, const StatisticsRow& row) {
  std::string key(trace.text(row.name));
  key.push_back('\0');
  return key.append(trace.category_name(row.category));
}

void KnownPercentiles::remember(const Trace& trace, const Statistics& computed) {
  for (const StatisticsRow& row : computed.rows)
    if (row.p50 >= 0) known_[key(trace, row)] = {row.p50, row.p99};
}

Statistics KnownPercentiles::fill(const Trace& trace, const Statistics& statistics) const {
  Statistics filled = statistics;
  for (StatisticsRow& row : filled.rows) {
    if (row.p50 >= 0) continue;
    const auto found = known_.find(key(trace, row));
    if (found == known_.end()) continue;
    row.p50 = found->second.first;
    row.p99 = found->second.second;
  }
  return filled;
}

}  // namespace lacuna

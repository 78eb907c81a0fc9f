#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "model/statistics.h"
#include "model/trace.h"

namespace lacuna {

/// Percentiles of the documents that a recording had so far. They take longer to compute than documents to
/// come, so what is shown of the newest document are those that were computed last. UI thread.
class KnownPercentiles {
 public:
  /// Takes over those of `computed`, statistics of `trace` with percentiles.
  void remember(const Trace& trace, const Statistics& computed);
  /// A copy in which rows without percentiles have those remembered of their name and category. O(rows).
  Statistics fill(const Trace& trace, const Statistics& statistics) const;
  bool is_empty() const { return known_.empty(); }
  void clear() { known_.clear(); }

 private:
  static std::string key(const Trace& trace, const StatisticsRow& row);
  std::unordered_map<std::string, std::pair<Nanos, Nanos>> known_;
};

}  // namespace lacuna

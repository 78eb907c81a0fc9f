#pragma once

#include <optional>

#include "model/base/time.h"

namespace lacuna {

/// A range of time as a user writes it: both ends are times as `ts` in the file, or both count from the trace's start,
/// as the ruler and the report do.
struct AskedRange {
  std::optional<Nanos> from, to;            ///< nothing: no limit
  std::optional<bool> is_since_start = {};  ///< whether they count from the start; nothing: the trace tells

  /// The range in the trace's own time. One that begins before the trace counts from the start, unless it would begin
  /// behind the trace then.
  constexpr TimeSpan in(TimeSpan trace) const {
    const TimeSpan since = added(trace.begin);
    const bool is_before = from ? *from < trace.begin && since.begin < trace.end : to && *to <= trace.begin;
    return is_since_start.value_or(is_before) ? since : added(0);
  }

  /// Whether the times were taken as those of the file, but counted from the start would lie in the trace, too.
  constexpr bool may_be_since_start(TimeSpan trace) const {
    const TimeSpan since = added(trace.begin);
    return !is_since_start && in(trace) != since && (from ? since.begin < trace.end : since.end <= trace.end);
  }

 private:
  constexpr TimeSpan added(Nanos start) const {
    return {from ? saturating_add(start, *from) : kMinNanos, to ? saturating_add(start, *to) : kMaxNanos};
  }
};

}  // namespace lacuna

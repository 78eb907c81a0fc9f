#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One pass over the args of many slices of one source.
struct ArgumentScan {
  SourceId source;
  std::span<const LaneId> lanes;
  /// Returns which of `keys` to read for a slice of those lanes; < 0: skip the slice. Any thread.
  std::function<int(const Lane& lane, std::uint32_t index)> wanted;
  std::span<const std::span<const std::string_view>> keys;
  /// Receives values as described in bulk_arguments.h. Called concurrently by `threads` workers, each with its number.
  std::function<void(unsigned worker, SliceId slice, std::span<const std::string_view> values)> visit;
  unsigned threads = 2;
  const std::atomic<bool>* cancel = nullptr;
};

/// Reads the file once, forward, in pieces that the workers share; does not sort all slices at once.
/// Errors: those of read_arguments_in_bulk(), kCancelled.
Result<void> scan_arguments(const Trace& trace, const ArgumentScan& scan);

}  // namespace lacuna

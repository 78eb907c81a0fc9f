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
  /// Which of `keys` to read of a slice of those lanes; < 0: none, leave it out. Any thread.
  std::function<int(const Lane& lane, std::uint32_t index)> wanted;
  std::span<const std::span<const std::string_view>> keys;
  /// Gets what bulk_arguments.h says. Called by `threads` workers at once, each with its number.
  std::function<void(unsigned worker, SliceId slice, std::span<const std::string_view> values)> visit;
  unsigned threads = 2;
  const std::atomic<bool>* cancel = nullptr;
};

/// Reads the file once, forward, in pieces that the workers share; nothing is sorted as a whole.
/// Errors: those of read_arguments_in_bulk(), kCancelled.
Result<void> scan_arguments(const Trace& trace, const ArgumentScan& scan);

}  // namespace lacuna

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/page_memory.h"
#include "model/base/result.h"
#include "model/build/raw_event.h"
#include "model/trace/trace.h"

namespace lacuna {

/// All events of a trace in one list, with one string pool.
struct EventStream {
  StringPool strings;
  PageVector<RawEvent> events;
  std::vector<std::size_t> first_of_source;  ///< index of the first event of each source, then the count
  /// Perfetto replaces a pid or tid that is text by that text's number in its own pool: by StringId, 0 = none.
  std::vector<std::uint32_t> pool_numbers;
  std::uint64_t tokenizer_failures = 0;
  std::uint64_t display_units = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< members of "metadata": key, JSON
};

Result<EventStream> read_event_stream(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel);

/// Returns the indices of the events [first, last) in the order in which they are processed.
PageVector<std::uint32_t> playing_order(const PageVector<RawEvent>& events, std::size_t first, std::size_t last);

}  // namespace lacuna

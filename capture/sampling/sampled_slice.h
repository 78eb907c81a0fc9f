#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/export/event_sink.h"

namespace lacuna {

/// A slice of a track beside a thread, as delivered to the sink. Times in CLOCK_MONOTONIC ns. Name and category
/// must live as long as the sampler.
struct SampledSlice {
  StreamedTrack track;
  std::string_view name;
  std::string_view category;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string args;  ///< same format as StreamedSlice::args
};

}  // namespace lacuna

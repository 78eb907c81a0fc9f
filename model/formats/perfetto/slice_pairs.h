#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/formats/perfetto/trace_index.h"

namespace lacuna {

inline constexpr std::uint32_t kNoPartner = ~std::uint32_t{0};

/// Returns for each event, by number: for a begin its end and vice versa, for a state the next state of its track; else
/// kNoPartner. As in Perfetto, an end closes the slice of its track that began last. PyTorch writes all begins of a
/// group first, then the ends in the same order: there, and on any track that is not in order of time in the file, the
/// n-th end is paired with the n-th begin if that gives no slice a negative duration.
std::vector<std::uint32_t> pair_slices(std::span<const IndexedEvent> events);

/// Returns the numbers of the events in order of time; equal times keep the order of the file.
std::vector<std::uint32_t> order_of_time(std::span<const IndexedEvent> events);

}  // namespace lacuna

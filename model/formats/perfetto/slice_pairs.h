#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/formats/perfetto/trace_index.h"

namespace lacuna {

inline constexpr std::uint32_t kNoPartner = ~std::uint32_t{0};

/// For each event, by number: of a begin its end and of an end its begin, of a state the next one of its track; else
/// kNoPartner. As in Perfetto, an end closes the slice of its track that began last. PyTorch writes the begins of a
/// group first, then the ends in the same order: there, and wherever a track is not in order of time in the file, each
/// end goes with the begin of its place if that gives no slice a negative duration.
std::vector<std::uint32_t> pair_slices(std::span<const IndexedEvent> events);

/// Numbers of the events in order of time; those of the same time in that of the file.
std::vector<std::uint32_t> order_of_time(std::span<const IndexedEvent> events);

}  // namespace lacuna

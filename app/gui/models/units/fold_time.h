#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/gui/core/document.h"
#include "render/time_folds.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// The long stretches in which none of the tracks shown has anything: no slice runs, no instant lies there.
/// Counters do not count, nor what only says how long the recording was (category "Trace"). Empty when some
/// track is busy all the time. `is_hidden`: by TrackId, missing = shown.
///
/// Folded is what is longer than four times the length that it is folded to, which is a hundredth of the
/// time that is left. O(slices of outermost rows). Any thread.
TimeFolds find_time_folds(const Document& document, std::span<const std::uint8_t> is_hidden);

/// Why find_time_folds() found nothing with these tracks shown: a sentence for the user. O(tracks).
std::string why_nothing_folds(const Document& document, std::span<const TrackState> tracks);

}  // namespace lacuna

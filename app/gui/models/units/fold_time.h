#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/gui/core/document.h"
#include "render/time_folds.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// Returns the long stretches in which no shown track has a running slice or an instant.
/// Ignores counters and slices that only say how long the recording was (category "Trace"). Empty when some
/// track is busy all the time. `is_hidden`: by TrackId, missing = shown.
///
/// Folds stretches longer than four times their folded length, which is a hundredth of the
/// time left. O(slices of outermost rows). Any thread.
TimeFolds find_time_folds(const Document& document, std::span<const std::uint8_t> is_hidden);

/// Returns why find_time_folds() found nothing with these tracks shown: a sentence for the user. O(tracks).
std::string why_nothing_folds(const Document& document, std::span<const TrackState> tracks);

}  // namespace lacuna

#pragma once

namespace lacuna {

/// ImGui needs a few frames until hovering, sizes and popups have settled after an event.
inline constexpr int kSettleFrames = 3;
/// Between frames that nothing but loading and computing asks for.
inline constexpr double kLoadingPeriodS = 1.0 / 20;
/// What moves goes on by no more at once, however long the last frame took.
inline constexpr double kLongestStepS = 0.1;

}  // namespace lacuna

#pragma once

namespace lacuna {

/// The frames that ImGui needs after an event until hovering, sizes and popups have settled.
inline constexpr int kSettleFrames = 3;
/// The period of frames while only loading and computing need them.
inline constexpr double kLoadingPeriodS = 1.0 / 20;
/// The most time that an animation advances in one frame, however long the last frame took.
inline constexpr double kLongestStepS = 0.1;

}  // namespace lacuna

#pragma once

#include "model/report/time_use.h"
#include "render/paint/theme.h"

namespace lacuna {

/// What a GPU did, in one hue, the paler the less of it is computing. Idle time has the colours of its causes
/// (Theme::gap_colour).
inline Rgba work_colour(const Theme& theme, TimeKind kind) {
  switch (kind) {
    case TimeKind::kKernel:
      return theme.good;
    case TimeKind::kCommunication:
      return mix(theme.good, theme.accent, 0.7f);
    default:
      return mix(theme.good, theme.muted, 0.6f);
  }
}

}  // namespace lacuna

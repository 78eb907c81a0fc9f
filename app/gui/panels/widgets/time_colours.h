#pragma once

#include "app/gui/panels/ui_context.h"
#include "model/report/time_use.h"

namespace lacuna {

/// Returns the colour of GPU time: the positive colour for all compute, and the colours of the kernel classes for the
/// rest. Idle time has the colours of its causes (Theme::gap_colour).
inline Rgba work_colour(const UiContext& ui, TimeKind kind) {
  switch (kind) {
    case TimeKind::kKernel:
      return ui.theme.good;
    case TimeKind::kCommunication:
      return ui.palette.of_class(KernelClass::kCommunication).fill;
    case TimeKind::kMemcpy:
    case TimeKind::kMemset:
      return ui.palette.of_class(KernelClass::kCopy).fill;
    case TimeKind::kWaiting:
      return ui.palette.of_class(KernelClass::kWaiting).fill;
    default:
      return mix(ui.theme.good, ui.theme.muted, 0.6f);
  }
}

}  // namespace lacuna

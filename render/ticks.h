#pragma once

#include <vector>

#include "model/time.h"
#include "render/camera.h"
#include "render/draw_list.h"

namespace lacuna {

/// Ruler ticks for the visible range: majors at 1, 2 or 5 times a power of ten nanoseconds (60 s
/// based above a second), at least `min_label_px` apart, with labels relative to `origin` whose
/// digits suffice to tell neighbours apart; minors between them.
void make_ticks(const Camera& camera, double width_px, Nanos origin, double min_label_px,
                std::vector<DrawTick>& out);

}  // namespace lacuna

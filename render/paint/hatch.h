#pragma once

#include "model/causes/gap_cause.h"
#include "render/paint/imgui_compat.h"

namespace lacuna {

/// Fills a rectangle with the hatching of a cause, so that causes are distinguished not only by
/// colour: rising, falling, upright, level, crossed, a grid, wide upright, none, wide rising.
/// `step`: distance of lines; `phase`: position of the first one, 0 .. step.
void hatch(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, GapCause cause, ImU32 colour);

}  // namespace lacuna

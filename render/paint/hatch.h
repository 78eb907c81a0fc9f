#pragma once

#include "model/causes/gap_cause.h"
#include "render/paint/imgui_compat.h"

namespace lacuna {

/// Fills a rectangle with the lines that stand for a cause, so that colour is not all that tells
/// causes apart: rising, falling, upright, level, crossed, a grid, wide upright, none, wide rising.
/// `step`: distance of lines; `phase`: where the first one is, 0 .. step.
void hatch(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, GapCause cause, ImU32 colour);

}  // namespace lacuna

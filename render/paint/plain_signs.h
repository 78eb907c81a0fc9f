#pragma once

#include <imgui.h>

namespace lacuna {

/// Puts ASCII in the place of dashes, the ellipsis and the minus sign where `font` lacks them, as Dear ImGui's built-in
/// one does, which is all there is on a machine without typefaces. Before 1.92: once the atlas was built.
void stand_in_for_signs(ImFont& font);

}  // namespace lacuna

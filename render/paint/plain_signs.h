#pragma once

#include <imgui.h>

namespace lacuna {

/// Substitutes ASCII for dashes, the ellipsis and the minus sign if `font` lacks them, like Dear ImGui's built-in
/// font, the only one on a machine without installed fonts. Before 1.92: call once the atlas is built.
void stand_in_for_signs(ImFont& font);

}  // namespace lacuna

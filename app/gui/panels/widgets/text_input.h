#pragma once

#include <string>

#include "render/paint/imgui_compat.h"

namespace lacuna {

/// Draws a one-line text field. Returns true when its text changed; with EnterReturnsTrue, when Enter was pressed.
bool text_input(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags = 0,
                ImGuiInputTextCallback callback = nullptr, void* user = nullptr);

/// Draws a multi-line field. With EnterReturnsTrue it returns true when Ctrl+Enter was pressed.
bool text_area(const char* id, std::string& text, ImVec2 size, ImGuiInputTextFlags flags = 0,
               ImGuiInputTextCallback callback = nullptr, void* user = nullptr);

}  // namespace lacuna

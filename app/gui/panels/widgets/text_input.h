#pragma once

#include <string>

#include "render/paint/imgui_compat.h"

namespace lacuna {

/// A one-line text field of at most 8191 bytes that keeps its text in a string. True when it changed.
bool text_input(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags = 0,
                ImGuiInputTextCallback callback = nullptr, void* user = nullptr);

}  // namespace lacuna

#include "app/gui/panels/widgets/text_input.h"

#include <imgui_stdlib.h>

namespace lacuna {

bool text_input(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags,
                ImGuiInputTextCallback callback, void* user) {
  return ImGui::InputTextWithHint(id, hint, &text, flags, callback, user);
}

bool text_area(const char* id, std::string& text, ImVec2 size, ImGuiInputTextFlags flags,
               ImGuiInputTextCallback callback, void* user) {
  return ImGui::InputTextMultiline(id, &text, size, flags, callback, user);
}

}  // namespace lacuna

#include "app/gui/panels/widgets/text_input.h"

#include <array>

namespace lacuna {

bool text_input(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags,
                ImGuiInputTextCallback callback, void* user) {
  std::array<char, 8192> typed{};
  text.copy(typed.data(), typed.size() - 1);
  const bool changed = ImGui::InputTextWithHint(id, hint, typed.data(), typed.size(), flags, callback, user);
  if (changed) text = typed.data();
  return changed;
}

}  // namespace lacuna

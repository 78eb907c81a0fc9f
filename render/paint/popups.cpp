#include <imgui.h>
#include <imgui_internal.h>

#include "render/paint/imgui_compat.h"

namespace lacuna {

bool close_popups() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return false;
  ImGui::ClosePopupToLevel(0, true);
  ImGui::ClearActiveID();  // what was typed into one of them ends, too
  return true;
}

}  // namespace lacuna

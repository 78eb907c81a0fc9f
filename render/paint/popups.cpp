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

void activate_input(ImGuiID id) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavNextActivateId = id;
  g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
}

void raise_window() { ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow()); }

}  // namespace lacuna

#include <imgui.h>
#include <imgui_internal.h>

#include "render/paint/imgui_compat.h"

namespace lacuna {
namespace {

/// The frame around the item that Enter would choose.
void show_focus(ImGuiContext& g, bool shown) {
#if IMGUI_VERSION_NUM >= 19140
  g.NavCursorVisible = shown;
#else
  g.NavDisableHighlight = !shown;
#endif
}

}  // namespace

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

void start_menu_keys() {
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  show_focus(*ImGui::GetCurrentContext(), true);
}

void choose_menu_item() {
#if IMGUI_VERSION_NUM < 18900  // newer ones take Enter themselves
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavNextActivateId = g.NavId;
  g.NavNextActivateFlags = ImGuiActivateFlags_None;
#endif
}

int menu_keys_depth() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if ((g.IO.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) == 0) return 0;
  if (g.OpenPopupStack.Size > 0) {
    show_focus(g, true);
    return g.OpenPopupStack.Size;
  }
  g.IO.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  show_focus(g, false);
  return 0;
}

bool shows_tooltip() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active && !window->Hidden && window->Pos.x >= 0)
      return true;
  return false;
}

void raise_window() {
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
}

}  // namespace lacuna

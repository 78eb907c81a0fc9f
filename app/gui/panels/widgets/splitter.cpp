#include "app/gui/panels/widgets/splitter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {

SplitterMove draw_splitter(const UiContext& ui, const Splitter& s, float& size_px) {
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(s.begin);
  ImGui::InvisibleButton(s.id, {std::max(1.0f, s.end.x - s.begin.x), std::max(1.0f, s.end.y - s.begin.y)});
  note_place(ui, s.id);
  const bool hovered = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive();
  // Where the mouse took hold of it: a drag past a limit and back must not shift the border.
  float& grip = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(s.id));
  const float mouse = s.is_vertical ? ImGui::GetIO().MousePos.x : ImGui::GetIO().MousePos.y;
  if (ImGui::IsItemActivated()) grip = mouse - size_px;
  ImGui::SetCursorScreenPos(before);

  if (hovered || active) {
    ImGui::SetMouseCursor(s.is_vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const ImVec2 centre((s.begin.x + s.end.x) * 0.5f, (s.begin.y + s.end.y) * 0.5f);
    const float half = std::max(1.0f, ui.px(active ? 2.0f : 1.5f));
    const ImVec2 a = s.is_vertical ? ImVec2(centre.x - half, s.begin.y) : ImVec2(s.begin.x, centre.y - half);
    const ImVec2 b = s.is_vertical ? ImVec2(centre.x + half, s.end.y) : ImVec2(s.end.x, centre.y + half);
    ImGui::GetWindowDrawList()->AddRectFilled(a, b, to_imgui(ui.theme.accent));
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    grip = std::numeric_limits<float>::quiet_NaN();  // until the next press: what is still held must not undo it
    return SplitterMove::kReset;
  }
  const bool dragged = (active || item_let_go()) && !std::isnan(grip);
  if (dragged) size_px = mouse - grip;
  size_px = std::clamp(size_px, s.least, std::max(s.least, s.most));
  return dragged ? SplitterMove::kDragged : SplitterMove::kNone;
}

}  // namespace lacuna

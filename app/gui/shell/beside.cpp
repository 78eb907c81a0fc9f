#include "app/gui/shell/beside.h"

#include <algorithm>
#include <cmath>

#include "app/gui/panels/widgets/splitter.h"

namespace lacuna {
namespace {

constexpr float kBesideStripPx = 7;

}  // namespace

Beside lay_beside(const UiContext& ui, ImVec2 at, ImVec2 size, float part, float least_left, float least_right) {
  Beside b{.at = at, .size = size, .least_left = ui.px(least_left), .least_right = ui.px(least_right)};
  b.strip_px = std::round(ui.px(kBesideStripPx));
  b.left_px =
      size.x - std::round(std::clamp(size.x * part, b.least_right, std::max(b.least_right, size.x - b.least_left)));
  return b;
}

void draw_beside(const UiContext& ui, const Beside& b, const char* id, float& part, float usual) {
  const float line_x = std::floor(b.at.x + b.left_px + b.strip_px * 0.5f) + 0.5f;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({b.at.x + b.left_px, b.at.y}, {b.right_at().x, b.at.y + b.size.y}, to_imgui(ui.theme.panel));
  draw.AddLine({line_x, b.at.y}, {line_x, b.at.y + b.size.y}, to_imgui(ui.theme.border));
  const Splitter border{.id = id,
                        .is_vertical = true,
                        .begin = {b.at.x + b.left_px, b.at.y},
                        .end = {b.right_at().x, b.at.y + b.size.y},
                        .least = b.least_left,
                        .most = b.size.x - b.least_right};
  float left_px = b.left_px;
  const SplitterMove move = draw_splitter(ui, border, left_px);
  if (move == SplitterMove::kDragged) part = std::clamp((b.size.x - left_px) / b.size.x, 0.1f, 0.7f);
  if (move == SplitterMove::kReset) part = usual;
}

}  // namespace lacuna

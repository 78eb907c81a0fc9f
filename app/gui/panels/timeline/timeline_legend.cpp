// Which colour is which class of GPU work, where slices are coloured by it.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/panels/timeline/timeline_panel.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

using ClassesInView = std::array<bool, kKernelClassCount>;

void find_classes(const Trace& trace, NameClasses& classes, const TimelineDrawList& list, ClassesInView& found) {
  for (const DrawSlice& slice : list.slices) {
    if (!slice.is_gpu || !slice.slice.valid()) continue;
    const CategoryClass category = trace.category_class(slice.slice);
    if (!is_gpu_activity(category)) continue;
    const KernelClass of =
        category == CategoryClass::kKernel ? classes.of(trace.strings(), slice.name) : KernelClass::kCopy;
    found[static_cast<std::size_t>(of)] = true;
  }
}

}  // namespace

void TimelinePanel::class_legend(UiContext& ui) const {
  NameClasses* classes = ui.workspace().view().input().data.classes;
  if (!ui.palette.is_by_class() || classes == nullptr || !ui.workspace().has_trace()) return;
  ClassesInView found{};
  find_classes(ui.workspace().trace(), *classes, list_, found);
  find_classes(ui.workspace().trace(), *classes, pins_, found);

  ImFont* font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  const float swatch = ui.px(9), gap = ui.px(5), between = ui.px(14), padding = ui.px(7), line = size + ui.px(5);
  const float left = place_.tracks().x + ui.px(8), room = place_.width_px - ui.px(16) - 2 * padding;
  struct Entry {
    KernelClass of;
    float x, y;
  };
  std::array<Entry, kKernelClassCount> entries;
  std::size_t count = 0;
  float x = 0, y = 0, width = 0;
  for (std::size_t c = 0; c < kKernelClassCount; ++c) {
    if (!found[c]) continue;
    const auto of = static_cast<KernelClass>(c);
    const float wide = swatch + gap + text_width(font, size, kernel_class_name(of));
    if (x > 0 && x + wide > room) {
      x = 0;
      y += line;
    }
    entries[count++] = {of, x, y};
    width = std::max(width, x + wide);
    x += wide + between;
  }
  if (count == 0) return;
  const float height = y + size;
  const ImVec2 at{left, place_.tracks_end().y - height - 2 * padding - ui.px(8)};
  if (at.y < place_.tracks().y) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width + 2 * padding, at.y + height + 2 * padding};
  draw.AddRectFilled(at, end, to_imgui(with_alpha(ui.theme.panel, 0.94f)), ui.px(4));
  draw.AddRect(at, end, to_imgui(ui.theme.border), ui.px(4));
  for (std::size_t e = 0; e < count; ++e) {
    const ImVec2 from{at.x + padding + entries[e].x, at.y + padding + entries[e].y};
    const float top = std::round(from.y + (size - swatch) * 0.5f);
    draw.AddRectFilled({from.x, top}, {from.x + swatch, top + swatch},
                       to_imgui(ui.palette.of_class(entries[e].of).fill), ui.px(2));
    draw_text(draw, font, size, {from.x + swatch + gap, from.y}, to_imgui(ui.theme.text),
              kernel_class_name(entries[e].of), room);
  }
  if (ui.shown == nullptr) ui.observed.legend_classes = count;
}

}  // namespace lacuna

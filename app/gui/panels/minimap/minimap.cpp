#include "app/gui/panels/minimap/minimap.h"

#include <algorithm>
#include <cmath>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kEdgePx = 4;
constexpr float kLeastShownPx = 3;

double x_of(TimeSpan span, Nanos t, double width) {
  if (span.empty()) return 0;
  return (static_cast<double>(t) - static_cast<double>(span.begin)) / static_cast<double>(span.duration()) * width;
}

Nanos time_at(TimeSpan span, double x, double width) {
  const double part = std::clamp(x / std::max(1.0, width), 0.0, 1.0);
  return saturating_add(span.begin, static_cast<Nanos>(part * static_cast<double>(span.duration())));
}

}  // namespace

void Minimap::draw(UiContext& ui, ImVec2 at, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  const TimeSpan whole = workspace.trace().span();
  const TimeSpan shown = workspace.view().visible();
  float x0 = std::clamp(static_cast<float>(x_of(whole, shown.begin, size.x)), 0.0f, size.x);
  float x1 = std::clamp(static_cast<float>(x_of(whole, shown.end, size.x)), 0.0f, size.x);
  const float least = ui.px(kLeastShownPx);
  if (x1 - x0 < least) {
    x0 = std::clamp((x0 + x1 - least) * 0.5f, 0.0f, size.x - least);
    x1 = x0 + least;
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("minimap", size);
  note_place(ui, "minimap");
  if (!whole.empty()) handle_mouse(ui, at, size, x0, x1);
  paint(ui, at, size, x0, x1);
}

void Minimap::handle_mouse(UiContext& ui, ImVec2 at, ImVec2 size, float x0, float x1) {
  Workspace& workspace = ui.workspace();
  TimelineView& view = workspace.view();
  const TimeSpan whole = workspace.trace().span();
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x - at.x;
  const float edge = ui.px(kEdgePx);
  const bool has_edges = x1 - x0 > 4 * edge;
  const bool on_begin = has_edges && std::fabs(x - x0) <= edge;
  const bool on_end = has_edges && std::fabs(x - x1) <= edge;
  if (ImGui::IsItemActivated()) {
    drag_ = on_begin ? Drag::kBegin : on_end ? Drag::kEnd : Drag::kMove;
    // Beside the part shown: its middle jumps under the mouse.
    grab_px_ = x >= x0 - edge && x <= x1 + edge ? x - x0 : (x1 - x0) * 0.5f;
    if (drag_ == Drag::kMove && (x < x0 - edge || x > x1 + edge)) view.centre_on(time_at(whole, x, size.x));
  }
  if ((ImGui::IsItemActive() || item_let_go()) && drag_ != Drag::kNone && io.MouseDelta.x != 0) {
    const TimeSpan shown = view.visible();
    if (drag_ == Drag::kMove) {
      const double half = (x1 - x0) * 0.5;
      view.centre_on(time_at(whole, x - grab_px_ + half, size.x));
    } else {
      const Nanos t = time_at(whole, x, size.x);
      const TimeSpan wanted = drag_ == Drag::kBegin ? TimeSpan{t, shown.end} : TimeSpan{shown.begin, t};
      if (wanted.duration() > whole.duration() / 100'000) view.show_span(wanted);
    }
  }
  if (!ImGui::IsItemActive()) drag_ = Drag::kNone;
  if (!ImGui::IsItemHovered()) return;
  if (on_begin || on_end) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (io.MouseWheel != 0) {
    const TimeSpan shown = view.visible();
    const Nanos t = time_at(whole, x, size.x);
    const double centre = shown.contains(t) ? view.x_of(t) : view.width_px() * 0.5;
    view.zoom_at(centre, std::pow(1.25, static_cast<double>(io.MouseWheel)));
  }
  if (drag_ == Drag::kNone && begin_tooltip(ui, 420)) {
    text(time_text(ui, time_at(whole, x, size.x)));
    const ActivityOverview* overview = workspace.overview();
    if (overview != nullptr && overview->kind != ActivityOverview::Kind::kNothing) {
      const bool is_gpu = overview->kind == ActivityOverview::Kind::kGpu;
      const float share = overview->mean(std::floor(x), std::floor(x) + 1, size.x);
      muted_text(ui, (is_gpu ? "GPU busy: " : "CPU threads, of the busiest moment: ") +
                         format_percent(static_cast<double>(share)));
      muted_text(ui, column_definition("bars", is_gpu ? "GPU busy" : "CPU threads"));
    }
    end_tooltip();
  }
}

void Minimap::paint(UiContext& ui, ImVec2 at, ImVec2 size, float x0, float x1) const {
  Workspace& workspace = ui.workspace();
  const Theme& theme = ui.theme;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  draw.PushClipRect(at, end, true);
  draw.AddRectFilled(at, end, to_imgui(theme.background));
  const float top = at.y + ui.px(3);
  const float foot = end.y - 1;
  const ActivityOverview* overview = workspace.overview();
  if (overview != nullptr && overview->kind != ActivityOverview::Kind::kNothing) {
    const bool is_gpu = overview->kind == ActivityOverview::Kind::kGpu;
    const ImU32 colour = to_imgui(with_alpha(is_gpu ? theme.gpu_edge : theme.counter, 0.8f));
    const auto columns = static_cast<int>(size.x);
    for (int i = 0; i < columns;) {
      const float share = overview->mean(i, i + 1, size.x);
      const float y = std::round(foot - share * (foot - top));
      // Neighbours of the same height are one rectangle.
      int next = i + 1;
      while (next < columns && std::round(foot - overview->mean(next, next + 1, size.x) * (foot - top)) == y) ++next;
      if (y < foot)
        draw.AddRectFilled({at.x + static_cast<float>(i), y}, {at.x + static_cast<float>(next), foot}, colour);
      i = next;
    }
  }
  const TimeSpan whole = workspace.trace().span();
  if (const auto& area = workspace.area()) {
    const auto a = static_cast<float>(x_of(whole, area->begin, size.x));
    const auto b = static_cast<float>(x_of(whole, area->end, size.x));
    draw.AddRectFilled({at.x + a, at.y}, {at.x + std::max(b, a + 1), end.y}, to_imgui(with_alpha(theme.accent, 0.35f)));
  }
  for (const Marker& marker : workspace.markers().all()) {
    const float x = at.x + static_cast<float>(x_of(whole, marker.span.begin, size.x));
    draw.AddRectFilled({x, at.y}, {x + std::max(1.0f, ui.px(1.5f)), end.y}, to_imgui(theme.warning));
  }
  draw.AddRectFilled(at, {at.x + x0, end.y}, to_imgui(theme.outside));
  draw.AddRectFilled({at.x + x1, at.y}, end, to_imgui(theme.outside));
  draw_outline(draw, {at.x + x0, at.y + 1}, {at.x + x1, end.y - 1}, to_imgui(theme.accent),
               std::max(1.0f, std::round(ui.px(1))));
  draw.AddLine({at.x, end.y - 0.5f}, {end.x, end.y - 0.5f}, to_imgui(theme.border));
  draw.PopClipRect();
}

}  // namespace lacuna

// The menu bar above and the status line below.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/gui/files.h"
#include "app/gui/import_panel.h"
#include "app/gui/shell.h"
#include "app/gui/widgets.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {

void Shell::menu_bar(UiContext& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(8), ui.px(5)});
  if (ImGui::BeginMainMenuBar()) {
    ImGui::PopStyleVar();
    for (const Command::Menu which : {Command::Menu::kFile, Command::Menu::kEdit, Command::Menu::kView,
                                      Command::Menu::kGo, Command::Menu::kHelp}) {
      menu(ui, which);
    }
    title_and_badge(ui);
    ImGui::EndMainMenuBar();
  } else {
    ImGui::PopStyleVar();
  }
}

void Shell::menu(UiContext& ui, Command::Menu which) {
  // Titles are our own: no trace can put an id in here.
  const std::string title(to_text(which));
  if (!ImGui::BeginMenu(title.c_str())) return;
  for (const Command& command : commands()) {
    if (command.menu != which || !command.in_menu || command.run == nullptr) continue;
    if (command.separator_before) ImGui::Separator();
    const std::string name(command.name);
    const std::string key(command.keys[0]);
    const bool enabled = command.is_enabled == nullptr || command.is_enabled(app_);
    const bool checked = command.is_checked != nullptr && command.is_checked(app_);
    if (ImGui::MenuItem(name.c_str(), key.c_str(), checked, enabled)) run_command(app_, command);
    if (command.id == "open") recent_menu(ui);
  }
  ImGui::EndMenu();
}

void Shell::recent_menu(UiContext& ui) {
  if (!ImGui::BeginMenu("Open recent", !app_.settings.recent.empty())) return;
  std::string chosen;
  int id = 0;
  for (const std::string& path : app_.settings.recent) {
    ImGui::PushID(++id);
    if (ImGui::Selectable("##recent", false, 0, {ui.px(420), 0})) chosen = path;
    ImGui::SameLine(ui.px(12));
    fitted_text(ui, file_name(path), ui.px(400));
    tooltip(path);
    ImGui::PopID();
  }
  ImGui::EndMenu();
  if (!chosen.empty()) app_.open({chosen});
}

void Shell::title_and_badge(UiContext& ui) {
  if (!app_.workspace.has_trace()) return;
  const Trace& trace = app_.workspace.trace();
  const ReportSummary summary = summarize(trace.report());
  const std::string badge =
      summary.lost > 0       ? fmt::format("{} not shown", format_count(summary.lost))
      : summary.repaired > 0 ? fmt::format("{} repaired", format_count(summary.repaired))
      : summary.lines > 0    ? counted(summary.lines, "note")
                             : std::string();
  const float badge_px =
      badge.empty() ? 0 : ImGui::CalcTextSize(badge.c_str()).x + ui.px(28);

  const std::string name = app_.title();
  const std::string facts =
      counted(trace.event_count(), "event") + ", " + format_duration(trace.span().duration());
  const float left = ImGui::GetCursorPosX() + ui.px(16);
  const float right = ImGui::GetWindowWidth() - badge_px - ui.px(12);
  const float name_px = ImGui::CalcTextSize(name.c_str()).x;
  const float facts_px = ImGui::CalcTextSize(facts.c_str()).x;
  const float gap = ui.px(12);
  if (right - left > ui.px(60)) {
    // Drawn by hand, as one piece: the name may have to be cut.
    const float whole = name_px + gap + facts_px;
    const float x = std::clamp((ImGui::GetWindowWidth() - whole) * 0.5f, left,
                               std::max(left, right - whole));
    const ImVec2 corner = ImGui::GetWindowPos();
    const ImVec2 at(corner.x + x,
                    corner.y + std::floor((ImGui::GetWindowHeight() - fonts_.ui_px) * 0.5f));
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float used =
        draw_text(draw, fonts_.ui, fonts_.ui_px, at, to_imgui(theme_.text), name, right - x);
    if (left + whole <= right) {
      draw_text(draw, fonts_.ui, fonts_.ui_px, {at.x + used + gap, at.y}, to_imgui(theme_.muted),
                facts, facts_px + 1);
    }
    if (ImGui::IsMouseHoveringRect(at, {at.x + used, at.y + fonts_.ui_px}) &&
        ImGui::IsWindowHovered()) {
      begin_tooltip(ui, 700);
      for (const std::string& path : app_.workspace.document()->paths) text(absolute_path(path));
      end_tooltip();
    }
  }
  if (badge.empty()) return;
  const Rgba colour = severity_colour(theme_, summary.worst);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - badge_px - ui.px(4));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(colour));
  ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(with_alpha(colour, 0.13f)));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(8), 0});
  if (ImGui::SmallButton(badge.c_str())) app_.show_page(DrawerPage::kImport);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  tooltip("What the import noticed. Click for the report.");
}

void Shell::status_line(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  draw.AddLine({at.x, at.y + 0.5f}, {at.x + size.x, at.y + 0.5f}, to_imgui(theme_.border));
  push_font(fonts_.label, fonts_.label_px);
  const float y = std::floor(at.y + (size.y - fonts_.label_px) * 0.5f);
  ImGui::SetCursorScreenPos({at.x + ui.px(12), y});
  constexpr const char* kHint =
      "W S zoom   A D pan   drag selects a range   F focus   N next gap   ? all keys";
  if (app_.workspace.has_trace()) {
    const TimeSpan visible = app_.workspace.view().visible();
    muted_text(ui, fmt::format("View {} to {}", time_text(ui, visible.begin), time_text(ui, visible.end)));
    if (app_.workspace.area()) {
      const TimeSpan area = *app_.workspace.area();
      ImGui::SameLine(0, ui.px(18));
      coloured_text(theme_.accent,
                    fmt::format("Range {} to {} ({})", time_text(ui, area.begin),
                                time_text(ui, area.end), format_duration(area.duration())));
    }
  }
  const float hint_px = ImGui::CalcTextSize(kHint).x;
  ImGui::SameLine(0, ui.px(18));
  const float hint_x = at.x + size.x - hint_px - ui.px(12);
  if (hint_x > ImGui::GetCursorScreenPos().x) {
    ImGui::SetCursorScreenPos({hint_x, y});
    muted_text(ui, kHint);
  }
  ImGui::PopFont();
}

}  // namespace lacuna

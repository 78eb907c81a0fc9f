// The menu bar above and the status line below.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/files/import_panel.h"
#include "app/gui/panels/keys/key_banner.h"
#include "app/gui/panels/tracks/hidden_slices.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/gui/shell/shell.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::array kMenus = {Command::Menu::kFile, Command::Menu::kEdit, Command::Menu::kView, Command::Menu::kGo,
                               Command::Menu::kHelp};

}  // namespace

bool Shell::menu_takes(const KeyPress& press) {
  if (menu_at_ < 0 || menu_depth_ == 0) return false;
  const int count = static_cast<int>(kMenus.size());
  const auto go = [&](int by) {
    menu_at_ = (menu_at_ + by + count) % count;
    opens_menu_ = true;
  };
  const bool with_shift = (press.shortcut.modifiers & kModShift) != 0;
  switch (press.shortcut.key) {
    case kKeyTab:
      go(with_shift ? -1 : 1);
      return true;
    case kKeyLeft:
      if (menu_depth_ == 1) go(-1);
      return true;
    case kKeyRight:
      if (menu_depth_ == 1 && !is_at_submenu_) go(1);
      return true;
    case kKeyEnter:
      choose_menu_item();
      return true;
    default:
      // Arrows are ImGui's; what else somebody types means no command while a menu is open.
      return (press.shortcut.modifiers & (kModCtrl | kModAlt)) == 0;
  }
}

void Shell::menu_bar(UiContext& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(8), ui.px(5)});
  if (ImGui::BeginMainMenuBar()) {
    ImGui::PopStyleVar();
    if (app_.requests.take<ask::OpenMenu>()) {
      menu_at_ = 0;
      opens_menu_ = true;
    }
    if (std::exchange(opens_menu_, false)) {
      close_popups();
      start_menu_keys();
      ImGui::OpenPopup(std::string(to_text(kMenus[static_cast<std::size_t>(menu_at_)])).c_str());
    }
    is_at_submenu_ = false;
    for (const Command::Menu which : kMenus) menu(ui, which);
    menu_depth_ = menu_keys_depth();
    if (menu_depth_ == 0) menu_at_ = -1;
    const float menus = ImGui::GetCursorPosX() + ui.px(14);
    const float bar = ImGui::GetWindowWidth();
    const float box = std::clamp(bar * 0.34f, std::min(ui.px(200), bar - menus), ui.px(560));
    const float x = std::max(menus, std::round((bar - box) * 0.5f));
    omnibox_.draw_box(ui, x, box);
    title(ui, menus, x - ui.px(14));
    facts_and_badge(ui, x + box + ui.px(14));
    ImGui::EndMainMenuBar();
  } else {
    ImGui::PopStyleVar();
  }
}

void Shell::menu(UiContext& ui, Command::Menu which) {
  // Titles are our own: no trace can put an id in here.
  const std::string title(to_text(which));
  const bool is_open = ImGui::BeginMenu(title.c_str());
  note_place(ui, ("menu " + title).c_str());
  if (!is_open) return;
  for (const Command& command : commands()) {
    if (command.menu != which || !command.in_menu || command.run == nullptr) continue;
    const Submenu* inside = submenu_of(command);
    if (inside != nullptr && inside->ids.front() != command.id) continue;  // drawn with the first
    if (command.separator_before) ImGui::Separator();
    if (inside != nullptr) {
      submenu(ui, *inside);
    } else {
      menu_item(command);
      note_place(ui, ("item " + std::string(command.id)).c_str());
    }
    if (command.id == "open") recent_menu(ui);
    if (command.id == "show_hidden_slices") hide_menu(ui);
  }
  ImGui::EndMenu();
}

void Shell::submenu(UiContext& ui, const Submenu& which) {
  const std::string title(which.title);
  const bool is_open = ImGui::BeginMenu(title.c_str());
  note_place(ui, ("submenu " + title).c_str());
  if (!is_open && ImGui::IsItemFocused()) is_at_submenu_ = true;
  if (!is_open) return;
  for (const std::string_view id : which.ids) {
    const Command* command = find_command(id);
    if (command == nullptr) continue;
    menu_item(*command);
    note_place(ui, ("item " + std::string(id)).c_str());
  }
  ImGui::EndMenu();
}

void Shell::menu_item(const Command& command) {
  const std::string name(command.name);
  const auto keys = app_.keymap.keys_of(command);
  const std::string key = keys.empty() ? std::string() : keys.front();
  const bool enabled = is_enabled(app_, command);
  const bool checked = command.is_checked != nullptr && command.is_checked(app_);
  if (ImGui::MenuItem(name.c_str(), key.c_str(), checked, enabled)) run_command(app_, command);
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

void Shell::title(UiContext& ui, float left, float right) {
  if (!app_.workspace.has_trace() || right - left < ui.px(40)) return;
  const std::string name = app_.title();
  const ImVec2 corner = ImGui::GetWindowPos();
  const ImVec2 at(corner.x + left, corner.y + std::floor((ImGui::GetWindowHeight() - fonts_.ui_px) * 0.5f));
  const float used =
      draw_text(*ImGui::GetWindowDrawList(), fonts_.ui, fonts_.ui_px, at, to_imgui(theme_.text), name, right - left);
  if (ImGui::IsMouseHoveringRect(at, {at.x + used, at.y + fonts_.ui_px}) && ImGui::IsWindowHovered()) {
    begin_tooltip(ui, 700);
    for (const std::string& path : app_.workspace.document()->paths) text(absolute_path(path));
    end_tooltip();
  }
}

void Shell::facts_and_badge(UiContext& ui, float left) {
  if (!app_.workspace.has_trace()) return;
  const Trace& trace = app_.workspace.trace();
  const ReportSummary summary = summarize(trace.report());
  const std::string badge = summary.lost > 0         ? fmt::format("{} not shown", format_count(summary.lost))
                            : app_.live.is_running() ? std::string()  // what has no end yet is no repair
                            : summary.repaired > 0   ? fmt::format("{} repaired", format_count(summary.repaired))
                            : summary.lines > 0      ? counted(summary.lines, "note")
                                                     : std::string();
  const float bar = ImGui::GetWindowWidth();
  const float badge_px = badge.empty() ? 0 : ImGui::CalcTextSize(badge.c_str()).x + ui.px(28);
  const std::string events = counted(trace.event_count(), "event");
  const std::string facts = events + ", " + format_duration(trace.span().duration());
  const float right = bar - badge_px - ui.px(12);
  for (const std::string& fact : {facts, events}) {
    const float width = text_width(fonts_.ui, fonts_.ui_px, fact);
    if (right - width < left) continue;
    const ImVec2 corner = ImGui::GetWindowPos();
    const ImVec2 at(corner.x + right - width, corner.y + std::floor((ImGui::GetWindowHeight() - fonts_.ui_px) * 0.5f));
    draw_text(*ImGui::GetWindowDrawList(), fonts_.ui, fonts_.ui_px, at, to_imgui(theme_.muted), fact, width + 1);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + fonts_.ui_px}) &&
        begin_tooltip(ui, 440)) {
      text(column_definition("bars", "Events and time"));
      end_tooltip();
    }
    break;
  }
  if (badge.empty() || bar - badge_px < left) return;
  const Rgba colour = severity_colour(theme_, summary.worst);
  ImGui::SetCursorPosX(bar - badge_px - ui.px(4));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(colour));
  ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(with_alpha(colour, 0.13f)));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(8), 0});
  ImGui::SetCursorPosY(std::floor((ImGui::GetWindowHeight() - ImGui::GetFontSize()) * 0.5f));
  if (ImGui::Button(badge.c_str())) app_.show_page(DrawerPage::kImport);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  tooltip("Notes of the import. Click to read them.");
}

void Shell::status_line(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme_.panel));
  draw.AddLine({at.x, at.y + 0.5f}, {at.x + size.x, at.y + 0.5f}, to_imgui(theme_.border));
  push_font(fonts_.label, fonts_.label_px);
  const float y = std::floor(at.y + (size.y - fonts_.label_px) * 0.5f);
  ImGui::SetCursorScreenPos({at.x + ui.px(12), y});
  const std::string hint = key_hint(app_.keymap);
  if (app_.workspace.has_trace()) {
    const TimeSpan visible = app_.workspace.view().visible();
    muted_text(ui, fmt::format("View {} to {}", time_text(ui, visible.begin), time_text(ui, visible.end)));
    tooltip(column_definition("bars", "View"));
    if (app_.workspace.area()) {
      const TimeSpan area = *app_.workspace.area();
      ImGui::SameLine(0, ui.px(18));
      coloured_text(theme_.accent, fmt::format("Range {} to {} ({})", time_text(ui, area.begin),
                                               time_text(ui, area.end), format_duration(area.duration())));
      tooltip(column_definition("bars", "Range"));
    }
  }
  if (app_.workspace.has_trace() && !app_.workspace.hidden().empty()) {
    ImGui::SameLine(0, ui.px(18));
    hidden_chip(ui);
  }
  if (!app_.ui.notice.empty()) {
    ImGui::SameLine(0, ui.px(18));
    coloured_text(theme_.good, app_.ui.notice);
  }
  const float hint_px = ImGui::CalcTextSize(hint.c_str()).x;
  ImGui::SameLine(0, ui.px(18));
  const float hint_x = at.x + size.x - hint_px - ui.px(12);
  if (hint_x > ImGui::GetCursorScreenPos().x) {
    ImGui::SetCursorScreenPos({hint_x, y});
    muted_text(ui, hint);
  }
  ImGui::PopFont();
}

}  // namespace lacuna

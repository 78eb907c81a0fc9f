#include "app/gui/panels/keys/shortcut_sheet.h"

// The sheet of all keys and mouse gestures, made from the table of commands.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/application/commands.h"
#include "app/gui/panels/keys/key_banner.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

constexpr ImGuiWindowFlags kSheet = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse;
constexpr float kKeysPx = 132;
constexpr float kColumnPx = 350;
constexpr std::array kOrder = {Command::Menu::kGo,   Command::Menu::kView, Command::Menu::kEdit,
                               Command::Menu::kFile, Command::Menu::kHelp, Command::Menu::kMouse};

/// A heading (no command) or a command with keys.
struct Line {
  Command::Menu menu;
  const Command* command = nullptr;
};

std::vector<Line> lines_of(const Keymap& keymap) {
  std::vector<Line> lines;
  for (const Command::Menu menu : kOrder) {
    lines.push_back({menu});
    for (const Command& command : commands()) {
      if (command.menu == menu && !keymap.keys_of(command).empty()) lines.push_back({menu, &command});
    }
  }
  return lines;
}

/// A key as a key cap.
void key_cap(const UiContext& ui, std::string_view key) {
  const ImVec2 size = ImGui::CalcTextSize(key.data(), key.data() + key.size());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float padding = ui.px(5);
  const ImVec2 end(at.x + size.x + 2 * padding, at.y + size.y + 2);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, end, to_imgui(ui.theme.raised), ui.px(3));
  draw.AddRectFilled({at.x, end.y - 1}, end, to_imgui(ui.theme.border));
  draw.AddText({at.x + padding, at.y}, to_imgui(ui.theme.text), key.data(), key.data() + key.size());
  ImGui::Dummy({end.x - at.x, size.y});
}

void heading(const UiContext& ui, Command::Menu menu) {
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  coloured_text(ui.theme.accent, to_text(menu));
  ImGui::PopFont();
}

/// Keys at the left, as many a line as fit; what they do at the right.
void command_line(UiContext& ui, const Command& command, float width) {
  const float left = ImGui::GetCursorPosX();
  const float top = ImGui::GetCursorPosY();
  float used = 0;
  for (const std::string& key : ui.keymap.keys_of(command)) {
    const float key_px = ImGui::CalcTextSize(key.c_str()).x + ui.px(14);
    if (used > 0 && used + key_px <= ui.px(kKeysPx)) {
      ImGui::SameLine(0, ui.px(4));
    } else {
      used = 0;
      ImGui::SetCursorPosX(left);
    }
    key_cap(ui, key);
    used += key_px;
  }
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPos({left + ui.px(kKeysPx + 6), top});
  ImGui::PushTextWrapPos(left + width - ui.px(14));
  text(command.name);
  ImGui::PopTextWrapPos();
  ImGui::SetCursorPos({left, std::max(below, ImGui::GetCursorPosY())});
}

void scroll_by_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing() * 3, page = ImGui::GetWindowHeight() * 0.9f;
  float to = ImGui::GetScrollY();
  if (is_key_pressed(ImGuiKey_DownArrow)) to += line;
  if (is_key_pressed(ImGuiKey_UpArrow)) to -= line;
  if (is_key_pressed(ImGuiKey_PageDown)) to += page;
  if (is_key_pressed(ImGuiKey_PageUp)) to -= page;
  if (is_key_pressed(ImGuiKey_End)) to = ImGui::GetScrollMaxY();
  if (is_key_pressed(ImGuiKey_Home)) to = 0;
  if (to != ImGui::GetScrollY()) ImGui::SetScrollY(std::clamp(to, 0.0f, ImGui::GetScrollMaxY()));
}

}  // namespace

bool scrolls_sheet(const KeyPress& press) {
  const int key = press.shortcut.key;
  return press.shortcut.modifiers == 0 && (key == kKeyUp || key == kKeyDown || key == kKeyPageUp ||
                                           key == kKeyPageDown || key == kKeyHome || key == kKeyEnd);
}

void draw_shortcut_sheet(UiContext& ui) {
  if (!ui.state.shortcuts_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float room = display.x * 0.96f;
  const auto columns = static_cast<int>(std::clamp(std::floor(room / ui.px(kColumnPx)), 1.0f, 4.0f));
  const float width = std::min(room, static_cast<float>(columns) * ui.px(kColumnPx) + ui.px(30));
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.94f});
  ImGui::SetNextWindowSize({width, 0});  // as high as the contents
  ImGui::SetNextWindowFocus();
  if (ImGui::Begin("Keys and mouse", &ui.state.shortcuts_open, kSheet)) {
    scroll_by_keys();
    ui.observed.sheet_scrolled = ImGui::GetScrollY();
    key_settings_help(ui);
    const std::vector<Line> lines = lines_of(ui.keymap);
    const std::size_t most = (lines.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, ui.px(4)});
    const float column_px = ImGui::GetContentRegionAvail().x / static_cast<float>(columns);
    const ImVec2 start = ImGui::GetCursorPos();
    float lowest = start.y;
    std::size_t next = 0;
    for (int column = 0; column < columns; ++column) {
      ImGui::SetCursorPos({start.x + static_cast<float>(column) * column_px, start.y});
      const float left = ImGui::GetCursorPosX();
      if (next < lines.size() && lines[next].command != nullptr) heading(ui, lines[next].menu);
      for (std::size_t i = 0; next < lines.size() && (i < most || column + 1 == columns); ++i, ++next) {
        // No heading at the foot of a column.
        if (lines[next].command == nullptr && i + 1 == most && column + 1 < columns) break;
        ImGui::SetCursorPosX(left);
        if (lines[next].command != nullptr) {
          command_line(ui, *lines[next].command, column_px);
        } else {
          if (i > 0) ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui.px(8));
          heading(ui, lines[next].menu);
        }
      }
      lowest = std::max(lowest, ImGui::GetCursorPosY());
    }
    ImGui::SetCursorPos({start.x, lowest});
    ImGui::Dummy({1, ui.px(8)});
    ImGui::PopStyleVar();
  }
  ImGui::End();
}

}  // namespace lacuna

#include "app/gui/panels/keys/key_banner.h"

#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

/// "W S zoom", or nothing when none of the commands has a key.
void add_hint(const Keymap& keymap, std::initializer_list<std::string_view> ids, std::string_view what,
              std::string& text) {
  std::string keys;
  for (const std::string_view id : ids) {
    const std::string_view key = keymap.key_of(id);
    if (!key.empty()) keys += std::string(key) + " ";
  }
  if (keys.empty()) return;
  if (!text.empty()) text += "   ";
  text.append(keys).append(what);
}

}  // namespace

float draw_settings_banner(UiContext& ui) {
  UiState& state = ui.state;
  if (state.settings_warnings.empty() || state.settings_warning_dismissed) return 0;
  const float height = std::round(ImGui::GetFrameHeight() + ui.px(8));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(with_alpha(ui.theme.warning, 0.14f)));
  draw.AddRectFilled(at, {at.x + ui.px(3), at.y + height}, to_imgui(ui.theme.warning));
  ImGui::SetCursorScreenPos({at.x + ui.px(14), at.y + ui.px(4)});
  ImGui::AlignTextToFramePadding();
  std::string sentence = "Settings: " + state.settings_warnings.front();
  if (state.settings_warnings.size() > 1) {
    sentence += fmt::format(" And {} more.", state.settings_warnings.size() - 1);
  }
  fitted_text(ui, sentence, width - ui.px(190));
  ImGui::SameLine(0, ui.px(10));
  if (link(ui, "Show all")) state.shortcuts_open = true;
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Dismiss")) state.settings_warning_dismissed = true;
  note_place(ui, "settings_dismiss");
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  return height;
}

void key_settings_help(UiContext& ui) {
  ImGui::PushTextWrapPos(0);
  for (const std::string& warning : ui.state.settings_warnings) coloured_text(ui.theme.warning, warning);
  for (const std::string& note : ui.keymap.notes()) muted_text(ui, note);
  muted_text(ui, fmt::format("Keys can be changed in {}: {}. \"lacuna --list-keys\" names every "
                             "command. An empty list takes a key away.",
                             settings_path(), R"("keys": {"next_gap": ["J", "Ctrl+Right"]})"));
  ImGui::PopTextWrapPos();
  ImGui::Dummy({1, ui.px(4)});
}

std::string key_hint(const Keymap& keymap) {
  std::string text;
  add_hint(keymap, {"zoom_in_key", "zoom_out_key"}, "zoom", text);
  add_hint(keymap, {"pan_left_key", "pan_right_key"}, "pan", text);
  text += "   drag selects a range";
  add_hint(keymap, {"focus"}, "focus", text);
  add_hint(keymap, {"next_gap"}, "next gap", text);
  add_hint(keymap, {"shortcuts"}, "all keys", text);
  return text;
}

}  // namespace lacuna
